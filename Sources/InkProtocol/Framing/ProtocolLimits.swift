/// Limits of the protocol. A sender keeps to them. A receiver checks them before it allocates memory.
public enum ProtocolLimits {
    /// The version that this program speaks. It accepts no other.
    public static let version: UInt16 = 4

    /// Size of a frame's header.
    public static let headerBytes = 16
    /// Maximum size of a frame's body.
    public static let bodyBytes = 1 << 20
    /// Maximum size of a frame; the value of ZMQ_MAXMSGSIZE.
    public static let frameBytes = headerBytes + bodyBytes
    /// Maximum content bytes of a part; the rest of the body is for its other fields.
    public static let partBytes = bodyBytes - 1024

    /// A task with a larger encoding is sent as a block.
    public static let inlineTaskBytes = 256 << 10
    /// Maximum size of an encoded task, uncompressed.
    public static let taskBytes = 32 << 20

    /// Maximum size of a block on the wire (a zstd frame), in bytes.
    public static let blockFrameBytes = (1 << 30) + (16 << 20)
    /// Maximum size of a block after decompression, in bytes. A block may hold a whole PNG file.
    public static let blockContentBytes = 1 << 30
    /// Maximum size of a block of marks after decompression, in bytes.
    public static let markBlockBytes = 64 << 20
    /// Size of each part of a draft but the last after decompression, in bytes.
    public static let draftPartBytes = 64 << 20
    /// Maximum number of parts of a draft: forty million strokes.
    public static let draftParts = 32
    /// Maximum number of files beside a document that its reader may ask for, and of warnings that it may give.
    public static let companions = 16_384
    /// Maximum number of times that it may ask.
    public static let companionRounds = 8
    /// Maximum number of stamps of all strokes in a block.
    public static let strokeBlockStamps = 100_000_000
    /// Maximum number of segments of all shapes in a block, those of a path as often as it is drawn.
    public static let markBlockSegments = 100_000_000
    /// Maximum number of items in one `blockRequest`.
    public static let requestedBlocks = 64
    /// Maximum number of blocks that a worker has requested but not completely received.
    public static let blocksInFlight = 16
    /// Maximum number of bytes in the answer to one requested item. The worker requests the rest with a later offset.
    public static let blockWindowBytes = 4 * partBytes

    /// Maximum length of a name (of a worker or a renderer version), in bytes of UTF-8.
    public static let nameBytes = 256
    /// Maximum length of a text for people, or of a place in a file, in bytes of UTF-8.
    public static let textBytes = 4096

    /// Maximum size of a project's content on the wire, in bytes.
    public static let contentBytes: UInt64 = (1 << 30) + (16 << 20)
    /// Maximum number of bytes that one `contentRequest` or `pictureRequest` asks for.
    public static let transferWindowBytes: UInt64 = 4 * UInt64(partBytes)
    /// Size of the parts of such a window on a fast line, in bytes. A receiver accepts parts of up to `partBytes`.
    public static let transferPartBytes = 256 << 10
    /// Maximum number of jobs or notices in one message.
    public static let jobsPerMessage = 1000
    /// Longest time that the broker can ask a client to wait before it retries.
    public static let retryMilliseconds = 86_400_000
    /// Maximum size of the JSON text of an answer, in bytes.
    public static let answerBytes: UInt64 = 64 << 20

    /// Maximum number of layers in the task of a tile.
    public static let layers = 65_536
    /// Maximum depth of their tree: every level of a project's can be clipped, which adds one.
    public static let layerDepth = 80
    /// Maximum edge of canvas, output and images, in pixels.
    public static let edgePixels = Int(Int32.max)
    /// Maximum distance of a stroke's coordinate from the origin, in canvas pixels.
    public static let coordinate = 1e20
    /// Maximum number of threads and of credits that a worker may announce.
    public static let tasksInHand = 4096
    /// Maximum number of tasks in one `underWay`.
    public static let tasksPerMessage = 64
    /// Maximum size of one task's result in bytes; a broker may set less for each task.
    public static let resultBytes: UInt64 = 8 << 30
}
