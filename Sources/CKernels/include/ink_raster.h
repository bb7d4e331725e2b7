// The rasterizer's inner loops. Positions are output pixels; a plane holds one number for each pixel of a cell.
#ifndef INK_RASTER_H
#define INK_RASTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ink_blend.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    /// Columns on both sides of a plane's rows that kernels may read and write; what is there means nothing.
    INK_PLANE_MARGIN = 32,
    /// The size of the blocks in which a plane remembers what was drawn, pixels.
    INK_BLOCK_WIDTH = 32,
    INK_BLOCK_HEIGHT = 8,
    /// How far from its centre a stamp of bars may reach either way, pixels.
    INK_BARS_REACH_MAX = 1000,
    /// The most rows of all lines of a stamp of which a table of lines tells what they cover, and values in such a table.
    INK_LINE_ROWS_MAX = 1024,
    INK_LINE_TABLE_COUNT = 2048 + 32,
    /// The fewest and the most phases in a table of waves, and the most slices of a pixel.
    INK_WAVE_PHASES_MIN = 64,
    INK_WAVE_PHASES_MAX = 256,
    INK_WAVE_SLICES_MAX = 32,
    /// Edges that are drawn together.
    INK_CHAIN_LANES = 16,
    /// Bytes of a row of marks, each for sixteen pixels: a cell has 2,048 columns at most.
    INK_MARKS_STRIDE = 128,
    /// How far a line of contour lines reaches, pixels, that is drawn together with the others of its stamp.
    INK_CONTOUR_REACH_MAX = INK_PLANE_MARGIN - 2,
    /// Lines in a row of pixels on which parts are joined.
    INK_PART_LINES = 64,
    /// Lines on which parts are joined together; also rows of pixels.
    INK_PART_LANES = 16,
};

/// What strokes leave of each pixel of a cell, 65,535 where nothing was drawn, with `INK_PLANE_MARGIN` more on both sides
/// of each row.
struct ink_kept {
    /// The cell's first pixel.
    uint16_t *_Nonnull values;
    /// Elements from a row to the next.
    ptrdiff_t stride;
    /// The cell, output pixels.
    int32_t left, top, width, height;
    /// For each row of blocks, a bit for each block in which anything may have been drawn.
    uint64_t *_Nonnull drawn;
};

/// A number for each pixel of a cell, with the same margins.
struct ink_plane {
    /// The cell's first pixel.
    float *_Nonnull values;
    /// Elements from a row to the next.
    ptrdiff_t stride;
    /// The cell, output pixels.
    int32_t left, top, width, height;
};

/// Rows and columns of a plane, counted from the cell's first; the last ones are not inside.
struct ink_box {
    int32_t left, top, right, bottom;
};

/// Changes of the covered area from pixel to pixel of a row, 1/65,536 pixel, over a cell: with margins as a plane's, and
/// a row more above and below.
struct ink_deltas {
    int32_t *_Nonnull values;
    int32_t stride;
    /// The cell, output pixels.
    int32_t left, top, width, height;
    /// `INK_MARKS_STRIDE` for each row and for one more above and below: 1 for each sixteen pixels that an edge of a polygon
    /// passes, else 0. Chains and parts are not marked.
    uint8_t *_Nonnull marks;
};

/// Points, none further than a pixel from the next one either way, in `INK_CHAIN_LANES` parts of an equal number of edges:
/// neighbours on the outline had better lie apart, because what the one adds to a pixel must be in place before the next is
/// added. Each part begins where the one before it ends; the last point may be repeated to fill up the last ones.
struct ink_chain {
    /// Columns and rows, pixels: the first point of each part, then the second one of each, and so on.
    const float *_Nonnull x, *_Nonnull y;
    /// Edges in a part, one less than its points.
    int32_t part_length;
};

/// A place in the output, pixels.
struct ink_point {
    double x, y;
};

/// A disc of a part, output pixels from the part's origin: an ellipse, since the scales of an export differ by rounding.
struct ink_part_disc {
    float x, y, radius_x, per_radius_y;
};

/// An edge of a part, output pixels from the part's origin: from (x, top) down.
struct ink_part_edge {
    float x, top, bottom, slope;
};

