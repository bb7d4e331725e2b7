public import InkEngine

/// Marks on the wire, all of one sort. They are exact, except for values that do not affect rendering (a point's
/// timestamp and altitude become their defaults).
///
/// A byte says which sort follows: 0 strokes, 1 shapes. The layouts are in docs/protocol.md; numbers are little-endian.
/// A plane of n doubles is written as eight runs of n bytes: all lowest bytes, ... all highest bytes. Neighbouring
/// points share sign, exponent and leading bits, so zstd finds long runs.
public struct MarkBlock: Hashable, Sendable {
    public var marks: MarkList

    /// - Precondition: for encoding, values are finite and in the ranges of the project format.
    public init(_ marks: MarkList) { self.marks = marks }

    /// The content of the block, not compressed. Equal blocks give equal bytes.
    public func encoded() -> [UInt8] {
        var writer = ByteWriter()
        switch marks {
        case .strokes(let strokes):
            writer.uint8(0)
            writer.strokes(strokes)
        case .shapes(let shapes):
            writer.uint8(1)
            writer.shapes(shapes)
        }
        return writer.bytes
    }

    /// Decodes a block's content; every count and value is checked.
    ///
    /// - Throws: `truncated`, `badValue`, `overLimit`, `trailingBytes`.
    public init(decoding content: [UInt8]) throws(ProtocolError) {
        var reader = ByteReader(content)
        marks = try reader.bool("sort of marks") ? .shapes(reader.shapes()) : .strokes(reader.strokes())
        try reader.finish("block of marks")
    }

    /// Compresses and names the block for transfer.
    ///
    /// - Throws: `overLimit` for a block beyond `ProtocolLimits.markBlockBytes`, `badCompression`.
    public func sealed(level: Zstandard.Level = .fast) throws(ProtocolError) -> Block {
        let content = encoded()
        guard content.count <= ProtocolLimits.markBlockBytes else {
            throw .overLimit(
                what: "block of marks", found: UInt64(content.count), limit: UInt64(ProtocolLimits.markBlockBytes))
        }
        return try Block(content: content, level: level)
    }
}
