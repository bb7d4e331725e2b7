/// How an image is scaled when it is decoded, so that its pixels in the picture travel and not its samples. This gives the
/// same values as scaling its samples in each tile.
public struct ImageScaling: Hashable, Sendable {
    /// Where the image lies, in canvas pixels; nil: it fills the picture.
    public var placement: Placement?
    public var canvas: CanvasSize
    /// The picture's size in pixels.
    public var output: PixelSize

    public init(placement: Placement?, canvas: CanvasSize, output: PixelSize) {
        self.placement = placement
        self.canvas = canvas
        self.output = output
    }

    /// How many times more memory the samples of an image take than what it is scaled to, at least. With less to gain,
    /// scaling is left to the tiles, which share it among them.
    private static let gainMin = 4

    /// Whether scaling an image in all these ways takes much less memory than its samples. An image that shows nowhere is
    /// not scaled.
    public static func isWorthwhile(_ scalings: [ImageScaling], of image: PixelSize, as use: ImageUse) -> Bool {
        guard image.longestEdge <= ImageRows.edgePixelsMax else { return false }
        var left = image.area * (use == .mask ? 1 : 3) / gainMin
        // Each has weights for all columns and rows of samples.
        let weightBytes = (image.width + image.height) * 8 * (use.filter.radius + 1)
        for scaling in scalings {
            guard let part = scaling.part(of: image, as: use),
                // No task can name the pixels of a rotated image that is enlarged without bounds.
                part.x + part.width <= Int(Int32.max), part.y + part.height <= Int(Int32.max)
            else { return false }
            left -= weightBytes
            let rowBytes = part.width * use.scaledFormat.bytesPerPixel
            guard left >= 0, part.height <= left / rowBytes else { return false }
            left -= part.height * rowBytes
        }
        return !scalings.isEmpty
    }

    /// The pixels that an image is scaled to: of the output, or of the upright picture of a rotated image (spec section
    /// 8.3); nil if none of the output's pixels shows any of it.
    public func part(of image: PixelSize, as use: ImageUse) -> PixelRect? {
        let whole = PixelRect(x: 0, y: 0, width: output.width, height: output.height)
        return geometry(of: image, as: use).map { $0.part(for: whole) } ?? whole
    }

    /// The size of the scaled image, in its own order of rows and columns; nil if it does not show.
    public func size(of image: PixelSize, as use: ImageUse) -> PixelSize? {
        part(of: image, as: use).map { geometry(of: image, as: use)?.ownSize($0.size) ?? $0.size }
    }

    /// nil for an image that fills the picture.
    fileprivate func geometry(of image: PixelSize, as use: ImageUse) -> PlacedGeometry? {
        placement.map {
            PlacedGeometry(
                $0, image: image, scale: OutputScale(canvas: canvas, output: output), filter: use.filter)
        }
    }
}

extension ImageUse {
    var filter: ResampleFilter { self == .mask ? .triangle : .lanczos3 }

    /// The format of an image that was scaled when it was decoded.
    public var scaledFormat: SampleFormat { self == .mask ? .scaledMask : .scaledColor }
}

