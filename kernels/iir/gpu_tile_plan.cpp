// SPDX-License-Identifier: MIT
#include "kernels/iir/gpu_tile_plan.h"

#include <algorithm>
#include <array>

#include "kernels/iir/border.h"
#include "kernels/iir/gpu_matrix.h"
#include "kernels/iir/gpu_tiles.h"

namespace iir2d::iir {

namespace {

// The tile for as many numbers of state: the larger, the fewer carries for each sample, and the fewer tiles
// to keep a GPU busy with. Counted at 2048 x 2048 in f32, carries are 6 to 9 percent of a copy.
struct TileSize {
    int states;
    std::int64_t width;
    std::int64_t height;
};
constexpr auto tile_sizes = std::to_array<TileSize>(
    {{1, gpu_square, gpu_square}, {2, 2 * gpu_square, 2 * gpu_square}, {4, 2 * gpu_square, 2 * gpu_square}});
// Planes of fewer samples are cut into single squares: a GPU then works on all of them at once, and a tile
// takes as long as one square.
constexpr std::int64_t most_in_squares = std::int64_t{2048} * 2048;

TileSize tile_size(int states, const Shape& shape, bool large) {
    if (!large && shape.h * shape.w <= most_in_squares) return {states, gpu_square, gpu_square};
    return *std::ranges::find(tile_sizes, states, &TileSize::states);
}

// What tiles can do: a pass forwards over each axis, and perhaps one backwards, from starts that follow from
// the first samples of a line. Axes change places then, since what an axis does is linear; but for a border
// constant, which each pass has its own of.
bool is_for_tiles(const FilterDesc& desc, const std::vector<Pass>& rows, const std::vector<Pass>& columns) {
    if (std::min(desc.shape.h, desc.shape.w) < gpu_square) return false;
    if (desc.border == Border::wrap) return false;
    if (desc.border == Border::mirror && desc.start == Start::steady) return false;
    const std::size_t count = rows.size();
    if (columns.size() != count || (count != 1 && (count != 2 || desc.border == Border::constant)))
        return false;
    const auto fits = [](const Pass& pass, bool reversed) {
        return pass.reversed == reversed && !pass.to_scratch && !pass.add_scratch;
    };
    for (std::size_t i = 0; i < count; ++i) {
        if (!fits(rows[i], i == 1) || !fits(columns[i], i == 1)) return false;
        if (rows[i].sections.size() != columns[i].sections.size()) return false;
    }
    return true;
}

std::vector<Section> steps_of(const Pass& pass, Precision precision) {
    std::vector<Section> steps;
    for (const Section& section : pass.sections) steps.push_back(stepped(section, precision));
    return steps;
}

GpuTileAxis axis_parameters(const Pass& pass, std::int64_t n, const FilterDesc& desc) {
    GpuTileAxis axis{};
    for (std::int64_t i = 0; i < 4; ++i) axis.before[i] = border_index(-1 - i, n, desc.border);
    axis.constant = pass.constant;
    for (std::size_t k = 0; k < pass.sections.size(); ++k)
        axis.sections[k] = section_parameters(pass.sections[k], desc.precision);
    return axis;
}

// Copies a matrix of the sections' states without the second number of each section, where order 1 has none.
void set_states(const Matrix& m, int order, int states, double (&to)[16]) {
    const int step = 3 - order;
    for (int i = 0; i < states; ++i)
        for (int j = 0; j < states; ++j) to[i * state_size + j] = at(m, i * step, j * step);
}

// What the sections put out at once from each number of their state.
void set_output(const std::vector<Section>& sections, int order, double (&to)[4]) {
    double factor = 1.0;
    for (std::size_t k = sections.size(); k-- > 0;) {
        to[k * static_cast<std::size_t>(order)] = factor;
        factor *= sections[k].b[0];
    }
}

std::int64_t parts(std::int64_t whole, std::int64_t part) {
    return whole / part + (whole % part != 0 ? 1 : 0);
}

// Elements of a square in shared memory.
struct Squares {
    std::int64_t of_tiles;
    std::int64_t of_carries;
};
template <class A>
Squares squares_of(int states) {
    const std::int64_t of_carries[] = {GpuTileShared<A, 1, true>::square_elements,
                                       GpuTileShared<A, 2, true>::square_elements,
                                       GpuTileShared<A, 4, true>::square_elements};
    return {GpuTileShared<A, 1, false>::square_elements, of_carries[states / 2]};
}

// Of sections 1 or 2 in each pass, so that a size of tiles is found.
GpuTiling make_tiling(const FilterDesc& desc, const Pass& rows, const Pass& columns, bool large) {
    const std::size_t sections = rows.sections.size();
    const bool second = std::ranges::any_of(rows.sections, is_second_order) ||
                        std::ranges::any_of(columns.sections, is_second_order);
    const int order = second ? 2 : 1;
    const int states = order * static_cast<int>(sections);
    const TileSize size = tile_size(states, desc.shape, large);

    GpuTiling tiling;
    tiling.reversed = rows.reversed;
    const bool single = desc.precision == Precision::f32;
    const std::string kind = std::string(name_of(desc.precision)) + "_order" + std::to_string(order) + "_x" +
                             std::to_string(sections);
    tiling.name = "iir_tiles_" + kind;
    tiling.name_of_carries = "iir_tile_carries_" + kind;
    tiling.name_of_adding =
        std::string("iir_add_carries_") + (single ? "f32" : "f64") + "_states" + std::to_string(states);
    const Squares squares = single ? squares_of<float>(states) : squares_of<double>(states);
    const auto shared_bytes = [&](std::int64_t square) {
        return static_cast<unsigned>(
            (square + states * (size.width + GpuTileShared<float, 1, true>::kept_more)) *
            static_cast<std::int64_t>(single ? sizeof(float) : sizeof(double)));
    };
    tiling.shared_bytes = shared_bytes(squares.of_tiles);
    tiling.shared_bytes_of_carries = shared_bytes(squares.of_carries);

    GpuTileGrid grid{};
    grid.width = desc.shape.w;
    grid.height = desc.shape.h;
    grid.tile_width = size.width;
    grid.tile_height = size.height;
    grid.tiles_x = parts(grid.width, grid.tile_width);
    grid.tiles_y = parts(grid.height, grid.tile_height);
    grid.row_pitch = grid.tile_height + 8;  // whole sectors of memory
    const std::int64_t planes = desc.shape.n * desc.shape.c;
    const std::int64_t element = single ? sizeof(float) : sizeof(double);
    tiling.element = static_cast<std::int64_t>(element_size(storage_type(desc.precision)));
    tiling.column_carries = planes * grid.tiles_y * (grid.tiles_x - 1) * states * grid.row_pitch * element;
    tiling.workspace_bytes =
        static_cast<std::size_t>(tiling.column_carries + planes * (grid.tiles_y - 1) * grid.tiles_x * states *
                                                             grid.tile_width * element);

    GpuTiles& tiles = tiling.tiles;
    tiles.grid = grid;
    tiles.steady = desc.start == Start::steady ? 1 : 0;
    tiles.step = rows.reversed ? -1 : 1;
    tiles.rows = axis_parameters(rows, grid.width, desc);
    tiles.columns = axis_parameters(columns, grid.height, desc);

    const std::vector<Section> row_steps = steps_of(rows, desc.precision);
    const Matrix over_row = silence(row_steps);
    const Matrix over_column = silence(steps_of(columns, desc.precision));
    tiling.rows.grid = tiling.columns.grid = grid;
    tiling.columns.columns = 1;
    tiling.rows.groups = parts(grid.tile_height + states, gpu::warp_lanes);
    tiling.columns.groups = parts(grid.tile_width, gpu::warp_lanes);
    set_states(power(over_row, grid.tile_width), order, states, tiling.rows.over_tile);
    set_states(power(over_column, grid.tile_height), order, states, tiling.columns.over_tile);
    set_output(row_steps, order, tiling.columns.output);
    for (int p = 0; p < gpu_tile_powers; ++p)
        set_states(power(over_row, std::int64_t{1} << p), order, states, tiling.columns.over_samples[p]);
    return tiling;
}

// Tells whether all samples of the planes lie in whole, aligned 16 bytes.
bool are_packed(const GpuPlanes& planes, const GpuTiles& tiles, std::int64_t element) {
    const std::int64_t count = 16 / element;
    const std::int64_t before = tiles.step < 0 ? tiles.grid.width - 1 : 0;  // samples of the row in memory
    const std::uint64_t first = planes.data - static_cast<std::uint64_t>(before * element);
    return first % 16 == 0 && tiles.grid.width % count == 0 && planes.row_stride % count == 0 &&
           planes.plane_stride % count == 0;
}

// The planes from their last samples backwards.
GpuPlanes reversed(const GpuPlanes& planes, const GpuTileGrid& grid, std::int64_t element) {
    const std::int64_t last = (grid.height - 1) * planes.row_stride + grid.width - 1;
    return {planes.data + static_cast<std::uint64_t>(last * element), -planes.row_stride,
            planes.plane_stride};
}

}  // namespace

std::vector<GpuTiling> make_gpu_tilings(const FilterDesc& desc, const std::vector<Pass>& rows,
                                        const std::vector<Pass>& columns, bool large) {
    std::vector<GpuTiling> tilings;
    if (!is_for_tiles(desc, rows, columns)) return tilings;
    for (std::size_t i = 0; i < rows.size(); ++i)
        tilings.push_back(make_tiling(desc, rows[i], columns[i], large));
    return tilings;
}

bool launch_blocks(GpuLaunch launch, std::int64_t blocks, std::int64_t& first_block,
                   const MakeGpuLaunch& make) {
    constexpr std::int64_t most_blocks = 0x7fffffff;
    for (first_block = 0; first_block < blocks; first_block += most_blocks) {
        launch.blocks = static_cast<unsigned>(std::min(blocks - first_block, most_blocks));
        if (!make(launch)) return false;
    }
    return true;
}

bool for_each_launch(const GpuTiling& tiling, std::int64_t planes, const GpuPlanes& x, const GpuPlanes& y,
                     std::uint64_t workspace, const MakeGpuLaunch& launch) {
    GpuTiles tiles = tiling.tiles;
    GpuTileGrid& grid = tiles.grid;
    tiles.in = tiling.reversed ? reversed(x, grid, tiling.element) : x;
    tiles.out = tiling.reversed ? reversed(y, grid, tiling.element) : y;
    tiles.packed = are_packed(tiles.in, tiles, tiling.element) ? 1 : 0;
    grid.row_carries = workspace;
    grid.column_carries = workspace + static_cast<std::uint64_t>(tiling.column_carries);
    const auto add = [&](GpuCarries carries, std::int64_t across) {
        carries.grid = grid;
        const GpuLaunch one{.kernel = tiling.name_of_adding.c_str(),
                            .blocks = 0,
                            .threads = gpu::warp_lanes,
                            .shared_bytes = 0,
                            .parameters = &carries};
        return launch_blocks(one, planes * across * carries.groups, carries.first_block, launch);
    };
    const std::int64_t blocks = planes * grid.tiles_x * grid.tiles_y;
    tiles.blocks = blocks;
    if (grid.tiles_x > 1 || grid.tiles_y > 1) {
        const GpuLaunch carries{.kernel = tiling.name_of_carries.c_str(),
                                .blocks = 0,
                                .threads = (gpu_square_warps + 1) * gpu::warp_lanes,
                                .shared_bytes = tiling.shared_bytes_of_carries,
                                .parameters = &tiles};
        if (!launch_blocks(carries, blocks, tiles.first_block, launch)) return false;
    }
    // What the first tile leaves is whole already, but for columns, to which the rows' states add.
    if (grid.tiles_x > 2 && !add(tiling.rows, grid.tiles_y)) return false;
    if ((grid.tiles_y > 2 || (grid.tiles_y > 1 && grid.tiles_x > 1)) && !add(tiling.columns, grid.tiles_x))
        return false;
    const GpuLaunch write{.kernel = tiling.name.c_str(),
                          .blocks = 0,
                          .threads = gpu_square_warps * gpu::warp_lanes,
                          .shared_bytes = tiling.shared_bytes,
                          .parameters = &tiles};
    return launch_blocks(write, blocks, tiles.first_block, launch);
}

}  // namespace iir2d::iir
