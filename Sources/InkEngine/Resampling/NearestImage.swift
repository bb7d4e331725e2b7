import CKernels

/// An image of which every pixel of the output takes the sample that holds the pixel's centre (spec section 10.7). Pixels
/// depend on absolute output coordinates alone, so that tiles and cells do not show.
struct NearestImage {
    private let image: ImageRows
    /// From output pixels, relative to the origin, to samples of the image as it is turned by quarters.
    private let toSamples: AffineMap
    private let origin: Point
    private let quarters: Int
    /// The turned image, in samples.
    private let turned: PixelSize
    private let kernels: CompositingKernels

    /// How far before a border between samples a centre counts as beyond it.
    private static let tie = 1e-6

    /// - Parameter placement: nil for an image that fills the output.
    /// - Throws: `internalError` for a mask, or an image that was scaled when it was decoded.
    init(
        _ image: ImageRows, _ placement: Placement?, scale: OutputScale, kernels: CompositingKernels
    ) throws(EngineError) {
        guard !image.format.isMask, !image.format.isScaled else {
            throw .internalError("a \(image.format) image does not have the samples of a picture")
        }
        self.image = image
        self.kernels = kernels
        guard let placement else {
            (quarters, turned, origin) = (0, image.size, Point(x: 0, y: 0))
            toSamples = AffineMap(
                a: Double(image.size.width) / Double(scale.size.width),
                d: Double(image.size.height) / Double(scale.size.height))
            return
        }
        let (width, height) = (placement.width * scale.x, placement.height * scale.y)
        let center = scale.output(placement.center)
        guard let quarters = placement.quarterTurns else {
            let (sine, cosine) = sinCos(degrees: placement.rotation)
            (self.quarters, turned, origin) = (0, image.size, center)
            let (columns, rows) = (Double(image.size.width) / width, Double(image.size.height) / height)
            toSamples = AffineMap(
                a: columns * cosine, b: -rows * sine, c: columns * sine, d: rows * cosine,
                x: Double(image.size.width) / 2, y: Double(image.size.height) / 2)
            return
        }
        self.quarters = quarters
        let isTransposed = quarters % 2 == 1
        turned = isTransposed ? PixelSize(width: image.size.height, height: image.size.width) : image.size
        let size =
            isTransposed
            ? Point(x: placement.height * scale.x, y: placement.width * scale.y) : Point(x: width, y: height)
        // Without a turn the corner as it was given, not by way of the centre.
        origin = isTransposed ? center - 0.5 * size : scale.output(Point(x: placement.x, y: placement.y))
        toSamples = AffineMap(a: Double(turned.width) / size.x, d: Double(turned.height) / size.y)
    }

    /// The sample that holds the centre of a pixel of the output; nil beyond the image.
    private func sample(column: Int, row: Int) -> (x: Int, y: Int)? {
        let place = toSamples.point(Point(x: Double(column) + 0.5 - origin.x, y: Double(row) + 0.5 - origin.y))
        let (x, y) = ((place.x + Self.tie).rounded(.down), (place.y + Self.tie).rounded(.down))
        guard x >= 0, y >= 0, x < Double(turned.width), y < Double(turned.height) else { return nil }
        let (u, v) = (Int(x), Int(y))
        switch quarters {
        case 1: return (v, turned.width - 1 - u)
        case 2: return (turned.width - 1 - u, turned.height - 1 - v)
        case 3: return (turned.height - 1 - v, u)
        default: return (u, v)
        }
    }

    /// Sets the premultiplied colours of `cell` in `planes`, which have the cell's size.
    ///
    /// - Throws: `internalError` if rows of the image are missing.
    func color(_ cell: PixelRect, into planes: FloatPlanes) throws(EngineError) -> Resampler.ColorContent {
        let bytes = image.format.bytesPerPixel
        var samples = [UInt8](repeating: 0, count: bytes * cell.width)
        var isSeen = [Bool](repeating: false, count: cell.width)
        var content = Resampler.ColorContent.transparent
        for row in 0..<cell.height {
            for column in 0..<cell.width {
                guard let place = sample(column: cell.x + column, row: cell.y + row) else {
                    isSeen[column] = false
                    continue
                }
                guard image.rows.contains(place.y) else {
                    throw .internalError("row \(place.y) of an image was not sent, only \(image.rows)")
                }
                isSeen[column] = true
                content = .varied
                image.withRow(place.y) { row in
                    for byte in 0..<bytes {
                        switch row {
                        case .constant(let value):
                            samples[bytes * column + byte] = UInt8(truncatingIfNeeded: value >> UInt32(8 * byte))
                        case .samples(let all): samples[bytes * column + byte] = all[bytes * place.x + byte]
                        }
                    }
                }
            }
            var target = planes.rows(from: row)
            samples.withUnsafeBufferPointer {
                kernels.resample.read_planes(image.format.pixels, $0.baseAddress, cell.width, &target)
            }
            for column in 0..<cell.width where !isSeen[column] {
                for plane in planes.all { plane[row * cell.width + column] = 0 }
            }
        }
        withExtendedLifetime(planes) {}
        return content
    }
}
