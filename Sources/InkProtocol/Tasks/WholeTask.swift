/// A picture that a worker makes alone, from its document to the pieces of its files.
///
/// The worker may find that it cannot, or that it would take too long: then it answers what it would answer to `read`.
public struct WholeTask: Hashable, Sendable {
    public var read: ReadTask
    /// The most that the picture may be estimated to take, in nanoseconds of a core.
    public var nanosecondsMax: UInt64
    /// The most bytes that all its pieces may have together: the broker keeps room for them.
    public var pieceBytesMax: Int

    public init(read: ReadTask, nanosecondsMax: UInt64, pieceBytesMax: Int = pieceBytesLimit) {
        self.read = read
        self.nanosecondsMax = nanosecondsMax
        self.pieceBytesMax = pieceBytesMax
    }

    /// Maximum bytes of the samples of such a picture, counted once for each of its files.
    public static let sampleBytesMax = 64 << 20
    /// Maximum bytes of the samples of all images in it, as they are decoded.
    public static let imageBytesMax: UInt64 = 64 << 20
    /// What `pieceBytesMax` is at most.
    public static let pieceBytesLimit = 2 * sampleBytesMax
    /// Maximum number of its pieces.
    public static let piecesMax = 1 << 16
}

extension WholeTask: WireValue {
    package init(from reader: inout ByteReader) throws(ProtocolError) {
        let nanoseconds = try reader.integer("nanoseconds", in: 0...Int.max)
        let bytes = try reader.integer("bytes of pieces", in: 0...Self.pieceBytesLimit)
        self.init(read: try ReadTask(from: &reader), nanosecondsMax: UInt64(nanoseconds), pieceBytesMax: bytes)
    }

    package func write(to writer: inout ByteWriter) {
        writer.integer(Int(clamping: nanosecondsMax))
        writer.integer(pieceBytesMax)
        read.write(to: &writer)
    }
}
