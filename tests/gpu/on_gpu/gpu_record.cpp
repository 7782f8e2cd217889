// SPDX-License-Identifier: MIT
// What run_on_gpu.sh runs: every case of the parity matrix, forward and backward, on a real GPU, against the
// double-precision reference and to the bit against the tests' executor; then latencies beside
// device-to-device copies of the same plane. Writes one JSON record with the environment and every sample.
// Needs neither Qt nor OpenImageIO.
//
//   gpu_record --out FILE [--device N] [--sizes 1024,2048,4096,8192] [--samples 30] [--parity
//   full|small|none]
//   [--jobs N] [--filters 1,2,...] [--precisions f32,mixed,f64] [--no-bench]
//
// Parity is judged by `jobs` threads, all of the machine's where it is not given, which run plans on one
// context.
//
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "iir2d/iir2d_core.h"
#include "tests/gpu/on_gpu/gpu_record.h"

namespace {

using namespace gpu_record;

void for_each_word(const std::string& list, const std::function<void(const std::string&)>& take) {
    std::istringstream words(list);
    for (std::string word; std::getline(words, word, ',');) take(word);
}

Options parse(int argc, char** argv) {
    Options o;
    for (int i = 1; i < argc; ++i) {
        const std::string name = argv[i];
        if (name == "--no-bench") {
            o.bench = false;
            continue;
        }
        if (i + 1 >= argc) stop(2, name + " needs a value");
        const std::string value = argv[++i];
        if (name == "--out") {
            o.out = value;
        } else if (name == "--device") {
            o.device = std::atoi(value.c_str());
        } else if (name == "--samples") {
            o.samples = std::max(3, std::atoi(value.c_str()));
        } else if (name == "--parity") {
            if (value != "full" && value != "small" && value != "none")
                stop(2, "--parity takes full, small or none");
            o.parity = value;
        } else if (name == "--jobs") {
            o.jobs = static_cast<unsigned>(std::max(1, std::atoi(value.c_str())));
        } else if (name == "--sizes") {
            o.sizes.clear();
            for_each_word(value,
                          [&](const std::string& word) { o.sizes.push_back(std::atoll(word.c_str())); });
        } else if (name == "--filters") {
            o.filters.clear();
            for_each_word(value, [&](const std::string& word) {
                o.filters.push_back(std::atoi(word.c_str()));
                if (!filter_row(o.filters.back())) stop(2, "there is no filter " + word);
            });
        } else if (name == "--precisions") {
            o.precisions.clear();
            for_each_word(value, [&](const std::string& word) {
                const auto found =
                    std::ranges::find(all_precisions, word, [](Precision p) { return name_of(p); });
                if (found == std::end(all_precisions)) stop(2, "there is no precision " + word);
                o.precisions.push_back(*found);
            });
        } else {
            stop(2, "there is no option " + name);
        }
    }
    if (o.out.empty()) stop(2, "--out FILE says where the record goes");
    return o;
}

// Just enough JSON to write a record where no library for it is.
std::string quoted(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        if (static_cast<unsigned char>(c) >= 0x20) out += c;
    }
    return out + "\"";
}
template <class T, class F>
std::string array(const std::vector<T>& items, F text_of) {
    std::string out = "[";
    for (const T& item : items) out += (out.size() > 1 ? "," : "") + text_of(item);
    return out + "]";
}

std::string utc_now() {
    const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
    return text;
}

std::string environment(const std::string& device_id) {
    std::string out = "{\"build\":" + quoted(iir2d_build_fingerprint()) + ",\"devices\":[";
    bool first = true;
    for (const DeviceInfo& d : list_devices()) {
        if (d.id != "cpu" && d.id != device_id) continue;
        out += std::string(first ? "" : ",") + "{\"id\":" + quoted(d.id) + ",\"name\":" + quoted(d.name) +
               ",\"properties\":" +
               array(d.properties,
                     [](const DeviceProperty& p) {
                         return "{\"key\":" + quoted(p.key) +
                                ",\"value\":" + (p.value ? quoted(*p.value) : "null") +
                                ",\"unit\":" + quoted(p.unit) +
                                (p.value ? std::string() : ",\"reason\":" + quoted(p.reason)) + "}";
                     }) +
               "}";
        first = false;
    }
    return out + "]}";
}

std::string unlike_executor(const Parity& parity) {
#if defined(IIR2D_HAS_EXECUTOR)
    return std::to_string(parity.unlike_executor);
#else
    static_cast<void>(parity);
    return "null,\"unlike_executor_reason\":\"built without the executor: no Boost.Context\"";
#endif
}

std::string record_of(const Options& options, const Device& device, const Parity& parity,
                      const std::vector<Latency>& latencies) {
    std::string out =
        "{\"kind\":\"iir2d gpu record\",\"schema_version\":1,\"started_utc\":" + quoted(utc_now());
    out += ",\"environment\":" + environment(device.id());
    out += ",\"parity\":{\"matrix\":" + quoted(options.parity) +
           ",\"cases\":" + std::to_string(parity.cases) +
           ",\"beyond_bound\":" + std::to_string(parity.beyond_bound) +
           ",\"unlike_executor\":" + unlike_executor(parity) +
           ",\"worst_share_of_bound\":" + number(parity.worst_share) +
           ",\"failures\":" + array(parity.failures, quoted) + "}";
    out += ",\"latency\":" + array(latencies, [](const Latency& l) {
               return "\n{\"what\":" + quoted(l.what) + ",\"width\":" + std::to_string(l.size) +
                      ",\"height\":" + std::to_string(l.size) + ",\"kernel\":" + quoted(l.kernel) +
                      ",\"p50_ms\":" + number(median(l.ms)) +
                      ",\"copy_p50_ms\":" + number(median(l.copy_ms)) +
                      ",\"ratio_to_copy\":" + number(median(l.ms) / median(l.copy_ms)) +
                      ",\"ms\":" + array(l.ms, number) + ",\"copy_ms\":" + array(l.copy_ms, number) + "}";
           });
    return out + "}\n";
}

}  // namespace

int main(int argc, char** argv) {
    const Options options = parse(argc, argv);
    const Device device = value_or_stop(Device::cuda(options.device));
    std::fprintf(stderr, "on %s, %s\n", device.id().c_str(), device.name().c_str());
    const Parity parity = measure_parity(device, options);
    const auto latencies = options.bench ? measure_latencies(device, options) : std::vector<Latency>();
    const std::string record = record_of(options, device, parity, latencies);
    std::FILE* file = std::fopen(options.out.c_str(), "wb");
    const bool written =
        file != nullptr && std::fwrite(record.data(), 1, record.size(), file) == record.size();
    if (file == nullptr || std::fclose(file) != 0 || !written) stop(6, options.out + " could not be written");
    std::printf("%d parity cases: %d beyond the bound, %d unlike the executor; record in %s\n", parity.cases,
                parity.beyond_bound, parity.unlike_executor, options.out.c_str());
    return parity.beyond_bound + parity.unlike_executor == 0 ? 0 : 5;
}
