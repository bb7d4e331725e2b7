import InkCodecs
package import InkEngine

/// A small picture of a large one: each pixel is the mean of the area that it covers.
package struct Thumbnail: Hashable, Sendable {
    package var size: PixelSize
    /// RGB, rows without padding. What is transparent shows white.
    package var pixels: [UInt8]

    init(size: PixelSize, pixels: [UInt8]) {
        self.size = size
        self.pixels = pixels
    }

    /// Decodes a picture, a few rows at a time, and shrinks it to fit into a square; a small one is not enlarged.
    ///
    /// - Parameters:
    ///   - file: all bytes of a picture of any of the `ImageDecoders`.
    ///   - edge: of the square, pixels.
    ///   - place: of the picture, for errors.
    /// - Throws: as `ImageDecoders.decode`.
    package init(_ file: [UInt8], edge: Int, place: Place, limits: Limits) throws(EngineError) {
        let decoder = try ImageDecoders.decoder(of: file, place: place)
        let header = try decoder.header(file, place: place)
        var raster: VectorRaster?
        if header.isVector { raster = VectorRaster(whole: Thumbnail.size(header.size, edge: edge)) }
        let shown = raster?.whole ?? header.size
        var mean = AreaMean(from: shown, to: Thumbnail.size(shown, edge: edge))
        try DecodedRows.decode(file, width: shown.width, raster: raster, place: place, limits: limits) { rows in
            for index in 0..<rows.rows.count {
                mean.add(rows.samples, channels: rows.channels, from: index * shown.width * rows.channels)
            }
        }
        guard let made = mean.pixels else { throw .badInput(place, reason: "the picture has too few rows") }
        size = mean.target
        pixels = made
    }

    /// The largest size of these proportions in a square.
    static func size(_ size: PixelSize, edge: Int) -> PixelSize {
        let longest = size.longestEdge
        guard longest > edge else { return size }
        return PixelSize(
            width: max(1, (size.width * edge + longest / 2) / longest),
            height: max(1, (size.height * edge + longest / 2) / longest))
    }
}

/// Sums of areas, in whole numbers: the same on every machine.
private struct AreaMean {
    let source: PixelSize
    let target: PixelSize
    private var nextRow = 0
    /// The sums of the target's row that is being made: red, green and blue times alpha, and alpha, by column.
    private var sums: [UInt64]
    private var row = 0
    private var made: [UInt8] = []

    init(from source: PixelSize, to target: PixelSize) {
        self.source = source
        self.target = target
        sums = Array(repeating: 0, count: 4 * target.width)
        made.reserveCapacity(3 * target.area)
    }

    /// All pixels; nil if rows are missing.
    var pixels: [UInt8]? { made.count == 3 * target.area ? made : nil }

    /// Adds the next row of the source.
    mutating func add(_ samples: [UInt8], channels: Int, from start: Int) {
        // Both spans in units of 1 / (source height * target height).
        let (top, bottom) = (nextRow * target.height, (nextRow + 1) * target.height)
        nextRow += 1
        var from = top
        while from < bottom, row < target.height {
            let end = min(bottom, (row + 1) * source.height)
            addAcross(samples, channels: channels, from: start, weight: UInt64(end - from))
            if end == (row + 1) * source.height { finishRow() }
            from = end
        }
    }

    private mutating func addAcross(_ samples: [UInt8], channels: Int, from start: Int, weight: UInt64) {
        let (sourceWidth, targetWidth) = (source.width, target.width)
        samples.withUnsafeBufferPointer { samples in
            sums.withUnsafeMutableBufferPointer { sums in
                var column = 0
                for x in 0..<sourceWidth {
                    let at = start + x * channels
                    let alpha = channels == 4 ? UInt64(samples[at + 3]) : 255
                    var from = x * targetWidth
                    let last = from + targetWidth
                    while from < last {
                        let end = min(last, (column + 1) * sourceWidth)
                        let share = UInt64(end - from) &* weight &* alpha
                        for channel in 0..<3 { sums[4 * column + channel] &+= share &* UInt64(samples[at + channel]) }
                        sums[4 * column + 3] &+= share
                        if end == (column + 1) * sourceWidth { column += 1 }
                        from = end
                    }
                }
            }
        }
    }

    private mutating func finishRow() {
        let whole = UInt64(source.width) * UInt64(source.height) * 255
        for column in 0..<target.width {
            let white = (whole - min(whole, sums[4 * column + 3])) * 255
            for channel in 0..<3 {
                made.append(UInt8(truncatingIfNeeded: (sums[4 * column + channel] + white + whole / 2) / whole))
            }
        }
        sums = Array(repeating: 0, count: sums.count)
        row += 1
    }
}
