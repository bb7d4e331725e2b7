// The rasterizer's table of kernels for the level.
#pragma once

#include "bars.hpp"
#include "contour.hpp"
#include "covered.hpp"
#include "discs.hpp"
#include "lines.hpp"
#include "motifs.hpp"
#include "paint.hpp"
#include "parts.hpp"
#include "polygons.hpp"
#include "waves.hpp"

extern "C" const ink_raster INK_TABLE(ink_raster_) = {
    .multiply_bars = INK_LEVEL::bars::multiply_bars,
    .line_table = INK_LEVEL::lines::line_table,
    .multiply_lines = INK_LEVEL::lines::multiply_lines,
    .wave_table = INK_LEVEL::waves::wave_table,
    .multiply_waves = INK_LEVEL::waves::multiply_waves,
    .multiply_covered = INK_LEVEL::raster::multiply_covered,
    .multiply_depth = INK_LEVEL::raster::multiply_depth,
    .paint = INK_LEVEL::paint::paint,
    .erase = INK_LEVEL::paint::erase,
    .add_chain = INK_LEVEL::outline::add_chain,
    .add_polygons = INK_LEVEL::outline::add_polygons,
    .multiply_marked = INK_LEVEL::outline::multiply_marked,
    .add_marked = INK_LEVEL::outline::add_marked,
    .multiply_contour = INK_LEVEL::contour::multiply_contour,
    .multiply_deltas = INK_LEVEL::outline::multiply_deltas,
    .add_deltas = INK_LEVEL::outline::add_deltas,
    .add_footprint = INK_LEVEL::motifs::add_footprint,
    .add_motif = INK_LEVEL::motifs::add_motif,
    .mix_deltas = INK_LEVEL::motifs::mix_deltas,
    .mix_table = INK_LEVEL::motifs::mix_table,
    .motif_areas = INK_LEVEL::motifs::motif_areas,
    .footprint_edges = INK_LEVEL::motifs::footprint_edges,
    .mixed_areas = INK_LEVEL::motifs::mixed_areas,
    .shared_areas = INK_LEVEL::motifs::shared_areas,
    .add_parts = INK_LEVEL::parts::add_parts,
    .multiply_discs = INK_LEVEL::discs::multiply_discs,
    .add_discs = INK_LEVEL::discs::add_discs,
};