/// Scales an image while it is decoded: takes chunks of its samples and gives chunks of its pixels in the picture.
///
/// Holds the chunks to which the last row of samples contributes: one or two, if the image shrinks.
package struct ImageScaler {
    private let source: PixelSize
    private let use: ImageUse
    private let resampler: Resampler
    /// Pixels of the output as they are shown, not those of an upright picture, which are not clamped.
    private let isSettled: Bool
    private var open: [FloatPlanes] = []
    /// The index of the first of them.
    private var next = 0
    package private(set) var info: DecodedImageInfo

    /// - Parameter source: the image's size, edges up to `ImageRows.edgePixelsMax`.
    /// - Throws: `internalError` if there is nothing to scale.
    package init(
        _ scaling: ImageScaling, of source: PixelSize, as use: ImageUse, kernels: CompositingKernels = .selected
    ) throws(EngineError) {
        guard let part = scaling.part(of: source, as: use), let size = scaling.size(of: source, as: use) else {
            throw .internalError("an image of \(source) pixels that does not show is to be scaled")
        }
        self.source = source
        self.use = use
        info = DecodedImageInfo(size: size, format: use.scaledFormat)
        guard let geometry = scaling.geometry(of: source, as: use) else {
            resampler = try Resampler(
                source: source, output: size, filter: use.filter, rect: part, kernels: kernels)
            isSettled = true
            return
        }
        let (columns, rows) = geometry.kernels(part)
        resampler = Resampler(source: source, columns: columns, rows: rows, kernels: kernels)
        isSettled = geometry.rotation == nil
    }

    /// Takes the image's next chunk, and passes on those that are complete with it.
    ///
    /// - Throws: `internalError` if it is not a chunk of the image; errors of `onChunk`.
    package mutating func take(
        _ chunk: DecodedChunk, onChunk: (DecodedChunk) throws(EngineError) -> Void
    ) throws(EngineError) {
        let image = try ImageRows(chunk, of: source)
        guard chunk.format.isMask == (use == .mask) else { throw .internalError("a \(use) of \(chunk.format)") }
        var index = next
        while index * ImageSlice.rowsPerChunk < info.size.height {
            let rows = ImageSlice.rows(ofChunk: index, imageHeight: info.size.height)
            let needed = resampler.sourceRows(rows)
            guard needed.lowerBound < chunk.rows.upperBound else { break }
            let cell = PixelRect(x: 0, y: rows.lowerBound, width: info.size.width, height: rows.count)
            if index - next == open.count { open.append(FloatPlanes(width: cell.width, height: cell.height)) }
            let planes = open[index - next]
            if use == .mask {
                resampler.addMask(image, cell: cell, to: planes.red)
            } else {
                resampler.addColor(image, cell: cell, to: planes, isSettled: isSettled)
            }
            index += 1
            // Chunks are complete in order.
            if needed.upperBound <= chunk.rows.upperBound {
                open.removeFirst()
                next += 1
                try onChunk(finished(planes, rows))
            }
        }
    }

    private mutating func finished(_ planes: FloatPlanes, _ rows: Range<Int>) -> DecodedChunk {
        let index = rows.lowerBound / ImageSlice.rowsPerChunk
        if use == .mask { finishMask(planes, rows) }
        return DecodedChunk(index: index, rows: rows, format: info.format, content: content(of: planes))
    }

    private mutating func finishMask(_ planes: FloatPlanes, _ rows: Range<Int>) {
        for y in 0..<planes.height {
            let row = planes.red + y * planes.width
            guard let first = (0..<planes.width).first(where: { row[$0] > 0 }),
                let last = (0..<planes.width).last(where: { row[$0] > 0 })
            else { continue }
            let place = PixelRect(x: first, y: rows.lowerBound + y, width: last + 1 - first, height: 1)
            info.maskBounds = info.maskBounds?.union(place) ?? place
        }
    }

    private func content(of planes: FloatPlanes) -> ChunkPixels<[UInt8]> {
        let channels = info.format.bytesPerPixel / 4
        let sources = channels == 1 ? [planes.red] : [planes.red, planes.green, planes.blue, planes.alpha]
        let first = sources.map { $0[0] }
        let isConstant = (0..<channels).allSatisfy { channel in
            (0..<planes.count).allSatisfy { sources[channel][$0] == first[channel] }
        }
        // A colour of four floats has no place in a constant, unless it is transparent.
        if isConstant, channels == 1 || first.allSatisfy({ $0 == 0 }) { return .constant(first[0].bitPattern) }
        return .samples(
            [UInt8](unsafeUninitializedCapacity: planes.count * info.format.bytesPerPixel) { bytes, count in
                let target = UnsafeMutableRawBufferPointer(bytes)
                for channel in 0..<channels {
                    let source = sources[channel]
                    for pixel in 0..<planes.count {
                        target.storeBytes(
                            of: source[pixel].bitPattern.littleEndian, toByteOffset: 4 * (pixel * channels + channel),
                            as: UInt32.self)
                    }
                }
                count = planes.count * info.format.bytesPerPixel
            })
    }
}

extension PixelRect {
    /// The smallest rectangle that contains both.
    fileprivate func union(_ other: PixelRect) -> PixelRect {
        let (left, top) = (min(x, other.x), min(y, other.y))
        return PixelRect(
            x: left, y: top, width: max(x + width, other.x + other.width) - left,
            height: max(y + height, other.y + other.height) - top)
    }
}
