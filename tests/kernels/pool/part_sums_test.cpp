// SPDX-License-Identifier: MIT
// Sums in parts that stay in registers against the same parts in memory: equal bits, and along a row no
// access beyond what is allowed.
#include "kernels/pool/part_sums.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "kernels/pool/fold.h"
#include "tests/kernels/guarded_memory.h"

namespace {

using namespace iir2d::pool;
#if defined(__unix__)
using kernels_testing::Beside;
using kernels_testing::GuardedMemory;
#endif

template <class Acc>
class PartSums : public ::testing::Test {
  protected:
    // Numbers whose sums depend on the order of additions.
    std::vector<Acc> numbers(std::size_t count) {
        std::uniform_real_distribution<Acc> of(-1, 1);
        std::vector<Acc> made(count);
        for (Acc& v : made) v = of(m_random) * static_cast<Acc>(1 << (m_random() % 20));
        return made;
    }

    static std::vector<Acc> fold(const std::vector<const Acc*>& rows, std::int64_t count) {
        std::vector<Acc> made(static_cast<std::size_t>(count + row_slack));
        fold_rows(false, rows, count, made.data());
        made.resize(static_cast<std::size_t>(count));
        return made;
    }

  private:
    std::mt19937 m_random{7};
};

using Accumulators = ::testing::Types<float, double>;
TYPED_TEST_SUITE(PartSums, Accumulators);

template <class Acc>
void expect_same_bits(const Acc* got, const std::vector<Acc>& expected, std::int64_t count) {
    for (std::int64_t o = 0; o < count; ++o)
        ASSERT_EQ(std::memcmp(got + o, &expected[static_cast<std::size_t>(o)], sizeof(Acc)), 0) << o;
}

#if defined(__unix__)
TYPED_TEST(PartSums, AlongARow) {
    using Acc = TypeParam;
    bool any = false;
    bool all = true;
    for (std::int64_t window = 8; window <= 31; ++window) {
        const PartStep step = part_steps(window)[1];
        ASSERT_EQ(step.made(), window);
        for (std::int64_t count = 0; count <= 140; ++count) {
            SCOPED_TRACE(testing::Message() << window << " " << count);
            const auto read = static_cast<std::size_t>(count + window - 1 + row_slack);
            const std::vector<Acc> values = this->numbers(read);
            const GuardedMemory<Acc> from(values, Beside::page_behind);
            const GuardedMemory<Acc> to(static_cast<std::size_t>(count + row_slack), Beside::page_behind);
            const std::int64_t done = sum_in_parts(step, from.data(), count, to.data());
            ASSERT_GE(done, 0);
            ASSERT_LE(done, count);
            any |= done > 0;
            // Reads end 16 elements behind the last: that leaves two vectors at most.
            if (count > 48) all &= done >= count - 2 * row_slack;
            if (done == 0) continue;
            std::vector<const Acc*> taps;
            for (std::int64_t k = 0; k < step.part; ++k) taps.push_back(values.data() + k);
            const std::vector<Acc> parts = this->fold(taps, done + 3 * step.part);
            taps.clear();
            for (std::int64_t i = 0; i < step.parts; ++i) taps.push_back(parts.data() + i * step.part);
            for (std::int64_t i = 0; i < step.singles; ++i)
                taps.push_back(values.data() + step.parts * step.part + i);
            std::vector<Acc> expected;
            for (std::int64_t o = 0; o < done; ++o) {
                Acc sum = taps[0][o];
                for (std::size_t i = 1; i < taps.size(); ++i) sum += taps[i][o];
                expected.push_back(sum);
            }
            expect_same_bits(to.data(), expected, done);
        }
    }
    // On an instruction set that has shifts across a vector every long row is summed so, on others none.
    EXPECT_EQ(any, all);
}
#endif

TYPED_TEST(PartSums, OfRows) {
    using Acc = TypeParam;
    for (std::int64_t window = 16; window <= 31; ++window) {
        const PartStep step = part_steps(window)[1];
        ASSERT_TRUE(has_row_sums(step));
        for (const std::int64_t count : {1, 15, 16, 17, 70}) {
            SCOPED_TRACE(testing::Message() << window << " " << count);
            const std::int64_t length = count + row_slack;
            // Window j has the rows from j on.
            std::vector<std::vector<Acc>> rows;
            for (std::int64_t r = 0; r < window + 3; ++r)
                rows.push_back(this->numbers(static_cast<std::size_t>(length)));
            const auto part_from = [&](std::int64_t first) {
                std::vector<const Acc*> of;
                for (std::int64_t k = 0; k < step.part; ++k)
                    of.push_back(rows[static_cast<std::size_t>(first + k)].data());
                std::vector<Acc> made = this->fold(of, count);
                made.resize(static_cast<std::size_t>(length));
                return made;
            };
            std::vector<std::vector<Acc>> earlier(16);
            RowSums<Acc> sums{.count = count};
            std::vector<std::vector<Acc>> expected;
            for (std::int64_t j = 0; j < rows_at_once; ++j) {
                std::vector<std::vector<Acc>> own;
                std::vector<const Acc*> of;
                for (std::int64_t i = 0; i < 4; ++i) own.push_back(part_from(j + i * step.part));
                for (const auto& part : own) of.push_back(part.data());
                for (std::int64_t i = 0; i < step.singles; ++i)
                    of.push_back(rows[static_cast<std::size_t>(j + 4 * step.part + i)].data());
                expected.push_back(this->fold(of, count));
                for (std::int64_t i = 0; i < 4; ++i) {
                    // Parts that end in the windows' last rows are made, not read.
                    if (j + (i + 1) * step.part > window - 1) continue;
                    const auto at = static_cast<std::size_t>(4 * i + j);
                    earlier[at] = own[static_cast<std::size_t>(i)];
                    sums.parts[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] = earlier[at].data();
                }
            }
            for (std::int64_t r = 0; r < step.part + 3; ++r)
                sums.terms[static_cast<std::size_t>(r)] =
                    rows[static_cast<std::size_t>(window - step.part + r)].data();
            std::vector<std::vector<Acc>> outputs(8, std::vector<Acc>(static_cast<std::size_t>(length)));
            for (std::size_t i = 0; i < 4; ++i) {
                sums.made[i] = outputs[i].data();
                sums.to[i] = outputs[i + 4].data();
            }
            sum_rows(step, sums);
            for (std::int64_t j = 0; j < rows_at_once; ++j) {
                const auto at = static_cast<std::size_t>(j);
                expect_same_bits(outputs[at].data(), part_from(window - step.part + j), count);
                expect_same_bits(outputs[at + 4].data(), expected[at], count);
            }
        }
    }
}

}  // namespace
