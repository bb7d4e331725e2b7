// The rasterizer's inner loops. Positions are in output pixels; a plane holds one number for each pixel of a cell.
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
    /// Columns on both sides of a plane's rows that kernels may read and write. Their contents are undefined.
    INK_PLANE_MARGIN = 32,
    /// Size in pixels of the blocks for which a plane records whether anything was drawn.
    INK_BLOCK_WIDTH = 32,
    INK_BLOCK_HEIGHT = 8,
    /// Maximum distance that a stamp of bars reaches from its centre in either direction, pixels.
    INK_BARS_REACH_MAX = 1000,
    /// Maximum number of rows of all lines of a stamp for which a line table gives the coverage; also the number of
    /// values in the table.
    INK_LINE_ROWS_MAX = 1024,
    INK_LINE_TABLE_COUNT = 2048 + 32,
    /// Maximum number of lines in each direction of a stamp that is drawn line by line.
    INK_LINE_COUNT_MAX = 8,
    /// Minimum and maximum number of phases in a table of waves, and maximum number of slices of a pixel.
    INK_WAVE_PHASES_MIN = 64,
    INK_WAVE_PHASES_MAX = 256,
    INK_WAVE_SLICES_MAX = 32,
    /// Number of edges that are drawn together.
    INK_CHAIN_LANES = 16,
    /// Bytes in a row of marks. Each byte stands for sixteen pixels; a cell has at most 2,048 columns.
    INK_MARKS_STRIDE = 128,
    /// Sample lines per row of pixels for the union of parts.
    INK_PART_LINES = 64,
    /// Sample lines that are processed together; also rows of pixels.
    INK_PART_LANES = 16,
    /// Width and height of the groups of pixels for which it is recorded whether a footprint is there.
    INK_GROUP_SIZE = 16,
    INK_MOTIF_CORNERS_MAX = 1024,
    /// Size of the blocks of pixels for which the segments near contour lines are collected.
    INK_CONTOUR_BLOCK = 112,
    /// Ranges of segments begin at multiples of this number.
    INK_CONTOUR_RUN = 32,
    INK_CONTOUR_SCRATCH = 3 * 14 + 1,
    INK_MIXED_SCRATCH = 6 + INK_GROUP_SIZE / 2,
};

/// What strokes leave of each pixel of a cell (transmittance): 65,535 where nothing was drawn. Each row has
/// `INK_PLANE_MARGIN` more elements on both sides.
struct ink_kept {
    /// The cell's first pixel.
    uint16_t *_Nonnull values;
    /// Elements from one row to the next.
    ptrdiff_t stride;
    /// The cell, in output pixels.
    int32_t left, top, width, height;
    /// For each row of blocks, one bit for each block in which anything may have been drawn.
    uint64_t *_Nonnull drawn;
};

/// One number for each pixel of a cell, with the same margins.
struct ink_plane {
    /// The cell's first pixel.
    float *_Nonnull values;
    /// Elements from one row to the next.
    ptrdiff_t stride;
    /// The cell, in output pixels.
    int32_t left, top, width, height;
};

/// Rows and columns of a plane, counted from the cell's first. The ends are exclusive.
struct ink_box {
    int32_t left, top, right, bottom;
};

/// Changes of the covered area from pixel to pixel along a row of a cell, in 1/65,536 pixel. Margins are as in a plane,
/// plus one row above and below.
struct ink_deltas {
    int32_t *_Nonnull values;
    int32_t stride;
    /// The cell, in output pixels.
    int32_t left, top, width, height;
    /// `INK_MARKS_STRIDE` bytes for each row, and for one more above and below: 1 for each sixteen pixels that an edge
    /// of a polygon passes, else 0. Chains and parts are not marked.
    uint8_t *_Nonnull marks;
};

