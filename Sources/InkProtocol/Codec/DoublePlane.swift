import InkEngine

extension ByteWriter {
    /// One value of every point, as eight runs of bytes from the lowest to the highest.
    mutating func plane(_ points: [StrokePoint], _ value: KeyPath<StrokePoint, Double>) {
        let bits = points.map { $0[keyPath: value].bitPattern }
        reserve(bits.count * 8)
        for byte in 0..<UInt64(8) {
            raw(bits.map { UInt8(truncatingIfNeeded: $0 >> (8 * byte)) })
        }
    }
}

extension ByteReader {
    /// The values of a plane of `count` doubles, all within `range`.
    mutating func plane(
        _ what: String, count: Int, in range: ClosedRange<Double>
    ) throws(ProtocolError) -> [Double] {
        let (size, overflow) = count.multipliedReportingOverflow(by: 8)
        let start = offset
        try require(overflow ? .max : size, what)
        let shuffled = try bytes(size, what)
        var values = [Double](repeating: 0, count: count)
        for index in 0..<count {
            var bits: UInt64 = 0
            for byte in 0..<8 { bits |= UInt64(shuffled[byte * count + index]) << UInt64(8 * byte) }
            let value = Double(bitPattern: bits)
            guard range.contains(value) else {
                throw .badValue(
                    what: "\(what) of point \(index)", offset: start + index, found: "\(value)",
                    expected: "\(range.lowerBound) to \(range.upperBound)")
            }
            values[index] = value
        }
        return values
    }
}
