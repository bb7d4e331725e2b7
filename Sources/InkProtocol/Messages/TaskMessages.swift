public import InkEngine

/// A task and the terms of its lease.
public struct TaskAssignment: Hashable, Sendable {
    public var task: TaskID
    /// Counted from 1 by the broker, before it sends the task.
    public var attempt: UInt32
    /// How long the broker waits for a sign of progress, counted from the task's arrival; above 0. For information: the
    /// worker need not stop afterwards.
    public var deadlineMilliseconds: Int
    /// Maximum bytes of the result in all its parts.
    public var resultLimitBytes: UInt64
    public var payload: TaskPayload

    public init(
        task: TaskID, attempt: UInt32, deadlineMilliseconds: Int, resultLimitBytes: UInt64, payload: TaskPayload
    ) {
        self.task = task
        self.attempt = attempt
        self.deadlineMilliseconds = deadlineMilliseconds
        self.resultLimitBytes = resultLimitBytes
        self.payload = payload
    }
}

/// One attempt at a task.
public struct TaskAttempt: Hashable, Sendable {
    public var task: TaskID
    public var attempt: UInt32

    public init(task: TaskID, attempt: UInt32) {
        self.task = task
        self.attempt = attempt
    }
}

extension TaskAttempt: WireValue {
    static let byteCount = 12

    package init(from reader: inout ByteReader) throws(ProtocolError) {
        task = try TaskID(from: &reader)
        attempt = try reader.uint32("attempt")
    }

    package func write(to writer: inout ByteWriter) {
        task.write(to: &writer)
        writer.uint32(attempt)
    }
}

/// How a task's bytes (`WorkerTask.encoded()`) are sent.
public enum TaskPayload: Hashable, Sendable {
    /// In the message.
    case inline([UInt8])
    /// As a block, which the worker requests like any other.
    case block(BlockID)
}

extension TaskPayload {
    /// The payload of `task`; if it is larger than `inlineBytes`, also the block that must be available to the workers.
    ///
    /// - Throws: `overLimit` for a task beyond `ProtocolLimits.taskBytes`.
    public static func make(
        _ task: WorkerTask, inlineBytes: Int = ProtocolLimits.inlineTaskBytes
    ) throws(ProtocolError) -> (payload: TaskPayload, block: Block?) {
        let bytes = task.encoded()
        guard bytes.count > min(inlineBytes, ProtocolLimits.inlineTaskBytes) else { return (.inline(bytes), nil) }
        guard bytes.count <= ProtocolLimits.taskBytes else {
            throw .overLimit(what: "task", found: UInt64(bytes.count), limit: UInt64(ProtocolLimits.taskBytes))
        }
        let block = try Block(content: bytes)
        return (.block(block.id), block)
    }
}

extension TaskAssignment: WireValue {
    package init(from reader: inout ByteReader) throws(ProtocolError) {
        task = try TaskID(from: &reader)
        attempt = try reader.uint32("attempt")
        deadlineMilliseconds = try reader.integer("deadline", in: 1...Int(Int32.max))
        resultLimitBytes = try reader.varint("result limit")
        if try reader.bool("payload kind") {
            payload = .block(try BlockID(from: &reader))
        } else {
            let count = try reader.count("task bytes", elementBytes: 1, limit: ProtocolLimits.inlineTaskBytes)
            payload = .inline(try reader.bytes(count, "task"))
        }
    }

    package func write(to writer: inout ByteWriter) {
        task.write(to: &writer)
        writer.uint32(attempt)
        writer.integer(deadlineMilliseconds)
        writer.varint(resultLimitBytes)
        switch payload {
        case .inline(let bytes):
            writer.bool(false)
            writer.integer(bytes.count)
            writer.raw(bytes)
        case .block(let id):
            writer.bool(true)
            id.write(to: &writer)
        }
    }
}

/// A piece of a task's result.
public struct ResultPart: Hashable, Sendable {
    public var task: TaskID
    public var attempt: UInt32
    /// 0, 1, 2, ...
    public var sequence: UInt32
    /// 1 to `ProtocolLimits.partBytes` bytes of the result's record stream.
    public var bytes: [UInt8]

    public init(task: TaskID, attempt: UInt32, sequence: UInt32, bytes: [UInt8]) {
        self.task = task
        self.attempt = attempt
        self.sequence = sequence
        self.bytes = bytes
    }
}