/// A convex part: what lies between the outermost of some discs and edges on every line.
struct ink_part {
    /// A whole pixel of the output near the part, or near the picture.
    int32_t origin_x, origin_y;
    /// What it reaches at most, from there.
    float top, bottom;
    int32_t first_disc, disc_count, first_edge, edge_count;
};

/// An interval of a line, for scratch memory.
struct ink_interval {
    int32_t start, end;
};

/// Memory for `add_parts`; what it holds means nothing before and after.
struct ink_part_scratch {
    /// For each of `INK_PART_LANES` lines some; where more are needed they are taken from the heap.
    struct ink_interval *_Nonnull intervals;
    ptrdiff_t interval_count;
    /// Two for each part.
    int32_t *_Nonnull indices;
    /// Asked now and then, with `context`, whether what is added is of no use any more.
    bool (*_Nonnull is_cancelled)(const void *_Nullable context);
    const void *_Nullable context;
};

/// What a disc covers of the pixels round it, 1/65,535, for each phase of its centre's position in its pixel.
struct ink_disc_table {
    /// Rows of `lanes` pixels for each phase, 2^phase_bits + 1 phases, both ends of a pixel included, along x for each
    /// along y.
    const uint16_t *_Nonnull values;
    /// The same of a disc that is a little larger; null: not needed.
    const uint16_t *_Nullable larger;
    /// How far this disc's size is on the way to the larger one's, 1/65,536.
    uint16_t larger_share;
    int32_t phase_bits;
    /// Pixels before the one that holds the centre, either way.
    int32_t reach;
    int32_t rows;
    /// A multiple of 8.
    int32_t lanes;
};

/// Centres of discs: from -reach to reach steps in two directions from x, y, output pixels.
struct ink_disc_grid {
    double x, y, along_x, along_y, across_x, across_y;
    int32_t reach;
};

/// Signed distance from a line, n . p, in units in which the larger component of n is 1 or -1.
struct ink_normal {
    double x, y;
};

/// Equal bars side by side: parallelograms between two lines each of two directions, the middle one round the stamp's
/// centre.
struct ink_bars {
    /// Across the bars, half their width, and from the middle of a bar to the next one's; a single bar needs a period that
    /// is larger than what it covers.
    struct ink_normal across;
    double half_width, period;
    /// Along the bars, and half their length.
    struct ink_normal along;
    double half_length;
    /// An odd number.
    int32_t count;
    /// Whether a pixel may meet both sides of a bar and an end; of both directions of crossing bars or of neither.
    bool is_thin;
};

/// What a line covers of neighbouring pixels of a row, by the place of its border in front of the first one, where no end is
/// near. The lowest bit of a value says whether less is covered of pixels further on.
struct ink_line_table {
    const uint16_t *_Nonnull values;
    /// How many pixels, all that a line meets in a row: 8, 16 or 32.
    int32_t width;
};

/// Equal waves side by side, seven of them, the middle one through the stamp's centre.
struct ink_waves {
    /// Across the lines, and from one to the next by that measure.
    struct ink_normal across;
    double period;
    /// Along the lines, and from a row of the table to the next.
    struct ink_normal along;
    double row;
    /// How far from the centre the outermost lines reach across, and all along.
    double side, end;
};

/// What a line covers of a straight line across all, 1/65,536 period: an interval round its middle.
struct ink_wave_section {
    uint16_t middle, width;
};

/// A part of a pixel between two straight lines across the waves: an interval likewise.
struct ink_wave_slice {
    uint16_t middle, width;
    /// How much of the way to the next slice it is thick, 1/65,535.
    uint16_t share;
};

/// What waves cover of a pixel at each distance along them from the stamp's centre on and each phase between two lines.
///
/// A row is 2^(phase_bits + 1) entries. Each holds what is covered there, 1/32,768 beyond 16,384, and above that by how much
/// more it is at each 1/128 of the way to the next phase and of that to the next row, signed bytes. First come the phases
/// of a period with lines on both sides. Where lines are so close that a pixel beyond the outermost one would meet a
/// neighbour that there is not, tails follow: `tail_count` phases from `tail_start` phases above the uppermost line on,
/// from two past the period on; and the same up to that below the lowermost line, from half a period later on.
struct ink_wave_table {
    const uint32_t *_Nonnull entries;
    int32_t phase_bits;
    /// The last one is 0.
    int32_t rows;
    int32_t tail_start, tail_count;
};