/// Points, each at most a pixel from the next in either direction, in `INK_CHAIN_LANES` parts with an equal number of
/// edges. Neighbours on the outline are in different steps, because the contribution of one to a pixel must be stored
/// before the next is added. Each part begins where the previous one ends. The last point may be repeated to fill up
/// the last parts.
struct ink_chain {
    /// Columns and rows, in pixels: the first point of each part, then the second point of each, and so on.
    const float *_Nonnull x, *_Nonnull y;
    /// Edges in a part: its points minus one.
    int32_t part_length;
};

/// A position in the output, in pixels.
struct ink_point {
    double x, y;
};

/// A disc of a part, in output pixels from the part's origin. It is an ellipse, because the horizontal and vertical
/// scales of an export may differ by rounding.
struct ink_part_disc {
    float x, y, radius_x, per_radius_y;
};

/// An edge of a part, in output pixels from the part's origin, from (x, top) downwards.
struct ink_part_edge {
    float x, top, bottom, slope;
};

/// A convex part: on every line, the interval between the outermost of its discs and edges.
struct ink_part {
    /// A whole pixel of the output near the part, or near the picture.
    int32_t origin_x, origin_y;
    /// Bounds of its vertical extent, relative to the origin.
    float top, bottom;
    int32_t first_disc, disc_count, first_edge, edge_count;
};

/// Parts, with their discs and edges.
struct ink_part_list {
    const struct ink_part *_Nonnull parts;
    const struct ink_part_disc *_Nonnull discs;
    const struct ink_part_edge *_Nonnull edges;
    ptrdiff_t count;
};

/// An interval on a line, for scratch memory.
struct ink_interval {
    int32_t start, end;
};

/// Scratch memory for `add_parts`. Its contents are undefined before and after.
struct ink_part_scratch {
    /// Room for some intervals for each of `INK_PART_LANES` lines. If more are needed, the heap is used.
    struct ink_interval *_Nonnull intervals;
    ptrdiff_t interval_count;
    /// Two for each part.
    int32_t *_Nonnull indices;
    /// Called now and then, with `context`: whether the result is no longer needed.
    bool (*_Nonnull is_cancelled)(const void *_Nullable context);
    const void *_Nullable context;
};

/// Coverage of the pixels round a disc, in 1/65,535, for each phase of the position of its centre within a pixel.
struct ink_disc_table {
    /// For each phase, rows of `lanes` pixels. There are 2^phase_bits + 1 phases along x, including both ends of the
    /// pixel, for each phase along y.
    const uint16_t *_Nonnull values;
    /// The same for a slightly larger disc; null if not needed.
    const uint16_t *_Nullable larger;
    /// Position of this disc's size between the two, as a fraction of 65,536.
    uint16_t larger_share;
    int32_t phase_bits;
    /// Number of pixels before the one that holds the centre, in either direction.
    int32_t reach;
    int32_t rows;
    /// A multiple of 8.
    int32_t lanes;
};

/// Centres of discs: -reach to reach steps in each of two directions from x, y, in output pixels.
struct ink_disc_grid {
    double x, y, along_x, along_y, across_x, across_y;
    int32_t reach;
};

/// Signed distance from a line, n . p. The unit is such that the larger component of n is 1 or -1.
struct ink_normal {
    double x, y;
};

/// Equal parallel bars at equal distances. Each is a parallelogram between two lines of each of two directions. The
/// middle bar is round the stamp's centre.
struct ink_bars {
    /// The normal across the bars, half their width, and the distance from the middle of one bar to the next. A single
    /// bar needs a period larger than its coverage.
    struct ink_normal across;
    double half_width, period;
    /// The normal along the bars, and half their length.
    struct ink_normal along;
    double half_length;
    /// Odd.
    int32_t count;
    /// Whether a pixel may meet both sides of a bar and an end. For crossing bars: in both directions or in neither.
    bool is_thin;
};

