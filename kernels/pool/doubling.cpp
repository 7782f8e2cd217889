// SPDX-License-Identifier: MIT
#include "kernels/pool/doubling.h"

#include <bit>

namespace iir2d::pool {

namespace {

std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
    return a / b + (a % b != 0 ? 1 : 0);
}

}  // namespace

DoublingOrder::DoublingOrder(std::int64_t taps) : window(taps), singles(taps % batch_rows) {
    while (2 * top <= window) top *= 2;
}

std::int64_t DoublingOrder::additions() const {
    const auto parts = static_cast<std::int64_t>(
        std::popcount(static_cast<std::uint64_t>(window - singles)));  // the largest among them
    const auto doublings = static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(top))) - 1;
    return std::max(doublings + parts - 1 + (singles > 0 ? 1 : 0), singles);
}

std::int64_t DoublingOrder::batches(std::int64_t taps) const {
    if (taps == top) return window == top ? 0 : ceil_div(window - top, batch_rows) + 1;
    return taps / batch_rows + (has_part(taps) ? 1 : 0);
}

std::int64_t DoublingOrder::rows() const {
    std::int64_t kept = 0;
    for (std::int64_t taps = batch_rows; taps <= top; taps *= 2) kept += batches(taps);
    return kept * batch_rows;
}

namespace {

// Bytes of a strip's rings: a first-level cache, of which the rows take a part.
constexpr std::int64_t strip_bytes = 32768;

std::int64_t strip_of(const DoublingOrder& order, std::int64_t element_bytes) {
    const std::int64_t columns = strip_bytes / (std::max<std::int64_t>(order.rows(), 1) * element_bytes);
    return std::clamp<std::int64_t>(columns / row_slack, 1, 16) * row_slack;
}

}  // namespace

template <class Acc>
DoublingRings<Acc>::DoublingRings(std::int64_t window, std::int64_t width)
    : m_order(window), m_distance(row_distance<Acc>(width)), m_strip(strip_of(m_order, sizeof(Acc))) {
    m_rows.assign(static_cast<std::size_t>((wave_rows + batch_rows) * m_distance), Acc(0));
    std::int64_t rows = 0;
    for (std::int64_t taps = batch_rows; taps <= m_order.top; taps *= 2) {
        m_of_part.push_back({rows, m_order.batches(taps)});
        rows += m_of_part.back().batches * batch_rows;
    }
    m_rings.assign(static_cast<std::size_t>(ceil_div(width, m_strip) * m_strip * rows), Acc(0));
}

template <class Acc>
bool DoublingRings<Acc>::make(Join join, std::int64_t t, std::int64_t count) {
    bool good = true;
    for (std::int64_t column = 0; column < count; column += m_strip) {
        for (std::int64_t batch = t; batch < t + wave_rows; batch += batch_rows)
            good &= make_batch(join, batch, column, std::min(m_strip, count - column));
    }
    return good;
}

template <class Acc>
bool DoublingRings<Acc>::make_batch(Join join, std::int64_t t, std::int64_t column, std::int64_t count) {
    const std::int64_t number = t / batch_rows;
    Acc* const rings = m_rings.data() + column * m_order.rows();
    const auto at = [&](const Ring& ring, std::int64_t batch) {
        // Before the first batch there is nothing that an output needs.
        const auto slot =
            static_cast<std::uint32_t>(batch + ring.batches) % static_cast<std::uint32_t>(ring.batches);
        return rings + (ring.first + std::int64_t{slot} * batch_rows) * m_strip;
    };
    const auto delay = [&](const Ring& ring, std::int64_t rows) {
        // From the batch that has the row which is so many before this one's first.
        const std::int64_t earlier = ceil_div(rows, batch_rows);
        m_delayed.push_back(
            {{at(ring, number - earlier), at(ring, number - earlier + 1)}, earlier * batch_rows - rows});
    };
    DoublingBatch<Acc> batch{};
    batch.rows = row(t) + column;
    batch.rows_before = made(t) + column;
    batch.distance = m_distance;
    m_doublings.clear();
    m_delayed.clear();
    if (m_order.window > m_order.top) {
        batch.top = at(m_of_part.back(), number);
        delay(m_of_part.back(), m_order.window - m_order.top);
    }
    std::size_t part = m_of_part.size() - 1;
    for (std::int64_t taps = m_order.top / 2; taps >= batch_rows; taps /= 2) {
        const Ring& ring = m_of_part[--part];
        m_doublings.push_back({at(ring, number - taps / batch_rows), at(ring, number)});
        if (join == Join::sum && m_order.has_part(taps)) delay(ring, m_order.window % taps);
    }
    std::ranges::reverse(m_doublings);
    batch.steps = m_doublings;
    batch.delayed = m_delayed;
    batch.singles = m_order.singles;
    batch.count = count;
    return fold_batch_by_doubling(join, batch);
}

template class DoublingRings<float>;
template class DoublingRings<double>;

}  // namespace iir2d::pool
