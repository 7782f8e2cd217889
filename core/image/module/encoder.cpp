// SPDX-License-Identifier: MIT
#include "core/image/module/encoder.h"

#include <OpenImageIO/strutil.h>

#include <cmath>
#include <exception>
#include <limits>
#include <new>
#include <optional>
#include <type_traits>
#include <vector>

#include "core/image/module/oiio_support.h"
#include "core/image/module/output_file.h"
#include "core/image/module/output_spec.h"
#include "core/image/module/tiff_exif.h"
#include "core/support/atomic_file.h"
#include "core/support/text.h"
#include "core/support/try.h"

namespace workbench {

namespace {

// Rounded to nearest, clamped, NaN as 0.
template <class To>
To integer_sample(double value) {
    constexpr auto most = static_cast<double>(std::numeric_limits<To>::max());
    if (!(value > 0.0)) return 0;
    if (value >= 1.0) return std::numeric_limits<To>::max();
    return static_cast<To>(std::floor(value * most + 0.5));
}

// Planes of `From` into interleaved samples.
template <class To, class From>
void gather(const iir2d::ConstTensorView& planes, To* rows) {
    const std::int64_t count = planes.shape.h * planes.shape.w;
    const std::int64_t stride = planes.plane_stride != 0 ? planes.plane_stride : count;
    for (std::int64_t c = 0; c < planes.shape.c; ++c) {
        const From* from = static_cast<const From*>(planes.data) + c * stride;
        for (std::int64_t i = 0; i < count; ++i) {
            if constexpr (std::is_integral_v<To>) {
                rows[i * planes.shape.c + c] = integer_sample<To>(static_cast<double>(from[i]));
            } else {
                rows[i * planes.shape.c + c] = static_cast<To>(from[i]);
            }
        }
    }
}

// What a writer has to say at the end, where close() may well return true.
std::string complaint_at_close(OIIO::ImageOutput& output) {
    std::string words = output.geterror();
    return words.find_first_not_of(" \n") == std::string::npos ? std::string() : words;
}

// What a TIFF file says in Exif's words.
std::optional<std::uint16_t> exif_colour_space(const OIIO::ImageSpec& spec) {
    constexpr std::uint16_t srgb = 1;
    if (OIIO::Strutil::iequals(spec.get_string_attribute("oiio:ColorSpace"), "sRGB")) return srgb;
    const int said = spec.get_int_attribute("Exif:ColorSpace", -1);
    if (said < 0 || said > std::numeric_limits<std::uint16_t>::max()) return std::nullopt;
    return static_cast<std::uint16_t>(said);
}

class Encoder final : public ImageEncoder {
  public:
    explicit Encoder(const OutputRequest& request)
        : m_path(path_of(request.path)),
          m_type(request.type),
          m_file(request.descriptor, request.path, request.most_bytes),
          m_output(OIIO::ImageOutput::create(request.format)) {}

    Result<void> open(const OutputRequest& request) {
        if (!m_output) {
            return unwritable(m_path, "this build of OpenImageIO cannot write " + request.format + ": " +
                                          library_words(OIIO::geterror()));
        }
        if (!m_output->supports("ioproxy") || !m_output->set_ioproxy(&m_file))
            return unwritable(m_path, "this build of OpenImageIO cannot write " + request.format + " safely");
        // Nothing is opened under this name; a DPX header holds it.
        const OIIO::ImageSpec spec = output_spec(request);
        if (!m_output->open(utf8_path(m_path.filename()), spec)) return failed(m_output->geterror());
        if (request.format == "tiff") m_colour_space = exif_colour_space(spec);
        if (m_output->spec().format != file_type(request.type)) {
            return unwritable(m_path, "this build of OpenImageIO does not write " +
                                          std::string(name_of(request.type)) + " samples to " +
                                          request.format);
        }
        m_row = m_output->spec().y;
        return {};
    }

    Result<void> write(const iir2d::ConstTensorView& rows) override {
        return guarded([&] {
            switch (m_type) {
                case SampleType::u8:
                    return write_as<unsigned char>(rows);
                case SampleType::u16:
                    return write_as<unsigned short>(rows);
                case SampleType::u32:
                    return write_as<unsigned int>(rows);
                case SampleType::f64:
                    return write_as<double>(rows);
                case SampleType::f16:  // OpenImageIO rounds float to half, to nearest even
                case SampleType::f32:
                    break;
            }
            return write_as<float>(rows);
        });
    }

    Result<void> finish() override {
        return guarded([&]() -> Result<void> {
            const bool closed = m_output->close();
            const std::string complaint = complaint_at_close(*m_output);
            if (!closed || !complaint.empty() || m_file.failure() != 0) return failed(complaint);
            if (m_colour_space && !add_exif_colour_space(m_file, *m_colour_space))
                return failed("its colour space could not be added");
            m_file.finish();
            if (m_file.failure() != 0) return failed({});
            return {};
        });
    }

    // OpenImageIO's own words for what is thrown.
    template <class Call>
    Result<void> guarded(const Call& call) {
        try {
            return call();
        } catch (const std::bad_alloc&) {
            return unwritable(m_path, "there is not enough memory");
        } catch (const std::exception& error) {
            return failed(error.what());
        }
    }

  private:
    std::unexpected<Error> failed(const std::string& why) const {
        return unwritable(m_path,
                          m_file.failure() != 0 ? system_words(m_file.failure()) : library_words(why));
    }

    template <class To>
    Result<void> write_as(const iir2d::ConstTensorView& rows) {
        std::vector<To> samples(static_cast<std::size_t>(rows.shape.c * rows.shape.h * rows.shape.w));
        if (rows.type == iir2d::ElementType::f64) {
            gather<To, double>(rows, samples.data());
        } else {
            gather<To, float>(rows, samples.data());
        }
        const int end = m_row + static_cast<int>(rows.shape.h);
        const bool written =
            m_output->write_scanlines(m_row, end, 0, OIIO::BaseTypeFromC<To>::value, samples.data());
        m_row = end;
        if (!written || m_file.failure() != 0) return failed(m_output->geterror());
        return {};
    }

    std::filesystem::path m_path;
    SampleType m_type;
    int m_row = 0;
    std::optional<std::uint16_t> m_colour_space;  // to be added at the end
    OutputFile m_file;  // outlives the writer, which may write its last bytes when it is destroyed
    std::unique_ptr<OIIO::ImageOutput> m_output;
};

}  // namespace

Result<std::unique_ptr<ImageEncoder>> create_encoder(const OutputRequest& request) {
    prepare_library();
    auto encoder = std::make_unique<Encoder>(request);
    IIR2D_RETURN_IF_ERROR(encoder->guarded([&] { return encoder->open(request); }));
    return encoder;
}

}  // namespace workbench
