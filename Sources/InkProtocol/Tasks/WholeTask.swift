/// A picture that a worker makes alone, from its document to the pieces of its files.
///
/// The worker may find that it cannot, or that it would take too long: then it answers what it would answer to `read`.
public struct WholeTask: Hashable, Sendable {
    public var read: ReadTask
    /// The most that the picture may be estimated to take, in nanoseconds of a core.
    public var nanosecondsMax: UInt64

    public init(read: ReadTask, nanosecondsMax: UInt64) {
        self.read = read
        self.nanosecondsMax = nanosecondsMax
    }

    /// Maximum bytes of the samples of such a picture, counted once for each of its files.
    public static let sampleBytesMax = 64 << 20
    /// Maximum bytes of its pieces.
    public static let pieceBytesMax = 2 * sampleBytesMax
    /// Maximum number of its pieces.
    public static let piecesMax = 1 << 16
}

extension WholeTask: WireValue {
    package init(from reader: inout ByteReader) throws(ProtocolError) {
        let nanoseconds = try reader.integer("nanoseconds", in: 0...Int.max)
        self.init(read: try ReadTask(from: &reader), nanosecondsMax: UInt64(nanoseconds))
    }

    package func write(to writer: inout ByteWriter) {
        writer.integer(Int(clamping: nanosecondsMax))
        read.write(to: &writer)
    }
}
