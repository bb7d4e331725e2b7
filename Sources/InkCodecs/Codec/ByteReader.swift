package import InkEngine

/// Reads the numbers of a binary file in order. No count of the file is believed beyond its end.
package struct ByteReader {
    package let bytes: [UInt8]
    /// The offset of the next byte, from the beginning of the file.
    package private(set) var offset: Int
    /// Where this part of the file ends.
    package let end: Int
    let isBigEndian: Bool
    private let what: String
    private let place: Place

    /// - Parameters:
    ///   - what: the file in messages, such as `the Photoshop file`.
    ///   - place: names the file in errors.
    package init(_ bytes: [UInt8], isBigEndian: Bool, what: String, place: Place) {
        self.bytes = bytes
        offset = 0
        end = bytes.count
        self.isBigEndian = isBigEndian
        self.what = what
        self.place = place
    }

    private init(_ whole: ByteReader, _ range: Range<Int>) {
        bytes = whole.bytes
        offset = range.lowerBound
        end = range.upperBound
        isBigEndian = whole.isBigEndian
        what = whole.what
        place = whole.place
    }

    package var left: Int { end - offset }
    package var isAtEnd: Bool { offset >= end }

    /// An error at the place that is being read.
    package func fault(_ reason: String) -> EngineError {
        .badInput(place, reason: "\(what) is damaged at byte \(offset): \(reason)")
    }

    /// Where the next bytes are, and goes on behind them.
    ///
    /// - Throws: `badInput` if there are not so many.
    package mutating func take(_ count: Int) throws(EngineError) -> Range<Int> {
        guard count >= 0, count <= left else { throw fault("it ends too early") }
        defer { offset += count }
        return offset..<(offset + count)
    }

    /// The next bytes as a part of their own.
    package mutating func part(_ count: Int) throws(EngineError) -> ByteReader { ByteReader(self, try take(count)) }

    package mutating func skip(_ count: Int) throws(EngineError) { _ = try take(count) }

    package mutating func array(_ count: Int) throws(EngineError) -> [UInt8] { Array(bytes[try take(count)]) }

    /// A number of one to eight bytes.
    package mutating func number(_ count: Int) throws(EngineError) -> UInt64 {
        let range = try take(count)
        var value: UInt64 = 0
        for index in range {
            let byte = bytes[isBigEndian ? index : range.lowerBound + range.upperBound - 1 - index]
            value = value << 8 | UInt64(byte)
        }
        return value
    }

    package mutating func byte() throws(EngineError) -> Int { Int(try number(1)) }
    package mutating func int16() throws(EngineError) -> Int { Int(Int16(truncatingIfNeeded: try number(2))) }
    package mutating func uint16() throws(EngineError) -> Int { Int(try number(2)) }
    package mutating func int32() throws(EngineError) -> Int { Int(Int32(truncatingIfNeeded: try number(4))) }
    package mutating func uint32() throws(EngineError) -> Int { Int(try number(4)) }

    /// A length of four or eight bytes.
    package mutating func length(isLong: Bool) throws(EngineError) -> Int {
        guard let length = Int(exactly: try number(isLong ? 8 : 4)), length <= left else {
            throw fault("a length leads beyond its end")
        }
        return length
    }

    /// Four letters.
    package mutating func letters() throws(EngineError) -> String {
        String(decoding: bytes[try take(4)], as: UTF8.self)
    }
}
