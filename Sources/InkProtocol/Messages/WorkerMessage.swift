/// A message from a worker to the broker.
public enum WorkerMessage: Hashable, Sendable {
    case hello(Hello)
    case heartbeat
    /// 1 to `ProtocolLimits.requestedBlocks` items.
    case blockRequest([BlockRange])
    case resultPart(ResultPart)
    case taskDone(TaskDone)
    case taskFailed(TaskFailed)
    case goodbye(Goodbye)
    /// The number of bytes of parts that the worker has received in this session.
    case acknowledge(UInt64)
    /// Tasks that are delayed only because their blocks or results are in transfer. 1 to
    /// `ProtocolLimits.tasksPerMessage`.
    case underWay([TaskAttempt])
}

extension WorkerMessage {
    /// The message as a frame.
    ///
    /// - Throws: `overLimit` if it does not fit a frame (a `resultPart` of more than `ProtocolLimits.partBytes`).
    public func encoded() throws(ProtocolError) -> [UInt8] {
        switch self {
        case .hello(let hello): try Frame.seal(type: MessageType.hello) { hello.write(to: &$0) }
        case .heartbeat: try Frame.seal(type: MessageType.heartbeat) { _ in }
        case .blockRequest(let ranges): try Frame.seal(type: MessageType.blockRequest) { $0.array(ranges) }
        case .resultPart(let part): try Frame.seal(type: MessageType.resultPart) { part.write(to: &$0) }
        case .taskDone(let done): try Frame.seal(type: MessageType.taskDone) { done.write(to: &$0) }
        case .taskFailed(let failed): try Frame.seal(type: MessageType.taskFailed) { failed.write(to: &$0) }
        case .goodbye(let goodbye): try Frame.seal(type: MessageType.goodbye) { $0.uint8(goodbye.rawValue) }
        case .acknowledge(let total): try Frame.seal(type: MessageType.acknowledge) { $0.uint64(total) }
        case .underWay(let attempts): try Frame.seal(type: MessageType.underWay) { $0.array(attempts) }
        }
    }

    /// Reads a frame.
    ///
    /// - Throws: as `ClientMessage.init(frame:)`.
    public init(frame: [UInt8]) throws(ProtocolError) {
        var (type, body) = try Frame.open(frame)
        switch type {
        case MessageType.hello: self = .hello(try Hello(from: &body))
        case MessageType.heartbeat: self = .heartbeat
        case MessageType.blockRequest:
            let ranges: [BlockRange] = try body.array(
                "blocks", elementBytes: BlockRange.leastBytes, limit: ProtocolLimits.requestedBlocks)
            guard !ranges.isEmpty else {
                throw .badValue(what: "blocks", offset: body.offset, found: "none", expected: "at least one")
            }
            self = .blockRequest(ranges)
        case MessageType.resultPart: self = .resultPart(try ResultPart(from: &body))
        case MessageType.taskDone: self = .taskDone(try TaskDone(from: &body))
        case MessageType.taskFailed: self = .taskFailed(try TaskFailed(from: &body))
        case MessageType.goodbye: self = .goodbye(try body.enumeration("goodbye"))
        case MessageType.acknowledge: self = .acknowledge(try body.uint64("bytes received"))
        case MessageType.underWay:
            let attempts: [TaskAttempt] = try body.array(
                "tasks", elementBytes: TaskAttempt.byteCount, limit: ProtocolLimits.tasksPerMessage)
            guard !attempts.isEmpty else {
                throw .badValue(what: "tasks", offset: body.offset, found: "none", expected: "at least one")
            }
            self = .underWay(attempts)
        default: throw .unknownType(type)
        }
        try body.finish("message")
    }
}

/// The numbers of the messages: 1 to 15 from worker to broker, 16 to 31 from broker to worker, 32 to 47 from client to
/// broker, 48 to 63 from broker to client; `heartbeat`, `acknowledge` and `refuse` in all directions.
enum MessageType {
    static let hello: UInt8 = 1
    static let heartbeat: UInt8 = 2
    static let blockRequest: UInt8 = 3
    static let resultPart: UInt8 = 4
    static let taskDone: UInt8 = 5
    static let taskFailed: UInt8 = 6
    static let goodbye: UInt8 = 7
    static let acknowledge: UInt8 = 8
    static let underWay: UInt8 = 9

    static let welcome: UInt8 = 16
    static let refuse: UInt8 = 17
    static let task: UInt8 = 18
    static let blockPart: UInt8 = 19
    static let blockMissing: UInt8 = 20
    static let cancel: UInt8 = 21
    static let drain: UInt8 = 22
    static let unknownWorker: UInt8 = 23

    static let clientHello: UInt8 = 32
    static let submit: UInt8 = 33
    static let contentPart: UInt8 = 34
    static let contentUnavailable: UInt8 = 35
    static let watch: UInt8 = 36
    static let noticesTaken: UInt8 = 37
    static let pictureRequest: UInt8 = 38
    static let order: UInt8 = 39
    static let question: UInt8 = 40
    static let clientGoodbye: UInt8 = 41

    static let clientWelcome: UInt8 = 48
    static let unknownSession: UInt8 = 49
    static let accepted: UInt8 = 50
    static let rejected: UInt8 = 51
    static let contentRequest: UInt8 = 52
    static let progress: UInt8 = 53
    static let notice: UInt8 = 54
    static let picturePart: UInt8 = 55
    static let pictureMissing: UInt8 = 56
    static let orderDone: UInt8 = 57
    static let answerPart: UInt8 = 58
}
