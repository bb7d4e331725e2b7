extension ByteWriter {
    /// Doubles as eight runs of bytes, from all lowest to all highest.
    package mutating func plane(_ values: [Double]) {
        reserve(values.count * 8)
        let run = [UInt8](unsafeUninitializedCapacity: values.count * 8) { bytes, count in
            count = values.count * 8
            for (index, value) in values.enumerated() {
                let bits = value.bitPattern
                // index + 7 * values.count is the last of the 8 * values.count bytes.
                for byte in 0..<8 {
                    bytes[byte * values.count + index] = UInt8(truncatingIfNeeded: bits >> UInt64(8 * byte))
                }
            }
        }
        raw(run)
    }
}

extension ByteReader {
    /// The values of a plane of `count` doubles; throws unless all are within `range`.
    package mutating func plane(
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
