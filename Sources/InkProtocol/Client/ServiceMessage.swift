public import InkEngine

/// A message from the broker to a client.
public enum ServiceMessage: Hashable, Sendable {
    case welcome(ClientWelcome)
    /// The broker does not serve the client; the reason is for people.
    case refuse(reason: String)
    case heartbeat
    /// The broker has no session for this connection (it was restarted, or the client was silent). The client sends
    /// hello again and repeats everything open.
    case unknownSession
    /// The job is on the broker's disk and will end in any case.
    case accepted(SubmissionKey, JobNumber)
    case rejected(SubmissionKey, Rejection)
    /// Requests these bytes of a content, in parts of at most `ProtocolLimits.partBytes`; 1 to
    /// `ProtocolLimits.transferWindowBytes`.
    case contentRequest(ContentID, offset: UInt64, byteCount: UInt64)
    /// Sent now and then for watched jobs; may be lost.
    case progress(JobNumber, done: Int, total: Int, timeLeft: TimeLeft? = nil)
    case notice(Notice)
    case picturePart(PicturePart)
    case pictureMissing(JobNumber, reason: String)
    case orderDone(OrderResult)
    case answerPart(AnswerPart)
    /// The number of bytes of parts that the broker has received in this session.
    case acknowledge(UInt64)
}

/// The broker's answer to a client's hello.
public struct ClientWelcome: Hashable, Sendable {
    public var brokerName: String
    /// Identifies a store; 16 bytes.
    public var storeID: SubmissionKey
    /// As in a worker's `Welcome`.
    public var heartbeatMilliseconds: Int
    public var livenessMilliseconds: Int

    public init(
        brokerName: String, storeID: SubmissionKey, heartbeatMilliseconds: Int, livenessMilliseconds: Int
    ) {
        self.brokerName = brokerName
        self.storeID = storeID
        self.heartbeatMilliseconds = heartbeatMilliseconds
        self.livenessMilliseconds = livenessMilliseconds
    }
}

/// Why a submission is rejected.
public struct Rejection: Hashable, Sendable {
    /// The reasons that clients tell apart.
    public enum Code: UInt8, Hashable, Sendable {
        /// The queue is full, or the broker is stopping. Try again after `retryMilliseconds`.
        case busy = 0
        /// The submission itself is wrong.
        case invalid = 1
        /// A path outside the roots that the broker allows.
        case forbidden = 2
        /// The broker's disk is full or fails. Try again after `retryMilliseconds`.
        case storage = 3
        /// The client did not send the content it announced.
        case content = 4

        /// Whether the same submission may be accepted later.
        public var isTemporary: Bool { self == .busy || self == .storage }
    }

    public var code: Code
    /// 0 if trying again does not help.
    public var retryMilliseconds: Int
    public var text: String

    public init(code: Code, retryMilliseconds: Int = 0, text: String) {
        self.code = code
        self.retryMilliseconds = retryMilliseconds
        self.text = text
    }
}

/// Reports the end of a job. Sent at least once, and repeated until the client confirms it.
public struct Notice: Hashable, Sendable {
    /// Identifies the notice: every repetition has this number, also after a restart.
    public var id: UInt64
    public var job: JobNumber
    /// `Submission.digest` of the submission that created the job. The job number is not enough: a broker whose disk
    /// was restored to an earlier state may assign it again. nil if the broker does not know it.
    public var submission: ContentID?
    public var ending: JobEnding

    public init(id: UInt64, job: JobNumber, submission: ContentID? = nil, ending: JobEnding) {
        self.id = id
        self.job = job
        self.submission = submission
        self.ending = ending
    }
}

/// How a job ended.
public enum JobEnding: Hashable, Sendable {
    case finished(PictureReport)
    case failed(FailureCode, text: String)
    case cancelled
    /// The broker does not know the job.
    case unknown
}

/// Why a job failed, in categories for programs.
public enum FailureCode: UInt8, Hashable, Sendable {
    /// The project violates a rule or a limit.
    case badInput = 0
    /// Reading or writing failed.
    case inputOutput = 1
    /// A task failed too often, or the program has a defect.
    case internalError = 2
    /// There was no worker.
    case noWorkers = 3
}

/// A piece of a finished picture.
public struct PicturePart: Hashable, Sendable {
    public var job: JobNumber
    public var offset: UInt64
    /// Size of the whole file; nil for a picture that is not finished.
    public var totalBytes: UInt64?
    /// 1 to `ProtocolLimits.partBytes` bytes.
    public var bytes: [UInt8]

    public init(job: JobNumber, offset: UInt64, totalBytes: UInt64?, bytes: [UInt8]) {
        self.job = job
        self.offset = offset
        self.totalBytes = totalBytes
        self.bytes = bytes
    }
}

/// The result of an order.
public struct OrderResult: Hashable, Sendable {
    /// Whether the order was carried out.
    public enum Code: UInt8, Hashable, Sendable {
        case done = 0
        /// Some of the jobs were not in a suitable state; `text` lists them.
        case partly = 1
        case refused = 2
    }

