/// Numbers in a text, between white space and commas, or one after the other.
package struct SVGNumbers {
    private let bytes: [UInt8]
    private var index = 0

    private init(_ text: String) { bytes = Array(text.utf8) }

    /// The next number; nil for what is none.
    private mutating func number() -> Double? {
        while index < bytes.count, SVGNumbers.isBlank(bytes[index]) || bytes[index] == UInt8(ascii: ",") { index += 1 }
        return bytes.withUnsafeBufferPointer { SVGNumbers.read($0, at: &index) }
    }

    /// All numbers up to the first thing that is none.
    package static func all(_ text: String) -> [Double] {
        var (words, numbers) = (SVGNumbers(text), [Double]())
        while let number = words.number() { numbers.append(number) }
        return numbers
    }

    static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x09 || byte == 0x0D || byte == 0x0C
    }

    /// Whether a number begins at a byte.
    static func begins(with byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
            || byte == UInt8(ascii: "+")
    }

    private static let powers: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
    ]

    /// The number at an index, which is then behind it; nil, without going on, for what is none or is not finite.
    @inline(__always)
    static func read(_ bytes: UnsafeBufferPointer<UInt8>, at index: inout Int) -> Double? {
        var end = index
        func isDigit(_ at: Int) -> Bool { at < bytes.count && bytes[at] &- 0x30 < 10 }
        func isSign(_ at: Int) -> Bool { at < bytes.count && (bytes[at] == 0x2B || bytes[at] == 0x2D) }
        let isNegative = end < bytes.count && bytes[end] == 0x2D
        if isSign(end) { end += 1 }
        var (mantissa, count, places): (UInt64, Int, Int) = (0, 0, 0)
        while isDigit(end) {
            mantissa = mantissa &* 10 &+ UInt64(bytes[end] &- 0x30)
            (end, count) = (end + 1, count + 1)
        }
        if end < bytes.count, bytes[end] == UInt8(ascii: ".") {
            end += 1
            while isDigit(end) {
                mantissa = mantissa &* 10 &+ UInt64(bytes[end] &- 0x30)
                (end, count, places) = (end + 1, count + 1, places + 1)
            }
        }
        guard count > 0 else { return nil }
        // Mantissa and power are exact, so one division rounds correctly.
        var isExact = count < powers.count && mantissa <= 1 << 53
        if end < bytes.count, bytes[end] | 0x20 == UInt8(ascii: "e"),
            isDigit(end + 1) || isSign(end + 1) && isDigit(end + 2)
        {
            isExact = false
            end += 2
            while isDigit(end) { end += 1 }
        }
        if isExact {
            index = end
            let value = Double(mantissa) / powers[places]
            return isNegative ? -value : value
        }
        let text = String(decoding: bytes[index..<end], as: UTF8.self)
        guard let value = Double(text), value.isFinite else { return nil }
        index = end
        return value
    }
}
