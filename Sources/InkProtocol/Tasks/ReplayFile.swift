import InkEngine

/// A file with a task and everything it needs, so that a task that crashed its workers can be run again, alone and in a
/// debugger.
///
///     bytes  field
///     13     the ASCII text "ink replay 4\n": the version is that of the protocol, whose tasks it holds
///     v, ..  text: description of the task
///     v, ..  the task (`WorkerTask.encoded()`), at most `ProtocolLimits.taskBytes`
///     v      number of blocks, then for each: id, v length, the frame
public struct ReplayFile: Hashable, Sendable {
    /// Description of the task, for people.
    public var title: String
    public var task: WorkerTask
    public var blocks: [Block]

    public init(title: String, task: WorkerTask, blocks: [Block]) {
        self.title = title
        self.task = task
        self.blocks = blocks
    }

    private static let magic = Array("ink replay \(ProtocolLimits.version)\n".utf8)

    public func encoded() -> [UInt8] {
        Self.head(title: title, task: task, blockCount: blocks.count) + blocks.flatMap(Self.record)
    }

    /// The beginning of a file, before the records of its `blockCount` blocks. A large file need not be in memory
    /// completely.
    public static func head(title: String, task: WorkerTask, blockCount: Int) -> [UInt8] {
        var writer = ByteWriter()
        writer.raw(magic)
        writer.text(title, limit: ProtocolLimits.textBytes)
        let bytes = task.encoded()
        writer.integer(bytes.count)
        writer.raw(bytes)
        writer.integer(blockCount)
        return writer.bytes
    }

    /// A block as stored in the file.
    public static func record(of block: Block) -> [UInt8] {
        var writer = ByteWriter()
        block.id.write(to: &writer)
        writer.integer(block.frame.count)
        writer.raw(block.frame)
        return writer.bytes
    }

    /// Decodes a file. Every block is checked against its name, and all blocks of the task must be present.
    ///
    /// - Throws: `wrongBlock`, and the errors of `ByteReader` and of `finish`.
    public init(decoding bytes: [UInt8]) throws(ProtocolError) {
        var reader = ByteReader(bytes)
        guard try reader.bytes(Self.magic.count, "magic") == Self.magic else {
            throw .badValue(
                what: "replay file", offset: 0, found: "something else",
                expected: "\"ink replay \(ProtocolLimits.version)\"")
        }
        title = try reader.text("title", limit: ProtocolLimits.textBytes)
        let count = try reader.count("task bytes", elementBytes: 1, limit: ProtocolLimits.taskBytes)
        task = try WorkerTask(decoding: try reader.bytes(count, "task"))
        blocks = []
        for _ in 0..<(try reader.count("blocks", elementBytes: 33)) {
            let id = try BlockID(from: &reader)
            let length = try reader.count("block bytes", elementBytes: 1, limit: ProtocolLimits.blockFrameBytes)
            blocks.append(try Block.verified(frame: try reader.bytes(length, "block"), as: id))
        }
        try reader.finish("replay file")
        let there = Set(blocks.map(\.id))
        if let missing = task.blocks.first(where: { !there.contains($0) }) {
            throw .badValue(what: "blocks", offset: reader.offset, found: "none of \(missing)", expected: "all")
        }
    }
}