    public var number: UInt32
    public var code: Code
    /// Number of jobs or workers for which the order was carried out.
    public var count: UInt64
    public var text: String

    public init(number: UInt32, code: Code, count: UInt64, text: String) {
        self.number = number
        self.code = code
        self.count = count
        self.text = text
    }
}

/// A piece of an answer's JSON text.
public struct AnswerPart: Hashable, Sendable {
    public var number: UInt32
    /// Offset in the text, in bytes.
    public var offset: UInt64
    public var totalBytes: UInt64
    /// 1 to `ProtocolLimits.partBytes` bytes.
    public var bytes: [UInt8]

    public init(number: UInt32, offset: UInt64, totalBytes: UInt64, bytes: [UInt8]) {
        self.number = number
        self.offset = offset
        self.totalBytes = totalBytes
        self.bytes = bytes
    }
}

extension ServiceMessage {
    /// The message as a frame.
    ///
    /// - Throws: `overLimit` if it does not fit a frame.
    public func encoded() throws(ProtocolError) -> [UInt8] {
        switch self {
        case .welcome(let welcome): try Frame.seal(type: MessageType.clientWelcome) { welcome.write(to: &$0) }
        case .refuse(let reason):
            try Frame.seal(type: MessageType.refuse) { $0.text(reason, limit: ProtocolLimits.textBytes) }
        case .heartbeat: try Frame.seal(type: MessageType.heartbeat) { _ in }
        case .unknownSession: try Frame.seal(type: MessageType.unknownSession) { _ in }
        case .accepted(let key, let job):
            try Frame.seal(type: MessageType.accepted) {
                key.write(to: &$0)
                $0.uint64(job)
            }
        case .rejected(let key, let rejection):
            try Frame.seal(type: MessageType.rejected) {
                key.write(to: &$0)
                $0.uint8(rejection.code.rawValue)
                $0.integer(max(0, min(rejection.retryMilliseconds, ProtocolLimits.retryMilliseconds)))
                $0.text(rejection.text, limit: ProtocolLimits.textBytes)
            }
        case .contentRequest(let id, let offset, let byteCount):
            try Frame.seal(type: MessageType.contentRequest) {
                id.write(to: &$0)
                $0.uint64(offset)
                $0.uint64(byteCount)
            }
        case .progress(let job, let done, let total, let timeLeft):
            try Frame.seal(type: MessageType.progress) {
                $0.uint64(job)
                $0.integer(max(0, done))
                $0.integer(max(0, total))
                $0.optional(timeLeft)
            }
        case .notice(let notice): try Frame.seal(type: MessageType.notice) { notice.write(to: &$0) }
        case .picturePart(let part):
            try Frame.seal(type: MessageType.picturePart) {
                $0.uint64(part.job)
                $0.uint64(part.offset)
                // A picture has at least one byte, so 0 means unknown.
                $0.uint64(part.totalBytes ?? 0)
                $0.raw(part.bytes)
            }
        case .pictureMissing(let job, let reason):
            try Frame.seal(type: MessageType.pictureMissing) {
                $0.uint64(job)
                $0.text(reason, limit: ProtocolLimits.textBytes)
            }
        case .orderDone(let result):
            try Frame.seal(type: MessageType.orderDone) {
                $0.uint32(result.number)
                $0.uint8(result.code.rawValue)
                $0.varint(result.count)
                $0.text(result.text, limit: ProtocolLimits.textBytes)
            }
        case .answerPart(let part):
            try Frame.seal(type: MessageType.answerPart) {
                $0.uint32(part.number)
                $0.uint64(part.offset)
                $0.uint64(part.totalBytes)
                $0.raw(part.bytes)
            }
        case .acknowledge(let total): try Frame.seal(type: MessageType.acknowledge) { $0.uint64(total) }
        }
    }

