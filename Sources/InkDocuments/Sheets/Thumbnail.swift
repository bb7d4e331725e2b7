import InkCodecs
package import InkEngine

/// A small picture of a large one, without the beats that fine patterns give where a pixel is the mean of its area: the
/// means of small areas are scaled as images of projects are.
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
        let middle = Thumbnail.size(header.size, edge: Thumbnail.oversampling * edge)
        if header.isVector { raster = VectorRaster(whole: middle) }
        let shown = raster?.whole ?? header.size
        var mean = AreaMean(from: shown, to: middle)
        try DecodedRows.decode(file, width: shown.width, raster: raster, place: place, limits: limits) { rows in
            for index in 0..<rows.rows.count {
                mean.add(rows.samples, channels: rows.channels, from: index * shown.width * rows.channels)
            }
        }
        guard let made = mean.pixels else { throw .badInput(place, reason: "the picture has too few rows") }
        size = Thumbnail.size(header.size, edge: edge)
        pixels = try Thumbnail.scaled(made, from: middle, to: size)
    }

    /// How much larger the means of areas are than the small picture. Patterns so fine that they would beat are gray there.
    package static let oversampling = 4

    /// RGB pixels scaled as an image of a project that fills its picture.
    private static func scaled(
        _ pixels: [UInt8], from source: PixelSize, to target: PixelSize
    ) throws(EngineError) -> [UInt8] {
        guard source != target else { return pixels }
        let blocks = PixelBlocks(pixels: pixels, size: source)
        return try TileRenderer().render(
            TileTask(
                canvas: CanvasSize(target), output: target,
                rect: PixelRect(x: 0, y: 0, width: target.width, height: target.height), background: .white,
                baseImage: blocks.image, layers: [], pixelFormat: .rgb, delivery: .pixels),
            blocks: blocks
        ).pixels
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

/// RGB pixels in memory as the rows of an image; a block's name has the number of its chunk.
private struct PixelBlocks: TileBlocks {
    let pixels: [UInt8]
    let size: PixelSize

    var image: ImageSlice {
        let count = UInt64((size.height + ImageSlice.rowsPerChunk - 1) / ImageSlice.rowsPerChunk)
        return ImageSlice(
            size: size, format: .rgb8, firstChunk: 0,
            chunks: (0..<count).map { .samples(BlockID(words: [$0, 0, 0, 0])) })
    }

    func bytes(of id: BlockID) throws(EngineError) -> [UInt8] {
        let rows = ImageSlice.rows(ofChunk: Int(id.bytes[0]), imageHeight: size.height)
        let rowBytes = size.width * SampleFormat.rgb8.bytesPerPixel
        return Array(pixels[rows.lowerBound * rowBytes..<rows.upperBound * rowBytes])
    }

    func strokes(
        of id: BlockID, among indices: [Int], isSeen: (Rect) -> Bool, isCancelled: () -> Bool
    ) throws(EngineError) -> PreparedStrokeBlock {
        throw .internalError("an image has no strokes")
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
