// The level's kernels of the rasterizer.

extern "C" const ink_raster INK_TABLE(ink_raster_) = {
    INK_JOIN(bars_, INK_LEVEL)::multiply_bars,
    INK_JOIN(lines_, INK_LEVEL)::line_table, INK_JOIN(lines_, INK_LEVEL)::multiply_lines,
    INK_JOIN(waves_, INK_LEVEL)::wave_table, INK_JOIN(waves_, INK_LEVEL)::multiply_waves,
    INK_JOIN(raster_, INK_LEVEL)::multiply_covered, INK_JOIN(raster_, INK_LEVEL)::multiply_depth,
    INK_JOIN(paint_, INK_LEVEL)::paint, INK_JOIN(paint_, INK_LEVEL)::erase,
    INK_JOIN(outline_, INK_LEVEL)::add_chain, INK_JOIN(outline_, INK_LEVEL)::add_polygons,
    INK_JOIN(outline_, INK_LEVEL)::multiply_marked, INK_JOIN(outline_, INK_LEVEL)::add_marked,
    INK_JOIN(contour_, INK_LEVEL)::multiply_contour, INK_JOIN(contour_, INK_LEVEL)::add_contour,
    INK_JOIN(outline_, INK_LEVEL)::multiply_deltas,
    INK_JOIN(outline_, INK_LEVEL)::add_deltas,
    INK_JOIN(parts_, INK_LEVEL)::add_parts,
    INK_JOIN(discs_, INK_LEVEL)::multiply_discs, INK_JOIN(discs_, INK_LEVEL)::add_discs};
