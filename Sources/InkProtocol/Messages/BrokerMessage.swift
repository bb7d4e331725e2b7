public import InkEngine

/// A message from the broker to a worker.
public enum BrokerMessage: Hashable, Sendable {
    case welcome(Welcome)
    /// The broker does not accept the worker; the reason is for people.
    case refuse(reason: String)
    case task(TaskAssignment)
    case blockPart(BlockPart)
    /// The broker does not have that block.
    case blockMissing(BlockID)
    /// The result is no longer needed, for any attempt. The worker answers each attempt with `taskFailed(cancelled)`,
    /// unless it has finished it already.
    case cancel(TaskID)
    case heartbeat
    /// Finish current tasks, accept no new ones, then send goodbye.
    case drain
    /// The broker does not know a worker on this connection (it was restarted, or considered the worker lost). The
    /// worker makes a new connection and sends hello.
    case unknownWorker
    /// The number of bytes of parts that the broker has received in this session.
    case acknowledge(UInt64)
}

extension BrokerMessage {
    /// The message as a frame.
    ///
    /// - Throws: `overLimit` if it does not fit a frame (a `blockPart` of more than `ProtocolLimits.partBytes`).
    public func encoded() throws(ProtocolError) -> [UInt8] {
        switch self {
        case .welcome(let welcome): try Frame.seal(type: MessageType.welcome) { welcome.write(to: &$0) }
        case .refuse(let reason):
            try Frame.seal(type: MessageType.refuse) { $0.text(reason, limit: ProtocolLimits.textBytes) }
        case .task(let assignment): try Frame.seal(type: MessageType.task) { assignment.write(to: &$0) }
        case .blockPart(let part): try Frame.seal(type: MessageType.blockPart) { part.write(to: &$0) }
        case .blockMissing(let id): try Frame.seal(type: MessageType.blockMissing) { id.write(to: &$0) }
        case .cancel(let task): try Frame.seal(type: MessageType.cancel) { task.write(to: &$0) }
        case .heartbeat: try Frame.seal(type: MessageType.heartbeat) { _ in }
        case .unknownWorker: try Frame.seal(type: MessageType.unknownWorker) { _ in }
        case .drain: try Frame.seal(type: MessageType.drain) { _ in }
        case .acknowledge(let total): try Frame.seal(type: MessageType.acknowledge) { $0.uint64(total) }
        }
    }

    /// Reads a frame.
    ///
    /// - Throws: as `ClientMessage.init(frame:)`.
    public init(frame: [UInt8]) throws(ProtocolError) {
        var (type, body) = try Frame.open(frame)
        switch type {
        case MessageType.welcome: self = .welcome(try Welcome(from: &body))
        case MessageType.refuse: self = .refuse(reason: try body.text("reason", limit: ProtocolLimits.textBytes))
        case MessageType.task: self = .task(try TaskAssignment(from: &body))
        case MessageType.blockPart: self = .blockPart(try BlockPart(from: &body))
        case MessageType.blockMissing: self = .blockMissing(try BlockID(from: &body))
        case MessageType.cancel: self = .cancel(try TaskID(from: &body))
        case MessageType.heartbeat: self = .heartbeat
        case MessageType.drain: self = .drain
        case MessageType.unknownWorker: self = .unknownWorker
        case MessageType.acknowledge: self = .acknowledge(try body.uint64("bytes received"))
        default: throw .unknownType(type)
        }
        try body.finish("message")
    }
}