/// A stamp's centre, output pixels, and its alpha.
struct ink_place {
    double x, y;
    float alpha;
};

/// From where on, or up to where, the lines of a stamp of contour lines go: i spacings times `size` from x, y in the direction
/// of a unit vector, for i from -3 to 3. Canvas pixels.
struct ink_contour_end {
    double x, y, across_x, across_y, size;
};

/// A stamp of contour lines: seven lines with butt caps. Canvas pixels, which `scale` makes output pixels.
struct ink_contour {
    struct ink_contour_end start, end;
    double spacing, width;
    /// How far apart lines have to be for no output pixel to meet two of them.
    double gap;
    double scale_x, scale_y;
};

struct ink_raster {
    /// Multiplies the plane by 1 - alpha * coverage for each of some stamps in turn, and remembers where. A stamp is the
    /// union of the bars of one or two directions, no longer than `INK_BARS_REACH_MAX` either way from its centre, of
    /// each of which no pixel meets two.
    void (*_Nonnull multiply_bars)(
        struct ink_kept plane, const struct ink_bars *_Nonnull bars, int32_t directions,
        const struct ink_place *_Nonnull places, ptrdiff_t count);
    /// Works out a table for chunks of `width` pixels.
    void (*_Nonnull line_table)(uint16_t *_Nonnull values, const struct ink_bars *_Nonnull bars, int32_t width);
    /// Does what `multiply_bars` does line by line, for bars that have no more than `INK_LINE_ROWS_MAX` rows in each direction.
    /// Where there are two, no pixel meets an end and a side of a bar of the other one (a few may meet two ends, whose corner is
    /// then off by up to 0.045); `aside` is the first pixel of a plane like the other one, 0 before and after. For one direction
    /// it is not used.
    void (*_Nonnull multiply_lines)(
        struct ink_kept plane, uint16_t *_Nullable aside, const struct ink_bars *_Nonnull bars,
        const struct ink_line_table *_Nonnull tables, int32_t directions, const struct ink_place *_Nonnull places,
        ptrdiff_t count);
    /// Works out the entries of a table of waves. `slices`: one for each section around a pixel's middle, an odd number.
    /// `sections`: at the first row's distance, and from one before it to two behind the last row at those of all slices
    /// around them and of 16 more; no section and slice together fill a period.
    void (*_Nonnull wave_table)(
        const struct ink_wave_table *_Nonnull table, uint32_t *_Nonnull entries,
        const struct ink_wave_section *_Nonnull sections, const struct ink_wave_slice *_Nonnull slices,
        int32_t slice_count);
    /// Multiplies the plane by 1 - alpha * coverage for each of some stamps in turn, and remembers where.
    void (*_Nonnull multiply_waves)(
        struct ink_kept plane, const struct ink_waves *_Nonnull waves, const struct ink_wave_table *_Nonnull table,
        const struct ink_place *_Nonnull places, ptrdiff_t count);
    /// Multiplies the plane by 1 - alpha * covered inside the box, columns rounded outwards to whole vectors, and sets
    /// `covered` to 0 there.
    void (*_Nonnull multiply_covered)(
        struct ink_kept plane, struct ink_plane covered, const struct ink_box *_Nonnull box, float alpha);
    /// Multiplies the plane by exp(-depth) likewise, and sets `depth` to 0.
    void (*_Nonnull multiply_depth)(
        struct ink_kept plane, struct ink_plane depth, const struct ink_box *_Nonnull box);
    /// Puts ink of one opaque colour (red, green, blue, 1/65,535) onto the layer's pixels in the box, which leaves of them
    /// what the plane says, and sets the plane to 65,535 there. `rounding` is what is added to products before they are cut
    /// off: 32,768 rounds to the nearest. What is left up to `nothing` is taken for none.
    void (*_Nonnull paint)(
        struct ink_kept plane, const struct ink_box *_Nonnull box, const struct ink_shares *_Nonnull layer,
        const uint16_t *_Nonnull color, uint16_t rounding, uint16_t nothing);
    /// Leaves of the layer's pixels in the box what the plane says likewise, and sets the plane to 65,535 there.
    void (*_Nonnull erase)(
        struct ink_kept plane, const struct ink_box *_Nonnull box, const struct ink_shares *_Nonnull layer,
        uint16_t rounding, uint16_t nothing);
    /// Adds the areas under a chain's edges, the chain made smaller by `factor`, 0...1, and put at each of some places.
    void (*_Nonnull add_chain)(
        struct ink_deltas target, const struct ink_chain *_Nonnull chain, float factor,
        const struct ink_point *_Nonnull places, ptrdiff_t count);
    /// Adds the areas of polygons, which may lie over each other and are marked: corners, x and y each, output pixels, one
    /// polygon after the other, and how many corners each has. Those that turn the other way take their area away.
    void (*_Nonnull add_polygons)(
        struct ink_deltas target, const double *_Nonnull corners, const int32_t *_Nonnull counts, ptrdiff_t polygons);
    /// Multiplies the plane by 1 - alpha * coverage in rows from `top` up to `bottom`, which hold all that was marked, and
    /// remembers where. The running sums of `deltas` are the coverage; both they and the marks are set to 0.
    void (*_Nonnull multiply_marked)(
        struct ink_kept plane, struct ink_deltas deltas, int32_t top, int32_t bottom, float alpha);
    /// Adds `weight` times the coverage to a plane likewise.
    void (*_Nonnull add_marked)(
        struct ink_plane plane, struct ink_deltas deltas, int32_t top, int32_t bottom, float weight);
    /// Multiplies the plane by 1 - alpha * coverage for a stamp of contour lines, and remembers where; `covered` is clean
    /// before and after, but for its margins. False if nothing was done, which does not depend on the cell: where a line
    /// lies over one that is not its neighbour, or where lines are longer than `INK_CONTOUR_REACH_MAX` or have no length.
    bool (*_Nonnull multiply_contour)(
        struct ink_kept plane, struct ink_plane covered, const struct ink_contour *_Nonnull contour, float alpha);
    /// Adds `weight` times the coverage to `covered` likewise, and remembers in `plane` where.
    bool (*_Nonnull add_contour)(
        struct ink_kept plane, struct ink_plane covered, const struct ink_contour *_Nonnull contour, float weight);
    /// Multiplies the plane by 1 - alpha * coverage inside the box, columns rounded outwards to whole vectors, where the
    /// running sums of `deltas` are the coverage; and sets `deltas` to 0 there. The box holds all that was added.
    void (*_Nonnull multiply_deltas)(
        struct ink_kept plane, struct ink_deltas deltas, const struct ink_box *_Nonnull box, float alpha);
    /// Adds `weight` times the coverage to a plane likewise.
    void (*_Nonnull add_deltas)(
        struct ink_plane plane, struct ink_deltas deltas, const struct ink_box *_Nonnull box, float weight);
    /// Adds what the union of the parts at `count` indices covers of some rows, at most `INK_PART_LANES`, the first one counted
    /// from the cell's.
    void (*_Nonnull add_parts)(
        struct ink_deltas target, int32_t row, int32_t row_count, const struct ink_part *_Nonnull parts,
        const struct ink_part_disc *_Nonnull discs, const struct ink_part_edge *_Nonnull edges,
        const int32_t *_Nonnull indices, ptrdiff_t count, struct ink_part_scratch scratch);
    /// Multiplies the plane by 1 - alpha * coverage for each disc; no pixel meets two of them.
    void (*_Nonnull multiply_discs)(
        struct ink_kept plane, const struct ink_disc_table *_Nonnull table, const struct ink_disc_grid *_Nonnull grid,
        float alpha);
    /// Adds the coverage of each disc.
    void (*_Nonnull add_discs)(
        struct ink_plane plane, const struct ink_disc_table *_Nonnull table, const struct ink_disc_grid *_Nonnull grid);
};

/// The kernels of a level that this processor runs.
const struct ink_raster *_Nonnull ink_raster_kernels(enum ink_level level);

/// Lets results too small for a normal number become 0 on this thread, and returns what to restore: products of many
/// small factors would otherwise be computed many times more slowly, for differences that no picture shows.
uint32_t ink_denormals_off(void);
void ink_denormals_restore(uint32_t state);

#ifdef __cplusplus
}
#endif

#endif
