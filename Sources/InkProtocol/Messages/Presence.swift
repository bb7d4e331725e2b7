/// A worker's first message on a connection. The version is in the frame's header.
public struct Hello: Hashable, Sendable {
    /// Identifies the pixels that the worker makes: all tiles of a job go to workers of one renderer version.
    public var rendererVersion: String
    /// For people; need not be unique.
    public var workerName: String
    public var threads: Int
    /// Number of tasks that the worker holds at most: one per thread, and one waiting for each.
    public var taskCredits: Int
    /// Maximum bytes of tasks and their blocks that the worker accepts at a time (one task is always accepted).
    public var byteCredits: UInt64

    public init(
        rendererVersion: String, workerName: String, threads: Int, taskCredits: Int, byteCredits: UInt64
    ) {
        self.rendererVersion = rendererVersion
        self.workerName = workerName
        self.threads = threads
        self.taskCredits = taskCredits
        self.byteCredits = byteCredits
    }
}

extension Hello: WireValue {
    package init(from reader: inout ByteReader) throws(ProtocolError) {
        rendererVersion = try reader.text("renderer version", limit: ProtocolLimits.nameBytes)
        workerName = try reader.text("worker name", limit: ProtocolLimits.nameBytes)
        threads = try reader.integer("threads", in: 1...ProtocolLimits.tasksInHand)
        taskCredits = try reader.integer("task credits", in: 1...ProtocolLimits.tasksInHand)
        byteCredits = try reader.varint("byte credits")
    }

    package func write(to writer: inout ByteWriter) {
        writer.text(rendererVersion, limit: ProtocolLimits.nameBytes)
        writer.text(workerName, limit: ProtocolLimits.nameBytes)
        writer.integer(threads)
        writer.integer(taskCredits)
        writer.varint(byteCredits)
    }
}

/// The broker accepts the worker.
public struct Welcome: Hashable, Sendable {
    /// Each side sends a heartbeat if it has sent nothing else for this long; above 0.
    public var heartbeatMilliseconds: Int
    /// A side that has been silent for this long counts as lost; at least the heartbeat.
    public var livenessMilliseconds: Int

    public init(heartbeatMilliseconds: Int, livenessMilliseconds: Int) {
        self.heartbeatMilliseconds = heartbeatMilliseconds
        self.livenessMilliseconds = livenessMilliseconds
    }
}

extension Welcome: WireValue {
    package init(from reader: inout ByteReader) throws(ProtocolError) {
        heartbeatMilliseconds = try reader.integer("heartbeat", in: 1...3_600_000)
        livenessMilliseconds = try reader.integer("liveness", in: heartbeatMilliseconds...3_600_000)
    }

    package func write(to writer: inout ByteWriter) {
        writer.integer(heartbeatMilliseconds)
        writer.integer(livenessMilliseconds)
    }
}

/// A worker is leaving.
public enum Goodbye: UInt8, Hashable, Sendable {
    /// It accepts no more tasks and finishes the current ones.
    case draining = 0
    /// It has left; its tasks are free.
    case left = 1
}
