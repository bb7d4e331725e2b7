/// A value with a wire encoding. Writing is deterministic (equal values give equal bytes); reading checks every field.
package protocol WireValue {
    /// Reads one value; throws `ProtocolError` for anything that `write` cannot have written.
    init(from reader: inout ByteReader) throws(ProtocolError)
    /// Appends the value.
    func write(to writer: inout ByteWriter)
}

extension WireValue {
    /// The value alone, as bytes.
    func encoded() -> [UInt8] {
        var writer = ByteWriter()
        write(to: &writer)
        return writer.bytes
    }

    /// Decodes a value that occupies all of `bytes`; `what` names it in errors.
    init(decoding bytes: [UInt8], _ what: String) throws(ProtocolError) {
        var reader = ByteReader(bytes)
        self = try Self(from: &reader)
        try reader.finish(what)
    }
}

extension ByteReader {
    /// An optional value: a byte 0, or a byte 1 followed by the value.
    package mutating func optional<T: WireValue>(_ what: String) throws(ProtocolError) -> T? {
        guard try bool(what) else { return nil }
        return try T(from: &self)
    }

    /// A count followed by that many values, each of at least `elementBytes` bytes.
    package mutating func array<T: WireValue>(
        _ what: String, elementBytes: Int, limit: Int = .max
    ) throws(ProtocolError) -> [T] {
        let count = try count(what, elementBytes: elementBytes, limit: limit)
        var values: [T] = []
        values.reserveCapacity(count)
        for _ in 0..<count { values.append(try T(from: &self)) }
        return values
    }

    /// A byte with the raw value of one of the cases of `T`.
    package mutating func enumeration<T: RawRepresentable>(_ what: String) throws(ProtocolError) -> T
    where T.RawValue == UInt8 {
        try enumeration(what, try uint8(what))
    }

    /// The case for a byte that has just been read.
    package func enumeration<T: RawRepresentable>(_ what: String, _ value: UInt8) throws(ProtocolError) -> T
    where T.RawValue == UInt8 {
        guard let result = T(rawValue: value) else {
            throw .badValue(what: what, offset: offset - 1, found: "\(value)", expected: "a known value")
        }
        return result
    }

    /// As `enumeration`, or 0 for none.
    mutating func optionalEnumeration<T: RawRepresentable>(_ what: String) throws(ProtocolError) -> T?
    where T.RawValue == UInt8 {
        let value = try uint8(what)
        return value == 0 ? nil : try enumeration(what, value)
    }

    /// A byte with the place of a value in `table`.
    mutating func entry<T>(_ what: String, of table: [T]) throws(ProtocolError) -> T {
        let place = Int(try uint8(what))
        guard table.indices.contains(place) else {
            throw .badValue(what: what, offset: offset - 1, found: "\(place)", expected: "0 to \(table.count - 1)")
        }
        return table[place]
    }

    /// A byte of flags, none of them outside `known`.
    mutating func flags<T: OptionSet>(_ what: String, of known: T) throws(ProtocolError) -> T
    where T.RawValue == UInt8, T.Element == T {
        let flags = T(rawValue: try uint8(what))
        guard flags.isSubset(of: known) else {
            throw .badValue(
                what: what, offset: offset - 1, found: "\(flags.rawValue)", expected: "bits of \(known.rawValue)")
        }
        return flags
    }

    /// A varint of 1 to `limit`, or 0 for none.
    mutating func optionalInteger(_ what: String, upTo limit: Int) throws(ProtocolError) -> Int? {
        let value = try integer(what, in: 0...limit)
        return value == 0 ? nil : value
    }

    /// As `optional`, for a double within `range`.
    mutating func optionalDouble(_ what: String, in range: ClosedRange<Double>) throws(ProtocolError) -> Double? {
        try bool("has \(what)") ? try double(what, in: range) : nil
    }
}

extension ByteWriter {
    package mutating func optional(_ value: (some WireValue)?) {
        bool(value != nil)
        value?.write(to: &self)
    }

    package mutating func array(_ values: [some WireValue]) {
        integer(values.count)
        for value in values { value.write(to: &self) }
    }

    /// - Precondition: the value is in the table.
    mutating func entry<T: Equatable>(_ value: T, of table: [T]) {
        // The tables have every case of their types; a test checks it.
        uint8(UInt8(table.firstIndex(of: value)!))
    }

    /// A value beyond the limit is written as the limit.
    mutating func optionalInteger(_ value: Int?, upTo limit: Int) { integer(max(0, min(limit, value ?? 0))) }

    mutating func optionalDouble(_ value: Double?) {
        bool(value != nil)
        if let value { double(value) }
    }
}