extension ResultPart: WireValue {
    package init(from reader: inout ByteReader) throws(ProtocolError) {
        task = try TaskID(from: &reader)
        attempt = try reader.uint32("attempt")
        sequence = try reader.uint32("sequence")
        bytes = try reader.partBytes("result bytes")
    }

    package func write(to writer: inout ByteWriter) {
        writer.reserve(16 + bytes.count)
        task.write(to: &writer)
        writer.uint32(attempt)
        writer.uint32(sequence)
        writer.raw(bytes)
    }
}

extension ByteReader {
    /// The rest of a part's body: 1 to `ProtocolLimits.partBytes` bytes.
    mutating func partBytes(_ what: String) throws(ProtocolError) -> [UInt8] {
        guard (1...ProtocolLimits.partBytes).contains(remaining) else {
            throw .badValue(
                what: what, offset: offset, found: "\(remaining) bytes",
                expected: "1 to \(ProtocolLimits.partBytes) bytes")
        }
        return rest()
    }
}

/// All parts of the result have been sent.
public struct TaskDone: Hashable, Sendable {
    public var task: TaskID
    public var attempt: UInt32
    public var partCount: UInt32
    /// Total bytes of all parts.
    public var resultBytes: UInt64
    public var phases: PhaseTimes

    public init(task: TaskID, attempt: UInt32, partCount: UInt32, resultBytes: UInt64, phases: PhaseTimes) {
        self.task = task
        self.attempt = attempt
        self.partCount = partCount
        self.resultBytes = resultBytes
        self.phases = phases
    }
}

extension TaskDone: WireValue {
    package init(from reader: inout ByteReader) throws(ProtocolError) {
        task = try TaskID(from: &reader)
        attempt = try reader.uint32("attempt")
        partCount = try reader.uint32("part count")
        resultBytes = try reader.uint64("result bytes")
        phases = PhaseTimes(
            decode: try reader.uint64("decode time"), raster: try reader.uint64("raster time"),
            composite: try reader.uint64("composite time"), encode: try reader.uint64("encode time"))
    }

    package func write(to writer: inout ByteWriter) {
        task.write(to: &writer)
        writer.uint32(attempt)
        writer.uint32(partCount)
        writer.uint64(resultBytes)
        writer.uint64(phases.decode)
        writer.uint64(phases.raster)
        writer.uint64(phases.composite)
        writer.uint64(phases.encode)
    }
}

/// Why a task has no result.
public enum TaskFailureKind: UInt8, Hashable, Sendable {
    /// The input violates a rule or a limit; a retry cannot help.
    case badInput = 0
    /// Anything else; another worker may succeed.
    case internalError = 1
    /// Not finished, but not a failure: the broker cancelled it, or the worker is leaving or has no credit for it.
    case cancelled = 2
}

/// A task without a result.
public struct TaskFailed: Hashable, Sendable {
    public var task: TaskID
    public var attempt: UInt32
    public var kind: TaskFailureKind
    /// The place in the input, if the input is wrong.
    public var place: Place?
    /// One line for people, without the place.
    public var text: String

    public init(task: TaskID, attempt: UInt32, kind: TaskFailureKind, place: Place? = nil, text: String) {
        self.task = task
        self.attempt = attempt
        self.kind = kind
        self.place = place
        self.text = text
    }

    /// Made from an error of the engine.
    public init(task: TaskID, attempt: UInt32, error: EngineError) {
        switch error {
        case .badInput(let place, let reason):
            self.init(task: task, attempt: attempt, kind: .badInput, place: place, text: reason)
        case .overLimit(let place, let what, let found, let limit):
            self.init(
                task: task, attempt: attempt, kind: .badInput, place: place,
                text: "\(what) is \(found), the limit is \(limit)")
        case .cancelled:
            self.init(task: task, attempt: attempt, kind: .cancelled, text: error.description)
        case .io, .internalError, .unavailable:
            self.init(task: task, attempt: attempt, kind: .internalError, text: error.description)
        }
    }
}

extension TaskFailed: WireValue {
    package init(from reader: inout ByteReader) throws(ProtocolError) {
        task = try TaskID(from: &reader)
        attempt = try reader.uint32("attempt")
        kind = try reader.enumeration("failure kind")
        place = try reader.optional("has place")
        text = try reader.text("text", limit: ProtocolLimits.textBytes)
    }

    package func write(to writer: inout ByteWriter) {
        task.write(to: &writer)
        writer.uint32(attempt)
        writer.uint8(kind.rawValue)
        writer.optional(place)
        writer.text(text, limit: ProtocolLimits.textBytes)
    }
}
