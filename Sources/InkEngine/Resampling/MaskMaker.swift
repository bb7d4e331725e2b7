/// Makes layer masks from a flat picture (section 6 of the contract): the pixels close to a colour, dilated by a disc
/// of radius 2, blurred by a Gaussian of sigma 1 with extended edges, rounded to 8 bits.
public enum MaskMaker {
    /// Makes the mask of `color`.
    ///
    /// - Parameters:
    ///   - samples: `size.area` pixels of `format`, row-major without padding.
    ///   - format: `rgb8` or `rgba8`. In `rgba8` alpha counts as a channel, so transparent pixels do not match an
    ///     opaque colour.
    ///   - size: of the picture, in pixels.
    ///   - color: the colour of the pixels in the mask.
    ///   - tolerance: maximum channel difference, divided by 255, of a matching pixel; 0...1.
    /// - Returns: `size.area` values, 255 inside.
    /// - Throws: `internalError` if samples, size and format do not match.
    /// - Complexity: 6 multiplications per pixel; memory for three bytes per pixel and 14 rows of Double.
    public static func mask(
        samples: [UInt8], size: PixelSize, format: SampleFormat, color: RGBA8, tolerance: Double = 0.1
    ) throws(EngineError) -> [UInt8] {
        guard format == .rgb8 || format == .rgba8 else { throw .internalError("a mask cannot be made of a mask") }
        let (byteCount, overflow) = size.area.multipliedReportingOverflow(by: format.bytesPerPixel)
        guard size.width > 0, size.height > 0, !overflow, samples.count == byteCount else {
            throw .internalError("\(samples.count) bytes are not a \(format) picture of \(size) pixels")
        }
        let members = membership(samples, size, format, color, tolerance)
        return blurred(dilated(members, size), size)
    }

    /// 1 if a pixel matches the colour, else 0.
    private static func membership(
        _ samples: [UInt8], _ size: PixelSize, _ format: SampleFormat, _ color: RGBA8, _ tolerance: Double
    ) -> [UInt8] {
        let wanted = [color.red, color.green, color.blue, color.alpha].map(Int.init)
        let channels = format.bytesPerPixel
        // A whole number of levels. It is found by the comparison itself, so that the rounding of the division has no
        // effect.
        let levels = (0...255).last { Double($0) / 255 <= tolerance } ?? -1
        return samples.withUnsafeBufferPointer { samples in
            [UInt8](unsafeUninitializedCapacity: size.area) { target, count in
                for pixel in 0..<size.area {
                    var difference = 0
                    for channel in 0..<channels {
                        difference = max(difference, abs(Int(samples[pixel * channels + channel]) - wanted[channel]))
                    }
                    target[pixel] = difference <= levels ? 1 : 0
                }
                count = size.area
            }
        }
    }

    /// The maximum over the pixels whose centres are within a distance of 2: five in the row, three in each adjacent
    /// row, one in each row beyond.
    private static func dilated(_ members: [UInt8], _ size: PixelSize) -> [UInt8] {
        var result = members
        let (width, height) = (size.width, size.height)
        members.withUnsafeBufferPointer { members in
            result.withUnsafeMutableBufferPointer { result in
                let source = members.baseAddress!
                for y in 0..<height {
                    let target = result.baseAddress! + y * width
                    for (dy, reach) in [(-2, 0), (-1, 1), (0, 2), (1, 1), (2, 0)] where (0..<height).contains(y + dy) {
                        let row = source + (y + dy) * width
                        for dx in -reach...reach {
                            for x in max(0, -dx)..<max(max(0, -dx), min(width, width - dx)) { target[x] |= row[x + dx] }
                        }
                    }
                }
            }
        }
        return result
    }

    /// exp(-k^2 / 2) for k = 0...6, correctly rounded; the rest is less than 3e-11 of the total.
    private static let gaussian: [Double] = [
        1, 0.606_530_659_712_633_4, 0.135_335_283_236_612_7, 0.011_108_996_538_242_306, 3.354_626_279_025_118_5e-4,
        3.726_653_172_078_671e-6, 1.522_997_974_471_262_8e-8,
    ]

    private static let radius = 6

    private static func blurred(_ members: [UInt8], _ size: PixelSize) -> [UInt8] {
        let (width, height) = (size.width, size.height)
        let sum = gaussian.dropFirst().reduce(gaussian[0]) { $0 + 2 * $1 }
        let weights = gaussian.map { $0 / sum }
        let sums = rowSums(weights)
        let window = 2 * radius + 1
        // The rows y - 6 ... y + 6, filtered along x, at their index modulo 13.
        let ring = UnsafeMutablePointer<Double>.allocate(capacity: (window + 1) * width)
        ring.initialize(repeating: 0, count: (window + 1) * width)
        defer { ring.deallocate() }
        return members.withUnsafeBufferPointer { members in
            [UInt8](unsafeUninitializedCapacity: size.area) { target, count in
                var next = 0
                for y in 0..<height {
                    while next < height && next <= y + radius {
                        filterRow(members.baseAddress! + next * width, width, sums, ring + next % window * width)
                        next += 1
                    }
                    let rows = (-radius...radius).map { dy in
                        UnsafePointer(ring + min(max(y + dy, 0), height - 1) % window * width)
                    }
                    filterColumns(rows, weights, width, ring + window * width, target.baseAddress! + y * width)
                }
                count = size.area
            }
        }
    }

    /// The filtered value for each pattern of 13 neighbours with values 0 or 1.
    private static func rowSums(_ weights: [Double]) -> [Double] {
        (0..<(1 << (2 * radius + 1))).map { pattern in
            (-radius...radius).reduce(0.0) { sum, k in
                (pattern >> (k + radius)) & 1 == 0 ? sum : sum + weights[abs(k)]
            }
        }
    }

    private static func filterRow(
        _ row: UnsafePointer<UInt8>, _ width: Int, _ sums: [Double], _ target: UnsafeMutablePointer<Double>
    ) {
        var pattern = 0
        for k in -radius..<radius { pattern |= Int(row[min(max(k, 0), width - 1)]) << (k + radius + 1) }
        for x in 0..<width {
            pattern = pattern >> 1 | Int(row[min(x + radius, width - 1)]) << (2 * radius)
            target[x] = sums[pattern]
        }
    }

    /// `sums` has room for one row.
    private static func filterColumns(
        _ rows: [UnsafePointer<Double>], _ weights: [Double], _ width: Int, _ sums: UnsafeMutablePointer<Double>,
        _ target: UnsafeMutablePointer<UInt8>
    ) {
        sums.initialize(repeating: 0, count: width)
        add(rows[radius], nil, weights[0], width, onto: sums)
        for k in 1...radius { add(rows[radius - k], rows[radius + k], weights[k], width, onto: sums) }
        for x in 0..<width { target[x] = UInt8(truncatingIfNeeded: Int32(min(255, sums[x] * 255 + 0.5))) }
    }

    /// One pair of rows at a time, so that the optimizer can vectorize it.
    private static func add(
        _ above: UnsafePointer<Double>, _ below: UnsafePointer<Double>?, _ weight: Double, _ width: Int,
        onto sums: UnsafeMutablePointer<Double>
    ) {
        if let below {
            for x in 0..<width { sums[x] += weight * (above[x] + below[x]) }
        } else {
            for x in 0..<width { sums[x] += weight * above[x] }
        }
    }
}
