public import InkEngine

/// A picture that was made, and how.
public struct PictureReport: Hashable, Sendable {
    public var size: PixelSize
    /// In the order of the destinations. Only the first is sent and stored: several come as one archive.
    public var files: [WrittenFile]
    public var tileCount: Int
    /// Attempts at tasks, decoding and encoding included; above the number of tasks if some were repeated.
    public var attemptCount: Int
    /// From the submission to the renamed file, nanoseconds; from the first task where the farm is in this process.
    public var elapsed: UInt64
    public var phases = PhaseTimes()
    /// Processor time of the broker's threads for this picture, nanoseconds; what the loop spends while several
    /// exports are under way is shared evenly.
    public var brokerCPU: UInt64 = 0
    /// The quality that was found for the file, where its size was limited.
    public var quality: Int?
    /// Tiles whose results were kept from earlier exports. This and what follows are neither sent nor stored.
    public var foundCount: Int?
    /// Bytes of messages to workers (blocks that exports share count for one of them) and from them.
    public var bytesSent: Int?
    public var bytesReceived: Int?

    public init(
        size: PixelSize, files: [WrittenFile] = [], tileCount: Int = 0, attemptCount: Int = 0, elapsed: UInt64 = 0
    ) {
        self.size = size
        self.files = files
        self.tileCount = tileCount
        self.attemptCount = attemptCount
        self.elapsed = elapsed
    }

    /// What of the report is sent and stored.
    public var lasting: PictureReport {
        var lasting = self
        lasting.files = Array(files.prefix(1))
        (lasting.foundCount, lasting.bytesSent, lasting.bytesReceived) = (nil, nil, nil)
        return lasting
    }

    /// The length of the first file; 0 if there is none.
    public var byteCount: Int { files.first?.byteCount ?? 0 }
    /// The SHA-256 of the first file; empty if there is none.
    public var digest: [UInt8] { files.first?.digest ?? [] }

    /// Nanoseconds that the picture waited: for its first task, while it was paused, and behind others.
    public var waiting: UInt64 { min(elapsed, phases.queue) }
    /// `elapsed` without `waiting`, nanoseconds.
    public var rendering: UInt64 { elapsed - waiting }

    /// A report for each file; the first one has the times and counts of all.
    public var ofEachFile: [PictureReport] {
        files.enumerated().map { index, file in
            var own = index == 0 ? self : PictureReport(size: size, tileCount: tileCount, elapsed: elapsed)
            own.files = [file]
            return own
        }
    }
}

/// A file on the disk under its own name.
public struct WrittenFile: Hashable, Sendable {
    public var byteCount: Int
    /// SHA-256 of the file, 32 bytes; empty if not requested.
    public var digest: [UInt8]

    public init(byteCount: Int, digest: [UInt8]) {
        self.byteCount = byteCount
        self.digest = digest
    }
}

/// A picture that is complete and on the disk under its temporary name.
public struct SealedPicture: Hashable, Sendable {
    /// The final absolute path, links followed.
    public var target: String
    public var temporary: String
    public var picture: PictureReport

    public init(target: String, temporary: String, picture: PictureReport) {
        self.target = target
        self.temporary = temporary
        self.picture = picture
    }
}

extension PictureReport: WireValue {
    /// The phases of a broker and its workers, in their order.
    private static let sentPhases: [PhaseTimes.Path] = [
        \.queue, \.prepare, \.decode, \.raster, \.composite, \.encode, \.stitch,
    ]

    package init(from reader: inout ByteReader) throws(ProtocolError) {
        size = try PixelSize(from: &reader)
        let start = reader.offset
        let byteCount = try reader.uint64("byte count")
        guard byteCount <= UInt64(Int.max) else {
            throw .badValue(what: "byte count", offset: start, found: "\(byteCount)", expected: "0 to \(Int.max)")
        }
        files = [WrittenFile(byteCount: Int(byteCount), digest: try reader.bytes(32, "digest"))]
        quality = try reader.optionalInteger("quality", upTo: PictureEncoding.qualities.upperBound)
        tileCount = try reader.integer("tiles", in: 0...Int.max)
        attemptCount = try reader.integer("attempts", in: 0...Int.max)
        elapsed = try reader.varint("elapsed")
        for path in Self.sentPhases { phases[keyPath: path] = try reader.varint("phase") }
        brokerCPU = try reader.varint("phase")
    }

    package func write(to writer: inout ByteWriter) {
        size.write(to: &writer)
        writer.uint64(UInt64(byteCount))
        writer.raw(digest)
        writer.optionalInteger(quality, upTo: PictureEncoding.qualities.upperBound)
        writer.integer(tileCount)
        writer.integer(attemptCount)
        writer.varint(elapsed)
        for path in Self.sentPhases { writer.varint(phases[keyPath: path]) }
        writer.varint(brokerCPU)
    }

    /// The encoding for a store.
    public var stored: [UInt8] { encoded() }

    /// Decodes the result of `stored`.
    ///
    /// - Throws: the errors of `ByteReader`, `trailingBytes`.
    public init(stored bytes: [UInt8]) throws(ProtocolError) { try self.init(decoding: bytes, "picture") }
}
