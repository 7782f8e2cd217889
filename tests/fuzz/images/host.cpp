// SPDX-License-Identifier: MIT
#include "tests/fuzz/images/host.h"

#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <fstream>
#include <iterator>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>

#include "core/image/image_io.h"
#include "tests/fuzz/images/counts.h"
#include "tests/fuzz/images/mutate.h"

namespace workbench::fuzz {

namespace fs = std::filesystem;

namespace {

// An honest file of this corpus needs 100 KB; a damaged header may claim more, up to here.
constexpr std::uint64_t pixel_limit = std::uint64_t{256} << 20;
constexpr int kept_a_format = 20;

std::atomic<bool> interrupted = false;

std::string format_of(const std::string& extension) {
    return extension == "ppm" || extension == "pgm" || extension == "pbm" || extension == "pfm" ? "pnm"
                                                                                                : extension;
}

std::string bytes_of(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

class Host {
  public:
    Host(const Plan& plan, const Corpus& corpus) : m_plan(plan), m_corpus(corpus) {
        for (const auto& [format, originals] : corpus) {
            m_formats.push_back(format);
            for (const Original& original : originals) m_all.push_back(original.bytes);
        }
    }

    void read_all() {
        m_readers.resize(m_plan.jobs);
        std::jthread watchdog([this](const std::stop_token& stop) { cancel_slow_ones(stop); });
        std::vector<std::jthread> threads;
        for (unsigned job = 0; job < m_plan.jobs; ++job) threads.emplace_back([this, job] { work(job); });
    }
    const Counts& counts() const { return m_counts; }

  private:
    bool done(std::uint64_t index) const {
        if (interrupted || (m_plan.count != 0 && index >= m_plan.first + m_plan.count)) return true;
        return m_plan.seconds != 0 &&
               std::chrono::steady_clock::now() - m_begin > std::chrono::seconds(m_plan.seconds);
    }

    void work(unsigned job) {
        for (;;) {
            const std::uint64_t index = m_next++;
            if (done(index)) return;
            // All of one file follows from the seed and its index.
            Random random(m_plan.seed * 0x9e3779b97f4a7c15U + index);
            const std::string& format = m_formats[index % m_formats.size()];
            const auto& originals = m_corpus.at(format);
            const Original& original = originals[random.below(originals.size())];
            const fs::path path = m_plan.scratch / (job_prefix + std::to_string(job) + "-" +
                                                    std::to_string(index) + "." + original.extension);
            std::string bytes = mutate(original.bytes, m_all, random);
            if (random.below(4) != 0) repair_checksums(bytes);
            std::ofstream(path, std::ios::binary) << bytes;
            note(format, path, read(path, begin_file(job)));
            fs::remove(path);
        }
    }

    // What the program says; nothing when the file was read.
    static std::optional<Error> read(const fs::path& path, std::stop_token stop) {
        ReadOptions options;
        options.memory_limit = pixel_limit;
        const auto image = read_image(path, options, {.stop = std::move(stop)});
        if (!image) return image.error();
        if (const auto info = probe_image(path); !info) return info.error();
        return std::nullopt;
    }

    // The token by which reading the job's next file is cancelled.
    std::stop_token begin_file(unsigned job) {
        const std::lock_guard lock(m_mutex);
        m_readers[job] = {.since = std::chrono::steady_clock::now()};
        return m_readers[job].stop.get_token();
    }

    void cancel_slow_ones(const std::stop_token& stop) {
        while (!stop.stop_requested()) {
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
            const auto latest = std::chrono::steady_clock::now() - std::chrono::seconds(m_plan.patience);
            const std::lock_guard lock(m_mutex);
            for (Reader& reader : m_readers) {
                if (interrupted || reader.since < latest) reader.stop.request_stop();
            }
        }
    }

    void note(const std::string& format, const fs::path& path, const std::optional<Error>& error) {
        const End end = error ? end_of(*error) : End::read;
        const std::lock_guard lock(m_mutex);
        FormatCounts& row = m_counts[format];
        ++row.ends[static_cast<std::size_t>(end)];
        if (end == End::read || end == End::refused) return;
        if (end == End::died) ++row.signals[signal_of(*error)];
        if (m_plan.keep.empty() || m_kept[format]++ >= kept_a_format) return;
        const fs::path kept = m_plan.keep / path.filename();
        std::error_code ignored;
        fs::copy_file(path, kept, fs::copy_options::overwrite_existing, ignored);
        std::ofstream(kept.string() + ".txt") << error->message << '\n';
    }

    struct Reader {
        std::stop_source stop;
        std::chrono::steady_clock::time_point since;
    };

    const Plan& m_plan;
    const Corpus& m_corpus;
    std::vector<std::string> m_formats;
    std::vector<std::string> m_all;
    const std::chrono::steady_clock::time_point m_begin = std::chrono::steady_clock::now();
    std::atomic<std::uint64_t> m_next{m_plan.first};
    std::mutex m_mutex;  // of all below
    std::vector<Reader> m_readers;
    Counts m_counts;
    std::map<std::string, int> m_kept;
};

}  // namespace

Corpus load_corpus(const fs::path& folder, const std::string& only) {
    Corpus corpus;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
        const std::string extension = entry.path().extension().string();
        if (extension.size() < 2 || extension == ".py" || extension == ".md") continue;
        const std::string format = format_of(extension.substr(1));
        if (only.empty() || only == format)
            corpus[format].push_back({extension.substr(1), bytes_of(entry.path())});
    }
    // The order of a folder is the file system's; a file follows from the seed only when it is ours.
    for (auto& [format, originals] : corpus) {
        std::ranges::sort(originals, [](const Original& a, const Original& b) {
            return std::pair(a.extension, a.bytes) < std::pair(b.extension, b.bytes);
        });
    }
    return corpus;
}

int run_host(const Plan& plan, const Corpus& corpus) {
    std::signal(SIGINT, [](int) { interrupted = true; });
    std::signal(SIGTERM, [](int) { interrupted = true; });
    Host host(plan, corpus);
    host.read_all();
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    std::ofstream(plan.scratch / peak_file) << static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
    std::ofstream(plan.scratch / counts_file) << as_json(host.counts());
    std::ofstream(plan.scratch / table_file) << as_table(host.counts());
    return 0;
}

}  // namespace workbench::fuzz
