/// PNG's five ways of predicting a byte from its neighbours (PNG specification, 9.2).
enum RowFilter: UInt8, CaseIterable {
    case none = 0
    case sub = 1
    case up = 2
    case average = 3
    case paeth = 4
}

/// One row's filtering. All loops are plain and free of branches, so that the compiler makes vector code of them; there
/// is no arithmetic but on integers, so every processor gives the same bytes.
///
/// `row`, `prior` (the row above) and `out` hold `count` bytes each, `pixel` is the bytes of a pixel (at most `count`),
/// and `out` overlaps neither of the others.
enum RowFilters {
    static func apply(
        _ filter: RowFilter, row: UnsafePointer<UInt8>, prior: UnsafePointer<UInt8>, count: Int, pixel: Int,
        out: UnsafeMutablePointer<UInt8>
    ) {
        switch filter {
        case .none: out.update(from: row, count: count)
        case .sub: sub(row, count, pixel, out)
        case .up: up(row, prior, count, out)
        case .average: average(row, prior, count, pixel, out)
        case .paeth: paeth(row, prior, count, pixel, out)
        }
    }

    private static func sub(
        _ row: UnsafePointer<UInt8>, _ count: Int, _ pixel: Int, _ out: UnsafeMutablePointer<UInt8>
    ) {
        out.update(from: row, count: pixel)
        let left = row
        let here = row + pixel
        let result = out + pixel
        for i in 0..<(count &- pixel) { result[i] = here[i] &- left[i] }
    }

    private static func up(
        _ row: UnsafePointer<UInt8>, _ prior: UnsafePointer<UInt8>, _ count: Int, _ out: UnsafeMutablePointer<UInt8>
    ) {
        for i in 0..<count { out[i] = row[i] &- prior[i] }
    }

    private static func average(
        _ row: UnsafePointer<UInt8>, _ prior: UnsafePointer<UInt8>, _ count: Int, _ pixel: Int,
        _ out: UnsafeMutablePointer<UInt8>
    ) {
        for i in 0..<pixel { out[i] = row[i] &- prior[i] &>> 1 }
        let left = row
        let here = row + pixel
        let above = prior + pixel
        let result = out + pixel
        for i in 0..<(count &- pixel) {
            let mean = (UInt16(left[i]) &+ UInt16(above[i])) &>> 1
            result[i] = here[i] &- UInt8(truncatingIfNeeded: mean)
        }
    }

    private static func paeth(
        _ row: UnsafePointer<UInt8>, _ prior: UnsafePointer<UInt8>, _ count: Int, _ pixel: Int,
        _ out: UnsafeMutablePointer<UInt8>
    ) {
        // Left and upper left are 0 in the first pixel: the predictor is the byte above.
        for i in 0..<pixel { out[i] = row[i] &- prior[i] }
        let left = row
        let corner = prior
        let here = row + pixel
        let above = prior + pixel
        let result = out + pixel
        for i in 0..<(count &- pixel) {
            let a = Int16(left[i])
            let b = Int16(above[i])
            let c = Int16(corner[i])
            // The distances of p = a + b - c to a, b and c.
            let pa = magnitude(b &- c)
            let pb = magnitude(a &- c)
            let pc = magnitude((b &- c) &+ (a &- c))
            let bOrC = pb <= pc ? b : c
            let predictor = pa <= pb && pa <= pc ? a : bOrC
            result[i] = here[i] &- UInt8(truncatingIfNeeded: predictor)
        }
    }

    @inline(__always)
    private static func magnitude(_ value: Int16) -> Int16 { max(value, 0 &- value) }

    /// The sum of the bytes' distances from 0, modulo 256: small when a row compresses well (PNG specification, 12.8).
    static func sumOfMagnitudes(_ bytes: UnsafePointer<UInt8>, count: Int) -> UInt64 {
        var sum: UInt64 = 0
        var start = 0
        // Sums of 2^16 bytes fit 32 bits, which vectors add faster than 64.
        while start < count {
            let end = min(count, start + 65_536)
            var part: UInt32 = 0
            for i in start..<end { part &+= UInt32(min(bytes[i], 0 &- bytes[i])) }
            sum += UInt64(part)
            start = end
        }
        return sum
    }
}
