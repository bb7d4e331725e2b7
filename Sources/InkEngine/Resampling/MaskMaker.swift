/// Makes layer masks from a flat picture (section 6 of the contract): the pixels close to a colour, dilated by a disc
/// (of radius 2), blurred by a Gaussian (of sigma 1) with extended edges, rounded to 8 bits.
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
    ///   - dilation: radius of the disc, pixels.
    ///   - blur: sigma of the Gaussian, pixels.
    /// - Returns: `size.area` values, 255 inside.
    /// - Throws: `internalError` if samples, size and format do not match.
    /// - Complexity: with the defaults 14 multiplications per pixel; memory for three bytes per pixel and 15 rows of
    ///   Double.
    public static func mask(
        samples: [UInt8], size: PixelSize, format: SampleFormat, color: RGBA8, tolerance: Double = 0.1,
        dilation: Int = 2, blur: Double = 1
    ) throws(EngineError) -> [UInt8] {
        guard format == .rgb8 || format == .rgba8 else { throw .internalError("a mask cannot be made of a mask") }
        let (byteCount, overflow) = size.area.multipliedReportingOverflow(by: format.bytesPerPixel)
        guard size.width > 0, size.height > 0, !overflow, samples.count == byteCount else {
            throw .internalError("\(samples.count) bytes are not a \(format) picture of \(size) pixels")
        }
        let members = membership(samples, size, format, color, tolerance)
        return softened(members, size, dilation: dilation, blur: blur)
    }

    /// The mask of pixels.
    ///
    /// - Parameter members: `size.area` values, 1 for the pixels, 0 for others.
    package static func softened(_ members: [UInt8], _ size: PixelSize, dilation: Int, blur: Double) -> [UInt8] {
        blurred(dilated(members, size, radius: dilation), size, weights: weights(ofBlur: blur))
    }

    /// The largest difference of a channel within a tolerance. It is found by the comparison itself, so that the rounding
    /// of the division has no effect.
    package static func levels(of tolerance: Double) -> Int { (0...255).last { Double($0) / 255 <= tolerance } ?? -1 }

    /// 1 if a pixel matches the colour, else 0.
    private static func membership(
        _ samples: [UInt8], _ size: PixelSize, _ format: SampleFormat, _ color: RGBA8, _ tolerance: Double
    ) -> [UInt8] {
        let wanted = [color.red, color.green, color.blue, color.alpha].map(Int.init)
        let channels = format.bytesPerPixel
        let levels = levels(of: tolerance)
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

    /// The maximum over the pixels whose centres are within a distance.
    private static func dilated(_ members: [UInt8], _ size: PixelSize, radius: Int) -> [UInt8] {
        guard radius > 0 else { return members }
        var result = members
        let (width, height) = (size.width, size.height)
        let reaches = (-radius...radius).map { (dy: Int) -> (dy: Int, reach: Int) in
            let square: Int = radius * radius - dy * dy
            return (dy, (0...radius).last { (dx: Int) in dx * dx <= square } ?? 0)
        }
        members.withUnsafeBufferPointer { members in
            result.withUnsafeMutableBufferPointer { result in
                let source = members.baseAddress!
                for y in 0..<height {
                    let target = result.baseAddress! + y * width
                    for (dy, reach) in reaches where (0..<height).contains(y + dy) {
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

    /// How far a blur reaches, pixels; the rest is less than 3e-9 of the total.
    package static func radius(ofBlur sigma: Double) -> Int { Int((6 * sigma).rounded(.up)) }

    /// The weights of a pixel and of those at a distance of 1, 2, ...; on both sides together they are 1.
    private static func weights(ofBlur sigma: Double) -> [Double] {
        guard sigma > 0 else { return [1] }
        // exp(-k^2 / (2 sigma^2)): the same on every machine, which a library's exponential is not.
        let first = exponential(-1 / (2 * sigma * sigma))
        var weights = [1.0]
        let square = first * first
        var ratio = first
        for _ in 0..<radius(ofBlur: sigma) {
            weights.append(weights[weights.count - 1] * ratio)
            ratio *= square
        }
        let sum = weights.dropFirst().reduce(weights[0]) { $0 + 2 * $1 }
        return weights.map { $0 / sum }
    }

    /// e^x for x of at most 0, by its series.
    private static func exponential(_ x: Double) -> Double {
        var (part, doublings) = (x, 0)
        while part < -0.0625, doublings < 64 { (part, doublings) = (part / 2, doublings + 1) }
        var (sum, term) = (1.0, 1.0)
        for n in 1...14 {
            term *= part / Double(n)
            sum += term
        }
        for _ in 0..<doublings { sum *= sum }
        return sum
    }

    private static func blurred(_ members: [UInt8], _ size: PixelSize, weights: [Double]) -> [UInt8] {
        let (width, height) = (size.width, size.height)
        let radius = weights.count - 1
        let window = 2 * radius + 1
        // The rows y - radius ... y + radius, filtered along x, at their index modulo the window; then room for a row.
        var ring = [Double](repeating: 0, count: (window + 1) * width)
        var padded = [Double](repeating: 0, count: width + 2 * radius)
        /// Whether the rows of the ring have pixels.
        var isUsed = [Bool](repeating: false, count: window)
        return members.withUnsafeBufferPointer { members in
            ring.withUnsafeMutableBufferPointer { ring in
                [UInt8](unsafeUninitializedCapacity: size.area) { target, count in
                    let start = ring.baseAddress!
                    var next = 0
                    for y in 0..<height {
                        while next < height && next <= y + radius {
                            isUsed[next % window] = filterRow(
                                members.baseAddress! + next * width, width, weights, &padded,
                                start + next % window * width)
                            next += 1
                        }
                        let slots = (-radius...radius).map { min(max(y + $0, 0), height - 1) % window }
                        let row = target.baseAddress! + y * width
                        if slots.contains(where: { isUsed[$0] }) {
                            filterColumns(
                                slots.map { UnsafePointer(start + $0 * width) }, weights, width,
                                start + window * width, row)
                        } else {
                            row.initialize(repeating: 0, count: width)
                        }
                    }
                    count = size.area
                }
            }
        }
    }

    /// Returns whether the row has pixels.
    private static func filterRow(
        _ row: UnsafePointer<UInt8>, _ width: Int, _ weights: [Double], _ padded: inout [Double],
        _ target: UnsafeMutablePointer<Double>
    ) -> Bool {
        target.initialize(repeating: 0, count: width)
        guard UnsafeBufferPointer(start: row, count: width).contains(1) else { return false }
        let radius = weights.count - 1
        padded.withUnsafeMutableBufferPointer { padded in
            let middle = padded.baseAddress! + radius
            for x in 0..<width { middle[x] = Double(row[x]) }
            for x in 0..<radius {
                padded[x] = middle[0]
                middle[width + x] = middle[width - 1]
            }
            add(middle, nil, weights[0], width, onto: target)
            for k in 1..<weights.count { add(middle - k, middle + k, weights[k], width, onto: target) }
        }
        return true
    }

    /// `sums` has room for one row.
    private static func filterColumns(
        _ rows: [UnsafePointer<Double>], _ weights: [Double], _ width: Int, _ sums: UnsafeMutablePointer<Double>,
        _ target: UnsafeMutablePointer<UInt8>
    ) {
        let radius = weights.count - 1
        sums.initialize(repeating: 0, count: width)
        add(rows[radius], nil, weights[0], width, onto: sums)
        for k in 1..<weights.count { add(rows[radius - k], rows[radius + k], weights[k], width, onto: sums) }
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
