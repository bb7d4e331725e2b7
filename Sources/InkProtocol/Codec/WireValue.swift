/// A value with a wire encoding. Writing is deterministic (equal values give equal bytes); reading checks every field.
protocol WireValue {
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
    mutating func optional<T: WireValue>(_ what: String) throws(ProtocolError) -> T? {
        guard try bool(what) else { return nil }
        return try T(from: &self)
    }

    /// A count followed by that many values, each of at least `elementBytes` bytes.
    mutating func array<T: WireValue>(
        _ what: String, elementBytes: Int, limit: Int = .max
    ) throws(ProtocolError) -> [T] {
        let count = try count(what, elementBytes: elementBytes, limit: limit)
        var values: [T] = []
        values.reserveCapacity(count)
        for _ in 0..<count { values.append(try T(from: &self)) }
        return values
    }

    /// A byte with the raw value of one of the cases of `T`.
    mutating func enumeration<T: RawRepresentable>(_ what: String) throws(ProtocolError) -> T
    where T.RawValue == UInt8 {
        try enumeration(what, try uint8(what))
    }

    /// The case for a byte that has just been read.
    func enumeration<T: RawRepresentable>(_ what: String, _ value: UInt8) throws(ProtocolError) -> T
    where T.RawValue == UInt8 {
        guard let result = T(rawValue: value) else {
            throw .badValue(what: what, offset: offset - 1, found: "\(value)", expected: "a known value")
        }
        return result
    }
}

extension ByteWriter {
    mutating func optional(_ value: (some WireValue)?) {
        bool(value != nil)
        value?.write(to: &self)
    }

    mutating func array(_ values: [some WireValue]) {
        integer(values.count)
        for value in values { value.write(to: &self) }
    }
}
