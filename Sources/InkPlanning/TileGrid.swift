package import InkEngine

/// The division of a picture into rows of tiles. All have one size, except at the right and bottom edges.
package struct TileGrid: Hashable, Sendable {
    /// Size of the picture, in output pixels.
    package let output: PixelSize
    /// Size of a tile, in output pixels; never larger than the picture.
    package let tile: PixelSize

    /// Maximum pixels in one band, requested or automatic: 16 MiB of RGBA, which a worker holds unfiltered and
    /// filtered.
    package static let pixelsPerBandMax = 4 << 20
    /// Maximum pixels in a row of several tiles. The encoding worker holds the row as tiles, as rows, filtered,
    /// deflated and as parts of a result; the broker holds some rows in addition.
    package static let pixelsPerTileRowMax = 2 << 20
    package static let automaticHeights = 16...512
    package static let worthwhileHeight = 256
    /// Minimum number of bands for work in parallel, unless bands would be lower than `lowHeight`.
    package static let bandsMin = 12
    package static let lowHeight = 128
    /// The smallest edge that can be requested, in pixels.
    package static let edgeMin = 16

    /// - Parameters:
    ///   - tile: clipped to the picture, and made lower if a row of tiles would have too many pixels.
    ///   - rowMultiple: heights are multiples of this, even if a row of tiles then has too many pixels.
    package init(output: PixelSize, tile: PixelSize, rowMultiple: Int = 1) {
        self.output = output
        let width = min(output.width, max(TileGrid.edgeMin, tile.width))
        let pixelsMax = width == output.width ? TileGrid.pixelsPerBandMax : TileGrid.pixelsPerTileRowMax
        let highest = max(TileGrid.edgeMin, pixelsMax / output.width)
        let wanted = (max(TileGrid.edgeMin, tile.height) + rowMultiple - 1) / rowMultiple * rowMultiple
        let height = min(output.height, wanted, max(1, highest / rowMultiple) * rowMultiple)
        self.tile = PixelSize(width: width, height: height)
    }

    /// Makes bands of a height for which a task takes about `targetNanoseconds`.
    ///
    /// Low bands are expensive: strokes are sent, smoothed and given tables once for every band that they meet. Bands
    /// are therefore not lower than `worthwhileHeight` unless a task would take many times as long, and not so high
    /// that there are fewer than `bandsMin`.
    /// - Parameter rowCosts: the estimated nanoseconds of each output row.
    package init(output: PixelSize, rowCosts: [Double], rowMultiple: Int = 1, targetNanoseconds: Double = 10_000_000) {
        let mean = max(1, rowCosts.reduce(0, +) / Double(max(1, rowCosts.count)))
        let heights = TileGrid.automaticHeights
        var wanted = min(Double(heights.upperBound), targetNanoseconds / mean)
        let worthwhile = Double(TileGrid.worthwhileHeight)
        wanted = max(wanted, min(worthwhile, 10 * targetNanoseconds / mean))
        // Whole multiples of the least height, so that the renderer's cells are seldom cut.
        let step = heights.lowerBound
        let share = (output.height + TileGrid.bandsMin * step - 1) / (TileGrid.bandsMin * step) * step
        let stepped = min(Int(wanted) / step * step, max(TileGrid.lowHeight, share))
        let highest = max(heights.lowerBound, TileGrid.pixelsPerBandMax / output.width)
        let height = min(highest, max(heights.lowerBound, stepped))
        self.init(
            output: output, tile: PixelSize(width: output.width, height: height), rowMultiple: rowMultiple)
    }

    package var columns: Int { (output.width + tile.width - 1) / tile.width }
    package var rows: Int { (output.height + tile.height - 1) / tile.height }
    package var count: Int { rows * columns }

    /// Whether every tile is as wide as the picture, and therefore a piece of its file.
    package var isBands: Bool { tile.width == output.width }

    package func rect(row: Int, column: Int) -> PixelRect {
        let x = column * tile.width
        let y = row * tile.height
        return PixelRect(
            x: x, y: y, width: min(tile.width, output.width - x), height: min(tile.height, output.height - y))
    }

    /// The picture's rows in row `row` of tiles.
    package func pixelRows(ofRow row: Int) -> Range<Int> { rect(row: row, column: 0).rows }
}
