// The rasterizer's inner loops. Positions are output pixels; a plane holds one Float for each pixel of a cell.
#ifndef INK_RASTER_H
#define INK_RASTER_H

#include <stddef.h>
#include <stdint.h>

#include "ink_kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    /// Columns on both sides of a plane's rows that kernels may read and write; what is there means nothing.
    INK_PLANE_MARGIN = 32,
    /// Pixels that one entry of a table covers.
    INK_TABLE_LANES = 8,
    /// Values in the table of a strip.
    INK_STRIP_TABLE_COUNT = 2048,
    /// Phases of a pixel in the table of a disc, both ends included.
    INK_DISC_PHASES = 17,
    /// Steps of a pixel in the table of an end.
    INK_END_TABLE_STEPS = 64,
    /// Values in the table of an end: nine pixels and three entries to round to.
    INK_END_TABLE_COUNT = (9 * INK_END_TABLE_STEPS + 3) * INK_TABLE_LANES,
};

/// A cell's pixels, with `INK_PLANE_MARGIN` more on both sides of each row.
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
};

/// Edges, none longer than a pixel either way, in any order: neighbours on the outline had better lie apart, because what
/// the one adds to a pixel must be in place before the next is added.
struct ink_chain {
    /// Where edges begin and end: columns, and rows in 1/65,536 pixel.
    const float *_Nonnull from_x, *_Nonnull to_x;
    const int32_t *_Nonnull from_y, *_Nonnull to_y;
    /// Edges, a multiple of 8; edges without a length fill it up.
    int32_t count;
};

/// What a disc covers of the pixels round it, 1/65,535, for each phase of its centre's position in its pixel.
struct ink_disc_table {
    /// Rows of `lanes` pixels for each phase, `INK_DISC_PHASES` phases along x for each along y.
    const uint16_t *_Nonnull values;
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

/// A layer's premultiplied colour over a cell: its first pixel in four planes.
struct ink_layer {
    float *_Nonnull red, *_Nonnull green, *_Nonnull blue, *_Nonnull alpha;
    /// Elements from a row to the next.
    ptrdiff_t stride;
};

/// Signed distance from a line, n . p, in units in which the larger component of n is 1 or -1.
struct ink_normal {
    double x, y;
};

/// Equal bars side by side: parallelograms between two lines each of two directions.
struct ink_bars {
    /// The middle bar's centre, output pixels.
    double x, y;
    /// From the centre of a bar to the next one's.
    double step_x, step_y;
    /// An odd number.
    int32_t count;
    /// Across the bars, and half their width.
    struct ink_normal across;
    double half_width;
    /// Along the bars, and half their length.
    struct ink_normal along;
    double half_length;
};

/// What the bars of one direction and width have in common at all positions.
struct ink_bar_tables {
    /// The coverage of eight and more neighbouring pixels by an endless bar, at each phase of its position.
    float *_Nonnull strip;
    /// The coverage of eight neighbouring pixels by what lies on one side of an end.
    float *_Nonnull end;
};

struct ink_raster {
    /// Works out the table of a strip of this normal and half width.
    void (*_Nonnull strip_table)(float *_Nonnull table, struct ink_normal across, double half_width);
    /// Works out the table of an end whose normal is `along`.
    void (*_Nonnull end_table)(float *_Nonnull table, struct ink_normal along);
    /// Multiplies the plane by 1 - alpha * coverage for each bar; no pixel meets two of them.
    void (*_Nonnull multiply_bars)(
        struct ink_plane plane, const struct ink_bars *_Nonnull bars, const struct ink_bar_tables *_Nonnull tables,
        float alpha);
    /// Adds `weight` times the coverage of a quadrilateral that does not cross itself: four corners, x and y each,
    /// output pixels.
    void (*_Nonnull add_quad)(struct ink_plane plane, const double *_Nonnull corners, float weight);
    /// Multiplies the plane by 1 - alpha * (1 - kept) inside the box, columns rounded outwards to whole vectors, and
    /// sets `kept` to 1 there.
    void (*_Nonnull multiply_kept)(
        struct ink_plane plane, struct ink_plane kept, const struct ink_box *_Nonnull box, float alpha);
    /// Multiplies the plane by 1 - alpha * covered likewise, and sets `covered` to 0.
    void (*_Nonnull multiply_covered)(
        struct ink_plane plane, struct ink_plane covered, const struct ink_box *_Nonnull box, float alpha);
    /// Puts ink of one opaque colour (red, green, blue, 0 to 1) onto the layer's pixels in the box, which leaves of them
    /// what the plane says, and sets the plane to 1 there.
    void (*_Nonnull paint)(
        struct ink_plane plane, const struct ink_box *_Nonnull box, const struct ink_layer *_Nonnull layer,
        const float *_Nonnull color);
    /// Leaves of the layer's pixels in the box what the plane says, and sets the plane to 1 there.
    void (*_Nonnull erase)(
        struct ink_plane plane, const struct ink_box *_Nonnull box, const struct ink_layer *_Nonnull layer);
    /// Adds the areas under a chain's edges, the chain moved by x, y, output pixels.
    void (*_Nonnull add_chain)(
        struct ink_deltas target, const struct ink_chain *_Nonnull chain, double x, double y);
    /// Multiplies the plane by 1 - alpha * coverage inside the box, columns rounded outwards to whole vectors, where the
    /// running sums of `deltas` are the coverage; and sets `deltas` to 0 there. The box holds all that was added.
    void (*_Nonnull multiply_deltas)(
        struct ink_plane plane, struct ink_deltas deltas, const struct ink_box *_Nonnull box, float alpha);
    /// Multiplies the plane by 1 - alpha * coverage for each disc; no pixel meets two of them.
    void (*_Nonnull multiply_discs)(
        struct ink_plane plane, const struct ink_disc_table *_Nonnull table, const struct ink_disc_grid *_Nonnull grid,
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