/// Coverage by a line of neighbouring pixels of a row, indexed by the position of its border before the first pixel.
/// Valid where no end is near. The lowest bit of a value tells whether coverage decreases at the next pixels.
struct ink_line_table {
    const uint16_t *_Nonnull values;
    /// Number of pixels, which includes all that a line meets in a row: 8, 16 or 32.
    int32_t width;
};

/// Seven equal parallel waves; the middle one passes through the stamp's centre.
struct ink_waves {
    /// The normal across the lines, and the distance from one line to the next along it.
    struct ink_normal across;
    double period;
    /// The normal along the lines, and the distance from one row of the table to the next.
    struct ink_normal along;
    double row;
    /// How far the outermost lines reach from the centre across, and how far all lines reach along.
    double side, end;
};

/// Intersection of a wave with a straight line across all waves: an interval given by its middle and width, in 1/65,536
/// period.
struct ink_wave_section {
    uint16_t middle, width;
};

/// The part of a pixel between two straight lines across the waves: an interval of the same kind.
struct ink_wave_slice {
    uint16_t middle, width;
    /// The slice's thickness as a fraction of the distance to the next slice, in 1/65,535.
    uint16_t share;
};

/// Coverage of a pixel by waves, for each distance along them from the stamp's centre and each phase between two lines.
///
/// A row has 2^(phase_bits + 1) entries. The lower half of an entry is the coverage in 1/32,768, plus 16,384. The upper
/// half holds two signed bytes: the increase per 1/128 of the step to the next phase, and per 1/128 of the step to the
/// next row. First come the 2^phase_bits phases of a period with lines on both sides. If lines are so close that a pixel
/// beyond the outermost line would meet a neighbour that does not exist, two tails follow. The upper one begins two
/// entries after the period. It holds `tail_count` phases, of which the first is `tail_start` phases above the uppermost
/// line. The lower one begins half a period after the period. It holds as many phases, of which the last is `tail_start`
/// phases below the lowermost line.
struct ink_wave_table {
    const uint32_t *_Nonnull entries;
    int32_t phase_bits;
    /// The last one is 0.
    int32_t rows;
    int32_t tail_start, tail_count;
};

/// A stamp's centre, in output pixels, and its alpha.
struct ink_place {
    double x, y;
    float alpha;
};

/// Contour lines along a polyline, or its alpha, by the nearest place. Lengths are output pixels unless stated otherwise.
struct ink_contour {
    /// The polyline's vertices, at least one: x and y in canvas pixels, pressure, and a number that is not used.
    const double *_Nonnull samples;
    ptrdiff_t sample_count;
    /// Whether it ends where it began, and has no ends; if not, whether the ends cut lines off.
    bool is_closed, cuts_ends;
    /// Output pixels in a canvas pixel, and the size of a pixel in these units, almost 1.
    double scale, pixel_x, pixel_y;
    /// Size and alpha without pressure, and what full pressure adds; and whether either differs along the line.
    double size_least, size_more, alpha_least, alpha_more;
    bool varies;
    /// The distance between lines, half of their width, and the number of the outermost, where the size is 1. Lines do not
    /// overlap.
    float spacing, half_width;
    int32_t outermost;
    /// How far from the line anything is drawn.
    float reach;
};

/// A pattern that repeats at the points of a lattice, as polygons that do not overlap. Output pixels.
struct ink_motif {
    /// A point of the lattice, and the steps from one to the next in either direction.
    double x, y, along_x, along_y, across_x, across_y;
    /// The steps of either direction that a column and a row make.
    double columns_along, rows_along, columns_across, rows_across;
    /// What the parts take up, counted from their point of the lattice: in steps, and in pixels.
    double least_along, most_along, least_across, most_across;
    double left, top, right, bottom;
    /// The corners of each part, x and y, counted from a point of the lattice; the number of corners of each part, at most
    /// `INK_MOTIF_CORNERS_MAX`; and its left, top, right and bottom.
    const double *_Nonnull corners;
    const int32_t *_Nonnull counts;
    const double *_Nonnull bounds;
    ptrdiff_t part_count;
};

