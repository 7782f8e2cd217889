// SPDX-License-Identifier: MIT
// The C interface of pooling and of the filters: any numbers in their structs give a status, and passes over
// planes that are exactly as large as they say stay inside them.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "iir2d/iir2d_core.h"
#include "iir2d/iir2d_pool.h"

namespace {

// Takes numbers off the input; 0 behind its end.
class Numbers {
  public:
    Numbers(const std::uint8_t* data, std::size_t size) : m_data(data), m_size(size) {}

    template <class T>
    T take() {
        T value{};
        const std::size_t bytes = std::min(sizeof value, m_size);
        std::memcpy(&value, m_data, bytes);
        m_data += bytes;
        m_size -= bytes;
        return value;
    }
    // Mostly small, now and then any.
    std::int64_t number() {
        const auto kind = take<std::uint8_t>();
        if (kind >= 8) return kind % 24;
        if (kind == 7) return -static_cast<std::int64_t>(take<std::uint8_t>());
        if (kind == 6) return std::int64_t{1} << (take<std::uint8_t>() % 63);
        return kind == 5 ? take<std::int64_t>() : take<std::uint8_t>();
    }

  private:
    const std::uint8_t* m_data;
    std::size_t m_size;
};

constexpr std::int64_t most_elements = 1 << 13;

std::size_t bytes_of(int element) {
    return element == IIR2D_ELEMENT_F64 ? 8 : element == IIR2D_ELEMENT_F32 ? 4 : 2;
}

// Of exactly so many bytes, so that a sanitizer sees the first one behind it.
std::unique_ptr<std::uint8_t[]> plane(std::size_t bytes, Numbers& numbers) {
    auto memory = std::make_unique<std::uint8_t[]>(bytes);
    const auto seed = numbers.take<std::uint32_t>();
    for (std::size_t i = 0; i < bytes; ++i)
        memory[i] = static_cast<std::uint8_t>((i * 2654435761U + seed) >> 7U);
    return memory;
}

void pool(Numbers& numbers) {
    IIR2D_PoolParams p{};
    p.size = sizeof p;
    p.op = static_cast<std::int32_t>(numbers.take<std::uint8_t>() % 6U);
    p.element = static_cast<std::int32_t>(numbers.take<std::uint8_t>() % 5U);
    for (std::int64_t* field :
         {&p.n, &p.c, &p.height, &p.width, &p.window_h, &p.window_w, &p.stride_h, &p.stride_w, &p.padding_h,
          &p.padding_w, &p.dilation_h, &p.dilation_w, &p.output_h, &p.output_w, &p.divisor_override})
        *field = numbers.number();
    const double powers[] = {1.0, 2.0, 3.0, 0.5, 1e-3, 50.0, 1e300, numbers.take<double>()};
    p.p = powers[numbers.take<std::uint8_t>() % 8U];
    const auto flags = numbers.take<std::uint8_t>();
    p.ceil_mode = flags & 1;
    p.count_include_pad = flags >> 1 & 1;
    std::int64_t h = 0;
    std::int64_t w = 0;
    const int status = iir2d_pool_output_size(&p, &h, &w);
    // In place, which makes a plan and then refuses to run it.
    double nowhere[1] = {};
    const int refused = iir2d_pool_forward_cpu(nowhere, nowhere, nullptr, &p);
    if (refused == IIR2D_STATUS_OK || (status != IIR2D_STATUS_OK && refused != status)) std::abort();
    if (status != IIR2D_STATUS_OK) return;
    const auto product = [](std::initializer_list<std::int64_t> sizes) {
        std::int64_t all = 1;
        for (const std::int64_t size : sizes) {
            if (size > most_elements / all) return std::int64_t{0};
            all *= size;
        }
        return all;
    };
    const auto in = static_cast<std::size_t>(product({p.n, p.c, p.height, p.width}));
    const auto out = static_cast<std::size_t>(product({p.n, p.c, h, w}));
    if (in == 0 || out == 0) return;
    const bool is_max = p.op == IIR2D_POOL_MAX || p.op == IIR2D_POOL_ADAPTIVE_MAX;
    const std::size_t bytes = bytes_of(p.element);
    const auto x = plane(in * bytes, numbers);
    const auto y = std::make_unique<std::uint8_t[]>(out * bytes);
    const auto dx = std::make_unique<std::uint8_t[]>(in * bytes);
    const auto argmax = std::make_unique<std::int64_t[]>(out);
    std::int64_t* const places = is_max && (flags & 4) != 0 ? argmax.get() : nullptr;
    if (iir2d_pool_forward_cpu(x.get(), y.get(), places, &p) != IIR2D_STATUS_OK) std::abort();
    const auto dy = plane(out * bytes, numbers);
    if ((flags & 8) != 0) argmax[numbers.take<std::uint16_t>() % out] = numbers.number();
    if (iir2d_pool_backward_cpu(x.get(), y.get(), dy.get(), dx.get(), places, &p) != IIR2D_STATUS_OK)
        std::abort();
}

// The struct as it comes, in memory that ends with it.
void pool_struct(const std::uint8_t* data, std::size_t size) {
    if (size < sizeof(std::size_t)) return;
    const std::vector<std::uint8_t> copy(data, data + size);
    const auto memory = std::make_unique<std::uint8_t[]>(size);
    std::memcpy(memory.get(), copy.data(), size);
    // A caller who promises more bytes than there are is beyond help.
    std::size_t promised = 0;
    std::memcpy(&promised, memory.get(), sizeof promised);
    if (promised > size && promised <= 4096) return;
    std::int64_t h = 0;
    std::int64_t w = 0;
    static_cast<void>(
        iir2d_pool_output_size(reinterpret_cast<const IIR2D_PoolParams*>(memory.get()), &h, &w));
}

void filter(Numbers& numbers) {
    IIR2D_Params p{};
    p.width = static_cast<int>(numbers.number());
    p.height = static_cast<int>(numbers.number());
    p.filter_id = numbers.take<std::uint8_t>() % 10;
    p.border_mode = numbers.take<std::uint8_t>() % 5;
    p.border_const = numbers.take<float>();
    p.precision = numbers.take<std::uint8_t>() % 4;
    if (p.width > 0 && p.height > 0 && std::int64_t{p.width} * p.height > most_elements) return;
    const bool wide = p.precision == IIR2D_PRECISION_F64;
    const std::size_t count = p.width > 0 && p.height > 0 ? static_cast<std::size_t>(p.width * p.height) : 1;
    const auto in = plane(count * (wide ? 8 : 4), numbers);
    const auto out = std::make_unique<std::uint8_t[]>(count * (wide ? 8 : 4));
    static_cast<void>(iir2d_forward_cpu(in.get(), out.get(), &p));
    static_cast<void>(iir2d_forward_cpu(in.get(), in.get(), &p));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    Numbers numbers(data + 1, size - 1);
    switch (data[0] % 4) {
        case 0:
            filter(numbers);
            break;
        case 1:
            pool_struct(data + 1, size - 1);
            break;
        default:
            pool(numbers);
    }
    return 0;
}
