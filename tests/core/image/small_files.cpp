// SPDX-License-Identifier: MIT
#include "tests/core/image/small_files.h"

#include <OpenImageIO/imageio.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/core/image/image_testing.h"

namespace workbench::testing {

namespace {

// Big-endian, as these formats have it.
class Bytes {
  public:
    Bytes& u8(unsigned value) {
        m_bytes.push_back(static_cast<char>(value));
        return *this;
    }
    Bytes& u16(unsigned value) { return u8(value >> 8 & 255).u8(value & 255); }
    Bytes& u32(std::uint32_t value) { return u16(value >> 16).u16(value & 0xffff); }
    Bytes& text(const std::string& value) {
        m_bytes += value;
        return *this;
    }
    Bytes& fill_to(std::size_t size) {
        m_bytes.resize(size, '\0');
        return *this;
    }
    Bytes& samples(int count) {
        for (int i = 0; i < count; ++i) u8(static_cast<unsigned>(i * 7 % 251));
        return *this;
    }
    std::string take() { return m_bytes; }

  private:
    std::string m_bytes;
};

}  // namespace

// "The SGI Image File Format", version 1.00: a header of 512 bytes, then the planes.
std::string small_sgi() {
    return Bytes()
        .u16(0x01da)
        .u8(0)  // not compressed
        .u8(1)  // bytes a sample
        .u16(3)
        .u16(small_width)
        .u16(small_height)
        .u16(3)
        .u32(0)
        .u32(255)
        .fill_to(512)
        .samples(small_width * small_height * 3)
        .take();
}

// Adobe Photoshop File Formats Specification: header, colour mode, resources, layers, pixels.
std::string small_psd() {
    Bytes bytes;
    bytes.text("8BPS").u16(1).fill_to(12).u16(3).u32(small_height).u32(small_width).u16(8).u16(3);
    bytes.u32(0);  // no colour mode data
    const std::uint32_t resources = 12 + 18 + 12 + 20;
    bytes.u32(resources);
    bytes.text("8BIM").u16(0x0421).u16(0).u32(18).fill_to(64);  // version information
    bytes.text("8BIM").u16(0x040f).u16(0).u32(20).fill_to(96);  // a colour profile; its size is at 72
    bytes.u32(0);                                               // no layers
    bytes.u16(0);                                               // not compressed
    return bytes.samples(small_width * small_height * 3).take();
}

// SMPTE 268M's ancestor, "Kodak Cineon Image File Format Draft", version 4.5.
std::string small_cineon() {
    Bytes bytes;
    bytes.u32(0x802a5fd7).u32(2048).u32(1024).u32(1024).u32(0).u32(2048 + small_width * small_height * 4);
    bytes.text("V4.5").fill_to(192);
    bytes.u8(0).u8(3).u16(0);
    for (unsigned channel = 1; channel <= 3; ++channel) {
        bytes.u8(0).u8(channel).u8(10).u8(0).u32(small_width).u32(small_height);
        bytes.u32(0).u32(0).u32(0x447fc000).u32(0x40000000);  // 0 to 1023: densities of 0 to 2
    }
    bytes.fill_to(680).u8(0).u8(5).u8(0).u8(0);  // by pixel, three in 32 bits
    bytes.fill_to(2048);
    return bytes.samples(small_width * small_height * 4).take();
}

std::string small_file(const std::string& format, const std::filesystem::path& scratch) {
    const auto output = OIIO::ImageOutput::create(format);
    EXPECT_NE(output, nullptr) << OIIO::geterror();
    if (!output) return {};
    const OIIO::ImageSpec spec(small_width, small_height, format == "ico" ? 4 : 3, OIIO::TypeDesc::UINT8);
    const std::vector<unsigned char> samples(spec.image_pixels() * 4, 100);
    EXPECT_TRUE(output->open(scratch.string(), spec)) << output->geterror();
    EXPECT_TRUE(output->write_image(OIIO::TypeDesc::UINT8, samples.data())) << output->geterror();
    EXPECT_TRUE(output->close());
    return bytes_of(scratch);
}

}  // namespace workbench::testing
