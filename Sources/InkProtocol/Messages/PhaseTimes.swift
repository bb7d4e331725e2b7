/// Where the time of a picture or a task went, nanoseconds. Times of workers are sums over their threads.
public struct PhaseTimes: Hashable, Sendable {
    /// Reading and checking the project, before it is submitted.
    public var read: UInt64 = 0
    /// While no worker had one of its tasks, without `prepare`: before the first, while paused, behind other exports.
    public var queue: UInt64 = 0
    /// Cutting strokes and images into blocks, in the broker.
    public var prepare: UInt64 = 0
    /// Decoding images, in workers.
    public var decode: UInt64
    /// Drawing strokes, in workers.
    public var raster: UInt64
    /// Blending layers, masks and images, in workers.
    public var composite: UInt64
    /// Encoding pieces of files, in workers.
    public var encode: UInt64
    /// Writing the file and bringing it to the disk, in the broker.
    public var stitch: UInt64 = 0

    public init(decode: UInt64 = 0, raster: UInt64 = 0, composite: UInt64 = 0, encode: UInt64 = 0) {
        self.decode = decode
        self.raster = raster
        self.composite = composite
        self.encode = encode
    }

    public typealias Path = any WritableKeyPath<PhaseTimes, UInt64> & Sendable

    /// Each phase with its name in reports, in order.
    public static let all: [(name: String, path: Path)] = [
        ("read", \.read), ("decode", \.decode), ("queue", \.queue), ("prepare", \.prepare), ("raster", \.raster),
        ("composite", \.composite), ("encode", \.encode), ("stitch", \.stitch),
    ]

    /// Adds other times, and of none of them more than `most`. Whatever a worker or a broker claims, sums do not trap.
    public mutating func add(_ other: PhaseTimes, atMost most: UInt64 = .max) {
        for (_, path) in Self.all { self[keyPath: path] &+= min(most, other[keyPath: path]) }
    }
}
