// SPDX-License-Identifier: MIT
// gpu_traffic TEXT.ptx gpu-resources.md FOLDER [--check]
// Writes gpu-traffic.json and gpu-traffic.md of what the kernels' PTX counts at 2048 x 2048 into FOLDER; with
// --check, compares them with what is there. Exits 1 where they differ, 77 where the text is another
// compiler's.
// gpu_traffic TEXT.ptx --rate SIDE
// Times the executor on filters 1 to 8 of SIDE x SIDE floats, with every check and with bounds alone.
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

#include "tests/gpu/ptx/gpu_occupancy.h"
#include "tests/gpu/ptx/gpu_traffic_jobs.h"

namespace gpu_traffic {

namespace {

namespace ptx = workbench::ptx;

constexpr std::int64_t side = 2048;
constexpr double pixels = double{side} * side;

std::string read(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error("cannot read " + path.string());
    return {std::istreambuf_iterator<char>(file), {}};
}

std::string two_places(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.2f", value);
    return text;
}

ptx::Counts sum_of(const CountedJob& job) {
    ptx::Counts sum;
    for (const auto& [kernel, blocks, threads, shared_bytes, line, c] : job.launches) {
        sum.warp_instructions += c.warp_instructions;
        sum.lane_instructions += c.lane_instructions;
        sum.global_loads.sectors += c.global_loads.sectors;
        sum.global_loads.distinct += c.global_loads.distinct;
        sum.global_stores.sectors += c.global_stores.sectors;
        sum.global_stores.distinct += c.global_stores.distinct;
        sum.shared_requests += c.shared_requests;
        sum.shared_wavefronts += c.shared_wavefronts;
    }
    return sum;
}

// The figures of a job's row, in the order of the table's columns.
struct Figures {
    std::string read, read_distinct, written, written_distinct, copies, copies_distinct, instructions,
        wavefronts;
};

Figures figures_of(const CountedJob& job) {
    const ptx::Counts c = sum_of(job);
    const auto bytes = [](std::uint64_t sectors) { return 32.0 * static_cast<double>(sectors) / pixels; };
    constexpr double copy = 8.0;  // bytes a pixel
    return {two_places(bytes(c.global_loads.sectors)),
            two_places(bytes(c.global_loads.distinct)),
            two_places(bytes(c.global_stores.sectors)),
            two_places(bytes(c.global_stores.distinct)),
            two_places(bytes(c.global_loads.sectors + c.global_stores.sectors) / copy),
            two_places(bytes(c.global_loads.distinct + c.global_stores.distinct) / copy),
            two_places(static_cast<double>(c.lane_instructions) / pixels),
            c.shared_requests == 0 ? "null"
                                   : two_places(static_cast<double>(c.shared_wavefronts) /
                                                static_cast<double>(c.shared_requests))};
}

std::string json_of(const std::vector<CountedJob>& jobs, const std::string& header) {
    std::string text = "{\n\"counted\": \"not timed\", " + header +
                       ", \"element\": \"f32\", \"width\": " + std::to_string(side) +
                       ", \"height\": " + std::to_string(side) + ",\n\"jobs\": [\n";
    for (const CountedJob& job : jobs) {
        const Figures f = figures_of(job);
        text += "{\"job\": \"" + job.name + "\",\n \"bytes_a_pixel\": {\"read\": {\"sectors\": " + f.read +
                ", \"distinct\": " + f.read_distinct + "}, \"written\": {\"sectors\": " + f.written +
                ", \"distinct\": " + f.written_distinct + "}},\n \"copies\": {\"sectors\": " + f.copies +
                ", \"distinct\": " + f.copies_distinct +
                "}, \"lane_instructions_a_pixel\": " + f.instructions +
                ", \"wavefronts_a_request\": " + f.wavefronts + ",\n \"launches\": [";
        for (const CountedLaunch& launch : job.launches)
            text += (&launch == job.launches.data() ? "\n  " : ",\n  ") + launch.line;
        text += &job == &jobs.back() ? "]}\n" : "]},\n";
    }
    return text + "]\n}\n";
}

// Registers of each kernel on each architecture, from the table that ptxas' words were made into.
struct Resources {
    std::vector<std::string> architectures;
    std::map<std::string, std::vector<unsigned>> registers;
};

// The cells of a line of a table.
std::vector<std::string> cells_of(const std::string& line) {
    std::vector<std::string> cells;
    for (std::size_t at = line.find('|'), next = 0; (next = line.find('|', at + 1)) != std::string::npos;
         at = next) {
        const std::string cell = line.substr(at + 1, next - at - 1);
        const std::size_t first = cell.find_first_not_of(" `");
        cells.push_back(
            first == std::string::npos ? "" : cell.substr(first, cell.find_last_not_of(" `") + 1 - first));
    }
    return cells;
}

Resources read_resources(const std::string& table) {
    Resources made;
    std::istringstream lines(table);
    for (std::string line; std::getline(lines, line);) {
        std::vector<std::string> cells = cells_of(line);
        if (cells.empty() || cells[0].starts_with("---")) continue;
        if (made.architectures.empty()) {
            made.architectures.assign(cells.begin() + 1, cells.end());
            continue;
        }
        if (cells.size() != made.architectures.size() + 1)
            throw std::runtime_error("the table of resources lacks a cell of " + cells[0]);
        for (std::size_t i = 1; i < cells.size(); ++i)
            made.registers[cells[0]].push_back(static_cast<unsigned>(std::stoul(cells[i])));
    }
    return made;
}

std::string occupancy_table(const std::vector<CountedJob>& jobs, const Resources& resources) {
    std::string text = "| kernel | threads a block, bytes shared |";
    std::string rule = "| --- | --- |";
    for (const std::string& name : resources.architectures) {
        text += " " + name + " |";
        rule += " --- |";
    }
    text += "\n" + rule + "\n";
    std::set<std::string> rows;
    for (const CountedJob& job : jobs) {
        for (const CountedLaunch& launch : job.launches) {
            const auto found = resources.registers.find(launch.kernel);
            if (found == resources.registers.end())
                throw std::runtime_error("the table of resources has no " + launch.kernel +
                                         ": make gpu_resources");
            std::string row = "| `" + launch.kernel + "` | " + std::to_string(launch.threads) + ", " +
                              std::to_string(launch.shared_bytes) + " |";
            for (std::size_t i = 0; i < resources.architectures.size(); ++i) {
                const auto sm = multiprocessor(resources.architectures[i]);
                if (!sm) throw std::runtime_error("no limits are known of " + resources.architectures[i]);
                const unsigned registers = found->second[i];
                row +=
                    " " + std::to_string(registers) + ", " +
                    std::to_string(resident_warps(*sm, registers, launch.threads / 32, launch.shared_bytes)) +
                    " of " + std::to_string(sm->warps) + " |";
            }
            rows.insert(row + "\n");
        }
    }
    for (const std::string& row : rows) text += row;
    return text;
}

std::string page_of(const std::vector<CountedJob>& jobs, const Resources& resources,
                    const std::string& toolkit, const std::string& target) {
    std::string text =
        "# Traffic of the GPU kernels\n\n"
        "**Counted, not timed**: what the PTX of the kernels does on an image of 2048 x 2048 floats, by the "
        "executor of\n"
        "[ptx.md](ptx.md). The text is nvcc's for `" +
        target + "`, CUDA " + toolkit +
        ". Made by `cmake --build build/ci --target gpu_traffic`; the\n"
        "test `gpu_traffic` compares every count of [gpu-traffic.json](gpu-traffic.json) and this page "
        "exactly, so a change "
        "that moves more\nbytes, or fewer, fails until both are made again.\n\n"
        "This shows what nvcc's front end made of the kernels, and which bytes they ask for. It shows no "
        "time, no cache, "
        "nothing\nof `ptxas`' scheduling, and no GPU. Traffic to memory lies between `distinct` (sectors of "
        "32 bytes that a "
        "launch touches,\ncounted once a launch) and `sectors` (distinct within a warp's instruction).\n\n"
        "Bytes and instructions of lanes are a pixel of the input; a copy reads 4 and writes 4. Wavefronts "
        "are those of a "
        "shared\nrequest, 1.00 where no two lanes meet in a bank; requests of 8 bytes take 2 at least (warps "
        "post their "
        "states so), those of 16 bytes 4.\nFilters have their default parameters, border mirror, truncated "
        "start. A backward row "
        "is the gradient's "
        "launch alone.\n\n"
        "| job | read: sectors | distinct | written: sectors | distinct | copies: sectors | distinct | "
        "instructions | "
        "wavefronts |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n";
    for (const CountedJob& job : jobs) {
        const Figures f = figures_of(job);
        text += "| " + job.name + " | " + f.read + " | " + f.read_distinct + " | " + f.written + " | " +
                f.written_distinct + " | " + f.copies + " | " + f.copies_distinct + " | " + f.instructions +
                " | " + (f.wavefronts == "null" ? "none" : f.wavefronts) + " |\n";
    }
    text +=
        "\n## Registers and occupancy\n\n"
        "Of the launches above: registers of a thread, by `ptxas -v` ([gpu-resources.md](gpu-resources.md)), "
        "and the warps "
        "that a\nmultiprocessor then holds of those it can hold. The second is computed from the limits in "
        "CUDA's "
        "documentation; no GPU\nwas asked. The test `gpu_resources` compares the registers of the "
        "architectures that a "
        "build compiles for, sm_75 in CI.\n\n";
    return text + occupancy_table(jobs, resources);
}

// Says where two texts part. True where they do not.
bool is_the_same(const std::string& made, const std::filesystem::path& path) {
    const std::string kept = read(path);
    if (made == kept) return true;
    const auto parts = std::mismatch(made.begin(), made.end(), kept.begin(), kept.end());
    const auto line_at = [](const std::string& text, std::size_t at) {
        const std::size_t begin = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
        return text.substr(begin, std::min<std::size_t>(text.find('\n', begin) - begin, 400));
    };
    const auto at = static_cast<std::size_t>(parts.first - made.begin());
    std::printf(
        "%s is not what is counted; remake it with the target gpu_traffic\n  counted: %s\n  kept:    %s\n",
        path.c_str(), line_at(made, at).c_str(), line_at(kept, at).c_str());
    return false;
}

int run(const std::filesystem::path& text_path, const std::filesystem::path& resources_path,
        const std::filesystem::path& folder, bool check) {
    const std::string text = read(text_path);
    const std::size_t release = text.substr(0, 1000).find("release ");
    const std::string toolkit = release == std::string::npos
                                    ? "unknown"
                                    : text.substr(release + 8, text.find(',', release) - release - 8);
    const auto module = ptx::Module::parse(text);
    if (!module) throw std::runtime_error(module.error().message);
    const std::string header = "\"toolkit\": \"" + toolkit + "\", \"target\": \"" + module->target() + "\"";
    const auto json_path = folder / "gpu-traffic.json";
    if (check && read(json_path).find(header) == std::string::npos) {
        std::printf("skipped: %s is not of %s\n", json_path.c_str(), header.c_str());
        return 77;
    }
    const auto jobs = count_jobs(*module, side);
    const std::string json = json_of(jobs, header);
    const std::string page = page_of(jobs, read_resources(read(resources_path)), toolkit, module->target());
    if (check) {
        const bool same_counts = is_the_same(json, json_path);
        const bool same_page = is_the_same(page, folder / "gpu-traffic.md");
        return same_counts && same_page ? 0 : 1;
    }
    std::ofstream(json_path, std::ios::binary) << json;
    std::ofstream(folder / "gpu-traffic.md", std::ios::binary) << page;
    return 0;
}

int print_rates(const std::filesystem::path& text_path, std::int64_t rate_side) {
    const auto module = ptx::Module::parse(read(text_path));
    if (!module) throw std::runtime_error(module.error().message);
    for (const auto& [checks, name] :
         {std::pair{ptx::Checks::all, "every check"}, std::pair{ptx::Checks::bounds, "bounds and counts"}}) {
        FilterRate all{.name = "all eight"};
        const auto print = [name](const FilterRate& rate) {
            std::printf("%s, %s: %.3g lane instructions in %.2f s of a processor, %.3g a second\n", name,
                        rate.name.c_str(), rate.lane_instructions, rate.seconds,
                        rate.lane_instructions / rate.seconds);
        };
        for (const FilterRate& rate : filter_rates(*module, rate_side, checks)) {
            print(rate);
            all.seconds += rate.seconds;
            all.lane_instructions += rate.lane_instructions;
        }
        print(all);
    }
    return 0;
}

}  // namespace

}  // namespace gpu_traffic

int main(int count, char** arguments) {
    try {
        if (count == 4 && std::strcmp(arguments[2], "--rate") == 0)
            return gpu_traffic::print_rates(arguments[1], std::stol(arguments[3]));
        if (count < 4) throw std::runtime_error("needs TEXT.ptx gpu-resources.md FOLDER");
        const bool check = count == 5 && std::strcmp(arguments[4], "--check") == 0;
        return gpu_traffic::run(arguments[1], arguments[2], arguments[3], check);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "gpu_traffic: %s\n", error.what());
        return 1;
    }
}
