public import InkEngine

/// A project to read and to cut into blocks.
public struct ReadTask: Hashable, Sendable {
    /// The local block that refers to the project.
    public var source: BlockID

    public init(source: BlockID) { self.source = source }
}

extension ReadTask: WireValue {
    package init(from reader: inout ByteReader) throws(ProtocolError) { source = try BlockID(from: &reader) }

    package func write(to writer: inout ByteWriter) { source.write(to: &writer) }
}