/// What a motif covers of a pixel, by where the pixel's middle lies between points of the lattice: `along` columns and
/// `across` rows for one step each, and one more of either that equals the first.
struct ink_motif_table {
    const float *_Nonnull values;
    int32_t along, across;
};

/// A pixel, counted from the cell's first.
struct ink_pixel {
    uint16_t column, row;
};

struct ink_raster {
    /// Multiplies the plane by 1 - alpha * coverage for each of the stamps in turn, and records the blocks drawn. A
    /// stamp is the union of the bars of one or two directions. It reaches at most `INK_BARS_REACH_MAX` from its centre
    /// in either direction, and no pixel meets two bars of the same direction.
    void (*_Nonnull multiply_bars)(
        struct ink_kept plane, const struct ink_bars *_Nonnull bars, int32_t directions,
        const struct ink_place *_Nonnull places, ptrdiff_t count);
    /// Computes a table for chunks of `width` pixels.
    void (*_Nonnull line_table)(uint16_t *_Nonnull values, const struct ink_bars *_Nonnull bars, int32_t width);
    /// Does the same as `multiply_bars`, line by line, for at most `INK_LINE_COUNT_MAX` bars with at most
    /// `INK_LINE_ROWS_MAX` rows in each direction. With two directions, no pixel may meet an end of a bar and a side of a bar of the other direction. (A
    /// few pixels may meet two ends; their coverage is then off by up to 0.045.) `aside` is the first pixel of another
    /// plane of the same layout, 0 before and after; it is unused for one direction.
    void (*_Nonnull multiply_lines)(
        struct ink_kept plane, uint16_t *_Nullable aside, const struct ink_bars *_Nonnull bars,
        const struct ink_line_table *_Nonnull tables, int32_t directions, const struct ink_place *_Nonnull places,
        ptrdiff_t count);
    /// Computes the entries of a table of waves. `slices`: one for each section around a pixel's centre, an odd number.
    /// `sections`: at the distance of the first row; then, from one row before it to two rows after the last, at the
    /// distances of all slices around them, plus 16 more. A section and a slice together must not fill a period.
    void (*_Nonnull wave_table)(
        const struct ink_wave_table *_Nonnull table, uint32_t *_Nonnull entries,
        const struct ink_wave_section *_Nonnull sections, const struct ink_wave_slice *_Nonnull slices,
        int32_t slice_count);
    /// Multiplies the plane by 1 - alpha * coverage for each of the stamps in turn, and records the blocks drawn.
    void (*_Nonnull multiply_waves)(
        struct ink_kept plane, const struct ink_waves *_Nonnull waves, const struct ink_wave_table *_Nonnull table,
        const struct ink_place *_Nonnull places, ptrdiff_t count);
    /// Multiplies the plane by 1 - alpha * covered inside the box, with columns rounded outwards to whole vectors, and
    /// sets `covered` to 0 there.
    void (*_Nonnull multiply_covered)(
        struct ink_kept plane, struct ink_plane covered, const struct ink_box *_Nonnull box, float alpha);
    /// Likewise multiplies the plane by exp(-depth), and sets `depth` to 0.
    void (*_Nonnull multiply_depth)(
        struct ink_kept plane, struct ink_plane depth, const struct ink_box *_Nonnull box);
    /// Paints one opaque colour (red, green, blue, in 1/65,535) onto the layer's pixels in the box. The plane gives the
    /// transmittance, and is then set to 65,535. `rounding` is added to products before truncation; 32,768 rounds to
    /// the nearest. Transmittance that may be what rounding leaves under an opaque stamp counts as 0.
    void (*_Nonnull paint)(
        struct ink_kept plane, const struct ink_box *_Nonnull box, const struct ink_shares *_Nonnull layer,
        const uint16_t *_Nonnull color, uint16_t rounding);
    /// Likewise multiplies the layer's pixels in the box by the plane, and sets the plane to 65,535.
    void (*_Nonnull erase)(
        struct ink_kept plane, const struct ink_box *_Nonnull box, const struct ink_shares *_Nonnull layer,
        uint16_t rounding);
    /// Adds the areas under a chain's edges. The chain is scaled by `factor`, 0...1, and placed at each of several
    /// positions.
    void (*_Nonnull add_chain)(
        struct ink_deltas target, const struct ink_chain *_Nonnull chain, float factor,
        const struct ink_point *_Nonnull places, ptrdiff_t count);
    /// Adds and marks the areas of polygons, which may overlap: all corners (x and y, output pixels), one polygon after
    /// the other, and the number of corners of each. Polygons of the opposite orientation subtract their area.
    void (*_Nonnull add_polygons)(
        struct ink_deltas target, const double *_Nonnull corners, const int32_t *_Nonnull counts, ptrdiff_t polygons);
    /// Multiplies the plane by 1 - alpha * coverage in the rows from `top` up to `bottom`, which contain all marks, and
    /// records the blocks drawn. The running sums of `deltas` are the coverage. Sets deltas and marks to 0.
    void (*_Nonnull multiply_marked)(
        struct ink_kept plane, struct ink_deltas deltas, int32_t top, int32_t bottom, float alpha);
    /// Likewise adds `weight` times the coverage to a plane.
    void (*_Nonnull add_marked)(
        struct ink_plane plane, struct ink_deltas deltas, int32_t top, int32_t bottom, float weight);
    /// Multiplies the plane by 1 - alpha * coverage, and records the blocks drawn, in those pixels of a block of
    /// `INK_CONTOUR_BLOCK` pixels from x, y that lie in the plane; x and y must be multiples of that. The lines are those along
    /// the segments of some ranges (first and end), which must include all that are nearest to a point of the block and no
    /// further from it than the reach. If there is a `shape`, of which another plane of the same cell
    /// holds what it leaves, that is drawn in their place. `scratch` has room for `INK_CONTOUR_SCRATCH` times `room` numbers; `room` is a multiple of 8
    /// that is above the number of segments.
    void (*_Nonnull multiply_contour)(
        struct ink_kept plane, const struct ink_kept *_Nullable shape, const struct ink_contour *_Nonnull contour,
        const int32_t *_Nonnull ranges, ptrdiff_t range_count, int32_t x, int32_t y, float *_Nonnull scratch,
        ptrdiff_t room);
    /// Multiplies the plane by 1 - alpha * coverage inside the box, with columns rounded outwards to whole vectors, and
    /// sets `deltas` to 0 there. The running sums of `deltas` are the coverage. The box must contain everything that
    /// was added.
    void (*_Nonnull multiply_deltas)(
        struct ink_kept plane, struct ink_deltas deltas, const struct ink_box *_Nonnull box, float alpha);
    /// Likewise adds `weight` times the coverage to a plane.
    void (*_Nonnull add_deltas)(
        struct ink_plane plane, struct ink_deltas deltas, const struct ink_box *_Nonnull box, float weight);
    /// Like `add_marked` with weight 1, and sets the byte of each group of pixels where anything is: a row of
    /// `INK_MARKS_STRIDE` bytes for `INK_GROUP_SIZE` rows of pixels.
    void (*_Nonnull add_footprint)(
        struct ink_plane plane, struct ink_deltas deltas, int32_t top, int32_t bottom, uint8_t *_Nonnull groups);
    /// Adds the areas of those copies of a motif that may meet groups whose byte is set. `chain` is its outline. `bands`
    /// holds the first column and the end for each row of groups, and is widened to what was drawn.
    void (*_Nonnull add_motif)(
        struct ink_deltas target, const struct ink_chain *_Nonnull chain, const struct ink_motif *_Nonnull motif,
        const uint8_t *_Nonnull groups, int32_t *_Nonnull bands);
    /// Multiplies a footprint's coverage in the box by the running sums of `deltas`, which become 0. Returns the number of
    /// pixels, stored in `mixed`, that footprint and pattern both cover in part, so that the product is not exact.
    ptrdiff_t (*_Nonnull mix_deltas)(
        struct ink_plane footprint, struct ink_deltas deltas, const struct ink_box *_Nonnull box,
        struct ink_pixel *_Nonnull mixed);
    /// Likewise multiplies by the values of a table.
    ptrdiff_t (*_Nonnull mix_table)(
        struct ink_plane footprint, const struct ink_motif *_Nonnull motif,
        const struct ink_motif_table *_Nonnull table, const struct ink_box *_Nonnull box,
        struct ink_pixel *_Nonnull mixed);
    /// The area that a motif covers of each of some squares of one pixel, whose left upper corners are given.
    void (*_Nonnull motif_areas)(
        const struct ink_motif *_Nonnull motif, const struct ink_point *_Nonnull corners, ptrdiff_t count,
        float *_Nonnull areas);
    /// Stores those edges of polygons (x and y of both ends) that may lie in the plane's rows and left of its end. `edges`
    /// has room for all. Returns their number.
    ptrdiff_t (*_Nonnull footprint_edges)(
        struct ink_plane plane, const double *_Nonnull corners, const int32_t *_Nonnull counts, ptrdiff_t polygons,
        double *_Nonnull edges);
    /// Sets some pixels of a plane, row by row from left to right and in at most `INK_GROUP_SIZE` rows, to the area that both
    /// a motif and the polygons with these edges cover. No other edges may lie in the pixels' rows left of them. `scratch` has
    /// room for `INK_MIXED_SCRATCH` numbers an edge.
    void (*_Nonnull mixed_areas)(
        struct ink_plane plane, const struct ink_motif *_Nonnull motif, const double *_Nonnull edges,
        ptrdiff_t edge_count, const struct ink_pixel *_Nonnull pixels, ptrdiff_t count, double *_Nonnull scratch);
    /// The area of each of some pixels of a row of the output, from left to right, that both a motif and the union of parts
    /// cover: exact along `INK_PART_LINES` lines.
    void (*_Nonnull shared_areas)(
        const struct ink_motif *_Nonnull motif, struct ink_part_list list, int32_t row,
        const int32_t *_Nonnull columns, ptrdiff_t count, float *_Nonnull areas);
    /// Adds the coverage by the union of the parts at `count` indices, in at most `INK_PART_LANES` rows. The first row
    /// is counted from the cell's.
    void (*_Nonnull add_parts)(
        struct ink_deltas target, int32_t row, int32_t row_count, const struct ink_part *_Nonnull parts,
        const struct ink_part_disc *_Nonnull discs, const struct ink_part_edge *_Nonnull edges,
        const int32_t *_Nonnull indices, ptrdiff_t count, struct ink_part_scratch scratch);
    /// Multiplies the plane by 1 - alpha * coverage for each disc. No pixel may meet two discs.
    void (*_Nonnull multiply_discs)(
        struct ink_kept plane, const struct ink_disc_table *_Nonnull table, const struct ink_disc_grid *_Nonnull grid,
        float alpha);
    /// Adds the coverage of each disc.
    void (*_Nonnull add_discs)(
        struct ink_plane plane, const struct ink_disc_table *_Nonnull table, const struct ink_disc_grid *_Nonnull grid);
};

/// The kernels of a level that this processor supports.
const struct ink_raster *_Nonnull ink_raster_kernels(enum ink_level level);

/// Makes denormal results 0 on this thread, and returns the state to restore. Products of many small factors would
/// otherwise be many times slower, for differences that no picture shows.
uint32_t ink_denormals_off(void);
void ink_denormals_restore(uint32_t state);

#ifdef __cplusplus
}
#endif

#endif
