import InkEngine

/// The filter with which an image is brought to the output's size.
enum ResamplingFilter: Sendable {
    case lanczos3
    case triangle

    /// Half of the filter's width at no scaling, source samples.
    var halfWidth: Double { self == .lanczos3 ? 3 : 1 }
}

/// Which rows of an image the rows of a tile depend on.
enum SourceRows {
    /// The source rows that can have a weight in output rows `rows`; at least one, never outside the image.
    ///
    /// With r = source height / output height and the filter of half-width a stretched to a max(1, r) source
    /// samples, output row j depends on rows between (j + 1/2) r - 1/2 - a max(1, r) and the same above. The result
    /// is rounded outwards, so that a renderer which rounds otherwise finds what it needs.
    static func needed(
        for rows: Range<Int>, outputHeight: Int, sourceHeight: Int, filter: ResamplingFilter
    ) -> Range<Int> {
        guard sourceHeight != outputHeight else { return rows }
        let ratio = Double(sourceHeight) / Double(outputHeight)
        let support = filter.halfWidth * max(1, ratio)
        let first = ((Double(rows.lowerBound) + 0.5) * ratio - 0.5 - support).rounded(.down)
        let last = ((Double(rows.upperBound) - 0.5) * ratio - 0.5 + support).rounded(.up)
        let lower = min(max(0, Int(first)), sourceHeight - 1)
        let upper = max(lower, min(sourceHeight - 1, Int(last)))
        return lower..<(upper + 1)
    }

    /// The chunks that hold `rows`.
    static func chunks(of rows: Range<Int>) -> Range<Int> {
        let perChunk = ImageSlice.rowsPerChunk
        return rows.lowerBound / perChunk..<((rows.upperBound - 1) / perChunk + 1)
    }
}
