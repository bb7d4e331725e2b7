/// The sizes beyond which a peer's message is refused before memory is taken for it. They are part of the protocol:
/// a sender keeps to them, a receiver checks them.
public enum ProtocolLimits {
    /// The version that this program speaks.
    public static let version: UInt16 = 3
    /// The versions that this program accepts: its own and the one before.
    public static let supportedVersions: ClosedRange<UInt16> = 2...3
    /// The first version in which what arrives is acknowledged.
    public static let acknowledgingVersion: UInt16 = 3
    /// The first version in which a notice says which submission it is of.
    static let noticeSubmissionVersion: UInt16 = 3

    /// Bytes before a frame's body.
    public static let headerBytes = 16
    /// A frame's body, bytes.
    public static let bodyBytes = 1 << 20
    /// A whole frame, bytes; what ZMQ_MAXMSGSIZE is set to.
    public static let frameBytes = headerBytes + bodyBytes
    /// The content bytes of one `blockPart` or `resultPart`; the rest of the body is for its other fields.
    public static let partBytes = bodyBytes - 1024

    /// A task that encodes to more than this travels as a block.
    public static let inlineTaskBytes = 256 << 10
    /// An encoded task, bytes, uncompressed.
    public static let taskBytes = 32 << 20

    /// A block as it travels (a zstd frame), bytes.
    public static let blockFrameBytes = (1 << 30) + (16 << 20)
    /// What a block decompresses to, bytes. A block may hold a whole PNG file.
    public static let blockContentBytes = 1 << 30
    /// What a block of strokes decompresses to, bytes.
    public static let strokeBlockBytes = 64 << 20
    /// Stamps of all strokes in a block.
    public static let strokeBlockStamps = 100_000_000
    /// Items in one `blockRequest`.
    public static let requestedBlocks = 64
    /// Blocks that a worker has asked for and not wholly received, at any time.
    public static let blocksInFlight = 16
    /// What one requested item is answered with at most, bytes of the block; more is asked for with a later offset.
    public static let blockWindowBytes = 4 * partBytes

    /// A name (of a worker, of a renderer version), bytes of UTF-8.
    public static let nameBytes = 256
    /// A text for people, or a place in a file, bytes of UTF-8.
    public static let textBytes = 4096

    /// A project's content as it travels, bytes.
    public static let contentBytes: UInt64 = (1 << 30) + (16 << 20)
    /// What one `contentRequest` and one `pictureRequest` ask for at most, bytes.
    public static let transferWindowBytes: UInt64 = 4 * UInt64(partBytes)
    /// What such a window is cut into on a fast line, bytes. A receiver takes parts of up to `partBytes`.
    public static let transferPartBytes = 256 << 10
    /// Jobs or notices in one message.
    public static let jobsPerMessage = 1000
    /// Longest time that a client can be asked to wait before it retries.
    public static let retryMilliseconds = 86_400_000
    /// The JSON text of an answer, bytes.
    public static let answerBytes: UInt64 = 64 << 20

    /// Layers in a tile's task.
    public static let layers = 65_536
    /// Canvas, output and image edges, pixels.
    public static let edgePixels = Int(Int32.max)
    /// Largest distance of a stroke's coordinate from the origin, canvas pixels.
    public static let coordinate = 1e12
    /// Most threads and credits that a worker may announce.
    public static let tasksInHand = 4096
    /// Tasks in one `underWay`.
    public static let tasksPerMessage = 64
    /// The bytes of one task's result; a broker may set less for each task.
    public static let resultBytes: UInt64 = 8 << 30
}
