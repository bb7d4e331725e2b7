/// Reads little-endian values from untrusted bytes. Every read is checked against the end; no read traps.
///
/// Reads throw `truncated` where the bytes end before the value does, `badValue` for a value that its field does not
/// allow, and `overLimit` for a count or length beyond its limit.
public struct ByteReader: Sendable {
    /// The source of the values.
    public let bytes: [UInt8]
    /// The position of the next byte in `bytes`.
    public private(set) var offset: Int
    private let end: Int

    /// A reader of all of `bytes`.
    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
        offset = 0
        end = bytes.count
    }

    /// A reader of part of `bytes`, without a copy.
    ///
    /// - Precondition: `range` lies within `bytes`.
    init(_ bytes: [UInt8], _ range: Range<Int>) {
        precondition(range.upperBound <= bytes.count)
        self.bytes = bytes
        offset = range.lowerBound
        end = range.upperBound
    }

    /// The bytes not read yet.
    public var remaining: Int { end - offset }

    /// Throws `truncated` unless `count` more bytes follow. `what` names the value in the error.
    func require(_ count: Int, _ what: String) throws(ProtocolError) {
        guard count >= 0, count <= remaining else {
            throw .truncated(what: what, offset: offset, expected: count, found: remaining)
        }
    }

    private mutating func integer<T: FixedWidthInteger & UnsignedInteger>(
        _ what: String, _: T.Type
    ) throws(ProtocolError) -> T {
        let size = T.bitWidth / 8
        try require(size, what)
        var value: T = 0
        for index in 0..<size { value |= T(bytes[offset + index]) << T(8 * index) }
        offset += size
        return value
    }

    /// The next byte.
    public mutating func uint8(_ what: String) throws(ProtocolError) -> UInt8 { try integer(what, UInt8.self) }
    /// The next two bytes.
    public mutating func uint16(_ what: String) throws(ProtocolError) -> UInt16 { try integer(what, UInt16.self) }
    /// The next four bytes.
    public mutating func uint32(_ what: String) throws(ProtocolError) -> UInt32 { try integer(what, UInt32.self) }
    /// The next eight bytes.
    public mutating func uint64(_ what: String) throws(ProtocolError) -> UInt64 { try integer(what, UInt64.self) }

    /// An unsigned LEB128 number of at most 64 bits, in its shortest form (so that equal values are equal bytes).
    public mutating func varint(_ what: String) throws(ProtocolError) -> UInt64 {
        let start = offset
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let byte = try uint8(what)
            let bits = UInt64(byte & 0x7F)
            guard shift < 63 || bits <= 1 else {
                throw .badValue(what: what, offset: start, found: "more than 64 bits", expected: "a number of 64 bits")
            }
            value |= bits << shift
            if byte & 0x80 == 0 {
                guard byte != 0 || shift == 0 else {
                    throw .badValue(what: what, offset: start, found: "a padded number", expected: "the shortest form")
                }
                return value
            }
            shift += 7
            guard shift < 64 else {
                throw .badValue(what: what, offset: start, found: "more than 64 bits", expected: "a number of 64 bits")
            }
        }
    }

    /// A varint within `range`.
    public mutating func integer(_ what: String, in range: ClosedRange<Int>) throws(ProtocolError) -> Int {
        let start = offset
        let value = try varint(what)
        guard let number = Int(exactly: value), range.contains(number) else {
            throw .badValue(
                what: what, offset: start, found: "\(value)", expected: "\(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// The number of elements that follow, each of at least `elementBytes` (above 0) bytes. A count that the remaining
    /// bytes cannot hold is refused, so a caller may reserve memory for it.
    public mutating func count(
        _ what: String, elementBytes: Int, limit: Int = .max
    ) throws(ProtocolError) -> Int {
        let start = offset
        let value = try varint(what)
        guard value <= UInt64(limit) else { throw .overLimit(what: what, found: value, limit: UInt64(limit)) }
        let possible = remaining / elementBytes
        guard value <= UInt64(possible) else {
            throw .badValue(
                what: what, offset: start, found: "\(value)", expected: "at most \(possible) in these bytes")
        }
        return Int(value)
    }

    /// A byte that is 0 or 1.
    public mutating func bool(_ what: String) throws(ProtocolError) -> Bool {
        let value = try uint8(what)
        guard value <= 1 else {
            throw .badValue(what: what, offset: offset - 1, found: "\(value)", expected: "0 or 1")
        }
        return value == 1
    }

    /// A finite IEEE 754 double within `range`.
    public mutating func double(_ what: String, in range: ClosedRange<Double>) throws(ProtocolError) -> Double {
        let value = Double(bitPattern: try uint64(what))
        guard range.contains(value) else {
            throw .badValue(
                what: what, offset: offset - 8, found: "\(value)",
                expected: "\(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    /// The next `count` bytes.
    public mutating func bytes(_ count: Int, _ what: String) throws(ProtocolError) -> [UInt8] {
        try require(count, what)
        defer { offset += count }
        return Array(bytes[offset..<(offset + count)])
    }

    /// All bytes up to the end.
    public mutating func rest() -> [UInt8] {
        defer { offset = end }
        return Array(bytes[offset..<end])
    }

    /// UTF-8 text: a varint of its length in bytes (at most `limit`), then the bytes.
    public mutating func text(_ what: String, limit: Int) throws(ProtocolError) -> String {
        let count = try count(what, elementBytes: 1, limit: limit)
        let start = offset
        let utf8 = try bytes(count, what)
        guard let text = String(validating: utf8, as: UTF8.self) else {
            throw .badValue(what: what, offset: start, found: "bytes that are not UTF-8", expected: "UTF-8")
        }
        return text
    }

    /// Checks that all bytes have been read.
    ///
    /// - Throws: `trailingBytes`.
    public func finish(_ what: String) throws(ProtocolError) {
        guard remaining == 0 else { throw .trailingBytes(what: what, offset: offset, count: remaining) }
    }
}