    /// Reads a frame.
    ///
    /// - Throws: as `ClientMessage.init(frame:)`.
    public init(frame: [UInt8]) throws(ProtocolError) {
        var (type, body) = try Frame.open(frame)
        switch type {
        case MessageType.clientWelcome: self = .welcome(try ClientWelcome(from: &body))
        case MessageType.refuse: self = .refuse(reason: try body.text("reason", limit: ProtocolLimits.textBytes))
        case MessageType.heartbeat: self = .heartbeat
        case MessageType.acknowledge: self = .acknowledge(try body.uint64("bytes received"))
        case MessageType.unknownSession: self = .unknownSession
        case MessageType.accepted:
            let key = try SubmissionKey(from: &body)
            self = .accepted(key, try body.uint64("job"))
        case MessageType.rejected:
            let key = try SubmissionKey(from: &body)
            let code: Rejection.Code = try body.enumeration("rejection")
            let retry = try body.integer("retry time", in: 0...ProtocolLimits.retryMilliseconds)
            let text = try body.text("text", limit: ProtocolLimits.textBytes)
            self = .rejected(key, Rejection(code: code, retryMilliseconds: retry, text: text))
        case MessageType.contentRequest:
            let id = try ContentID(from: &body)
            let offset = try body.uint64("offset")
            let start = body.offset
            let byteCount = try body.uint64("byte count")
            guard byteCount > 0, byteCount <= ProtocolLimits.transferWindowBytes else {
                throw .badValue(
                    what: "byte count", offset: start, found: "\(byteCount)",
                    expected: "1 to \(ProtocolLimits.transferWindowBytes)")
            }
            self = .contentRequest(id, offset: offset, byteCount: byteCount)
        case MessageType.progress:
            let job = try body.uint64("job")
            let done = try body.integer("done", in: 0...Int.max)
            let total = try body.integer("total", in: 0...Int.max)
            self = .progress(job, done: done, total: total, timeLeft: try body.optional("has time left"))
        case MessageType.notice: self = .notice(try Notice(from: &body))
        case MessageType.picturePart:
            let job = try body.uint64("job")
            let offset = try body.uint64("offset")
            let total = try body.uint64("total bytes")
            let start = body.offset
            let bytes = try body.partBytes("picture bytes")
            let end = total == 0 ? UInt64(Int64.max) : total
            try ServiceMessage.check(offset: offset, count: bytes.count, total: end, at: start)
            self = .picturePart(
                PicturePart(job: job, offset: offset, totalBytes: total == 0 ? nil : total, bytes: bytes))
        case MessageType.pictureMissing:
            let job = try body.uint64("job")
            self = .pictureMissing(job, reason: try body.text("reason", limit: ProtocolLimits.textBytes))
        case MessageType.orderDone:
            let number = try body.uint32("order number")
            let code: OrderResult.Code = try body.enumeration("result")
            let count = try body.varint("count")
            let text = try body.text("text", limit: ProtocolLimits.textBytes)
            self = .orderDone(OrderResult(number: number, code: code, count: count, text: text))
        case MessageType.answerPart:
            let number = try body.uint32("question number")
            let offset = try body.uint64("offset")
            let total = try body.uint64("total bytes")
            guard total <= ProtocolLimits.answerBytes else {
                throw .overLimit(what: "answer", found: total, limit: ProtocolLimits.answerBytes)
            }
            let start = body.offset
            let bytes = try body.partBytes("answer bytes")
            try ServiceMessage.check(offset: offset, count: bytes.count, total: total, at: start)
            self = .answerPart(AnswerPart(number: number, offset: offset, totalBytes: total, bytes: bytes))
        default: throw .unknownType(type)
        }
        try body.finish("message")
    }

    private static func check(offset: UInt64, count: Int, total: UInt64, at position: Int) throws(ProtocolError) {
        guard offset <= total, UInt64(count) <= total - offset else {
            throw .badValue(
                what: "part", offset: position, found: "\(count) bytes at \(offset)",
                expected: "a piece of \(total) bytes")
        }
    }
}

extension ClientWelcome: WireValue {
    package init(from reader: inout ByteReader) throws(ProtocolError) {
        brokerName = try reader.text("broker name", limit: ProtocolLimits.nameBytes)
        storeID = try SubmissionKey(from: &reader)
        heartbeatMilliseconds = try reader.integer("heartbeat", in: 1...3_600_000)
        livenessMilliseconds = try reader.integer("liveness", in: heartbeatMilliseconds...3_600_000)
    }

    package func write(to writer: inout ByteWriter) {
        writer.text(brokerName, limit: ProtocolLimits.nameBytes)
        storeID.write(to: &writer)
        writer.integer(heartbeatMilliseconds)
        writer.integer(livenessMilliseconds)
    }
}

extension Notice: WireValue {
    package init(from reader: inout ByteReader) throws(ProtocolError) {
        id = try reader.uint64("notice id")
        job = try reader.uint64("job")
        submission = try reader.optional("has submission")
        let start = reader.offset
        let kind = try reader.uint8("ending")
        switch kind {
        case 0: ending = .finished(try PictureReport(from: &reader))
        case 1:
            let code: FailureCode = try reader.enumeration("failure")
            ending = .failed(code, text: try reader.text("text", limit: ProtocolLimits.textBytes))
        case 2: ending = .cancelled
        case 3: ending = .unknown
        default: throw .badValue(what: "ending", offset: start, found: "\(kind)", expected: "0 to 3")
        }
    }

    package func write(to writer: inout ByteWriter) {
        writer.uint64(id)
        writer.uint64(job)
        writer.optional(submission)
        switch ending {
        case .finished(let picture):
            writer.uint8(0)
            picture.write(to: &writer)
        case .failed(let code, let text):
            writer.uint8(1)
            writer.uint8(code.rawValue)
            writer.text(text, limit: ProtocolLimits.textBytes)
        case .cancelled: writer.uint8(2)
        case .unknown: writer.uint8(3)
        }
    }
}
