public import InkEngine

/// A message from a client to the broker.
public enum ClientMessage: Hashable, Sendable {
    /// The first message of a session; the name is for people.
    case hello(clientName: String)
    case heartbeat
    case submit(Submission)
    /// Part of the answer to a `contentRequest`, in order.
    case contentPart(ContentPart)
    /// The client cannot send that content; the reason is for people.
    case contentUnavailable(ContentID, reason: String)
    /// Requests progress and end of these jobs for the rest of the session. 1 to `ProtocolLimits.jobsPerMessage`.
    case watch([JobNumber])
    /// Confirms notices, which are then not repeated. 1 to `ProtocolLimits.jobsPerMessage`.
    case noticesTaken([UInt64])
    /// Requests bytes of a picture. Answered with `picturePart`s, also while the job is running, or one
    /// `pictureMissing`.
    case pictureRequest(JobNumber, offset: UInt64)
    case order(Order)
    case question(Question)
    case goodbye
    /// The number of bytes of parts that the client has received in this session.
    case acknowledge(UInt64)
}

/// A piece of a requested content.
public struct ContentPart: Hashable, Sendable {
    public var id: ContentID
    public var offset: UInt64
    /// 1 to `ProtocolLimits.partBytes` bytes.
    public var bytes: [UInt8]

    public init(id: ContentID, offset: UInt64, bytes: [UInt8]) {
        self.id = id
        self.offset = offset
        self.bytes = bytes
    }
}

/// An action on jobs or workers; answered with `orderDone` of the same number.
public struct Order: Hashable, Sendable {
    /// Chosen by the client.
    public var number: UInt32
    public var action: OrderAction

    public init(number: UInt32, action: OrderAction) {
        self.number = number
        self.action = action
    }
}

/// Job lists hold 1 to `ProtocolLimits.jobsPerMessage` jobs.
public enum OrderAction: Hashable, Sendable {
    case cancel([JobNumber])
    /// Queue failed or cancelled jobs again.
    case retry([JobNumber])
    case priority([JobNumber], Int)
    /// Forget ended jobs and remove their pictures. An empty list means all that ended at least this many seconds ago.
    case purge([JobNumber], endedSecondsAgo: UInt64)
    /// Let the workers of this name finish their tasks and exit.
    case drain(worker: String)
    /// Do not start them, and give no further tasks of those under way to workers.
    case pause([JobNumber])
    case resume([JobNumber])
    /// Send the workers of this name away at once; others do their tasks.
    case dismiss(worker: String)
}

/// A question, answered with `answerPart`s of the same number that form one JSON text.
public struct Question: Hashable, Sendable {
    public var number: UInt32
    public var topic: Topic

    public init(number: UInt32, topic: Topic) {
        self.number = number
        self.topic = topic
    }
}

/// What a client asks about.
public enum Topic: Hashable, Sendable {
    /// Counts, workers, throughput, limits.
    case status
    /// At most `limit` (1 to 1,000) jobs with numbers above `after`, ascending.
    case jobs(after: JobNumber, limit: Int)
    case job(JobNumber)
    /// The events of each of the job's tiles.
    case story(JobNumber)
}

extension ClientMessage {
    /// The message as a frame. Names are cut to their limit; paths are not.
    ///
    /// - Throws: `overLimit` and `badValue` for values that the other side would refuse.
    public func encoded() throws(ProtocolError) -> [UInt8] {
        try check()
        return try sealed()
    }

    /// Throws unless a reader accepts what `sealed` writes.
    private func check() throws(ProtocolError) {
        switch self {
        case .submit(let submission): try submission.check()
        case .watch(let numbers), .noticesTaken(let numbers): try ClientMessage.check(numbers, least: 1)
        case .order(let order):
            switch order.action {
            case .cancel(let jobs), .retry(let jobs), .priority(let jobs, _), .pause(let jobs), .resume(let jobs):
                try ClientMessage.check(jobs, least: 1)
            case .purge(let jobs, _): try ClientMessage.check(jobs, least: 0)
            case .drain, .dismiss: break
            }
        case .hello, .heartbeat, .contentPart, .contentUnavailable, .pictureRequest, .question, .goodbye, .acknowledge:
            break
        }
    }

    private static func check(_ numbers: [UInt64], least: Int) throws(ProtocolError) {
        let limit = ProtocolLimits.jobsPerMessage
        guard numbers.count <= limit else {
            throw .overLimit(what: "numbers in a message", found: UInt64(numbers.count), limit: UInt64(limit))
        }
        guard numbers.count >= least else {
            throw .badValue(what: "numbers in a message", offset: 0, found: "none", expected: "at least \(least)")
        }
    }

    private func sealed() throws(ProtocolError) -> [UInt8] {
        switch self {
        case .hello(let name):
            try Frame.seal(type: MessageType.clientHello) { $0.text(name, limit: ProtocolLimits.nameBytes) }
        case .heartbeat: try Frame.seal(type: MessageType.heartbeat) { _ in }
        case .submit(let submission): try Frame.seal(type: MessageType.submit) { submission.write(to: &$0) }
        case .contentPart(let part):
            try Frame.seal(type: MessageType.contentPart) {
                part.id.write(to: &$0)
                $0.uint64(part.offset)
                $0.raw(part.bytes)
            }
        case .contentUnavailable(let id, let reason):
            try Frame.seal(type: MessageType.contentUnavailable) {
                id.write(to: &$0)
                $0.text(reason, limit: ProtocolLimits.textBytes)
            }
        case .watch(let jobs): try Frame.seal(type: MessageType.watch) { $0.numbers(jobs) }
        case .noticesTaken(let notices): try Frame.seal(type: MessageType.noticesTaken) { $0.numbers(notices) }
        case .pictureRequest(let job, let offset):
            try Frame.seal(type: MessageType.pictureRequest) {
                $0.uint64(job)
                $0.uint64(offset)
            }
        case .order(let order): try Frame.seal(type: MessageType.order) { order.write(to: &$0) }
        case .question(let question): try Frame.seal(type: MessageType.question) { question.write(to: &$0) }
        case .goodbye: try Frame.seal(type: MessageType.clientGoodbye) { _ in }
        case .acknowledge(let total): try Frame.seal(type: MessageType.acknowledge) { $0.uint64(total) }
        }
    }

    /// Reads a frame.
    ///
    /// - Throws: `badMagic`, `unsupportedVersion`, `badChecksum`, `unknownType`; the errors of `ByteReader`;
    ///   `trailingBytes`.
    public init(frame: [UInt8]) throws(ProtocolError) {
        var (type, body) = try Frame.open(frame)
        switch type {
        case MessageType.clientHello:
            self = .hello(clientName: try body.text("client name", limit: ProtocolLimits.nameBytes))
        case MessageType.heartbeat: self = .heartbeat
        case MessageType.submit: self = .submit(try Submission(from: &body))
        case MessageType.contentPart:
            let id = try ContentID(from: &body)
            let offset = try body.uint64("offset")
            self = .contentPart(ContentPart(id: id, offset: offset, bytes: try body.partBytes("content bytes")))
        case MessageType.contentUnavailable:
            let id = try ContentID(from: &body)
            self = .contentUnavailable(id, reason: try body.text("reason", limit: ProtocolLimits.textBytes))
        case MessageType.watch: self = .watch(try body.numbers("jobs", least: 1))
        case MessageType.noticesTaken: self = .noticesTaken(try body.numbers("notices", least: 1))
        case MessageType.pictureRequest:
            let job = try body.uint64("job")
            self = .pictureRequest(job, offset: try body.uint64("offset"))
        case MessageType.order: self = .order(try Order(from: &body))
        case MessageType.question: self = .question(try Question(from: &body))
        case MessageType.clientGoodbye: self = .goodbye
        case MessageType.acknowledge: self = .acknowledge(try body.uint64("bytes received"))
        default: throw .unknownType(type)
        }
        try body.finish("message")
    }
}

extension Order: WireValue {
    package init(from reader: inout ByteReader) throws(ProtocolError) {
        number = try reader.uint32("order number")
        let start = reader.offset
        let kind = try reader.uint8("order")
        switch kind {
        case 0: action = .cancel(try reader.numbers("jobs", least: 1))
        case 1: action = .retry(try reader.numbers("jobs", least: 1))
        case 2:
            let jobs = try reader.numbers("jobs", least: 1)
            action = .priority(jobs, try reader.integer("priority", in: 0...20) - 10)
        case 3:
            let jobs = try reader.numbers("jobs", least: 0)
            action = .purge(jobs, endedSecondsAgo: try reader.varint("seconds"))
        case 4: action = .drain(worker: try reader.text("worker", limit: ProtocolLimits.nameBytes))
        case 5: action = .pause(try reader.numbers("jobs", least: 1))
        case 6: action = .resume(try reader.numbers("jobs", least: 1))
        case 7: action = .dismiss(worker: try reader.text("worker", limit: ProtocolLimits.nameBytes))
        default: throw .badValue(what: "order", offset: start, found: "\(kind)", expected: "0 to 7")
        }
    }

    package func write(to writer: inout ByteWriter) {
        writer.uint32(number)
        switch action {
        case .cancel(let jobs):
            writer.uint8(0)
            writer.numbers(jobs)
        case .retry(let jobs):
            writer.uint8(1)
            writer.numbers(jobs)
        case .priority(let jobs, let priority):
            writer.uint8(2)
            writer.numbers(jobs)
            writer.integer(max(0, min(20, priority + 10)))
        case .purge(let jobs, let seconds):
            writer.uint8(3)
            writer.numbers(jobs)
            writer.varint(seconds)
        case .drain(let worker):
            writer.uint8(4)
            writer.text(worker, limit: ProtocolLimits.nameBytes)
        case .pause(let jobs):
            writer.uint8(5)
            writer.numbers(jobs)
        case .resume(let jobs):
            writer.uint8(6)
            writer.numbers(jobs)
        case .dismiss(let worker):
            writer.uint8(7)
            writer.text(worker, limit: ProtocolLimits.nameBytes)
        }
    }
}

extension Question: WireValue {
    package init(from reader: inout ByteReader) throws(ProtocolError) {
        number = try reader.uint32("question number")
        let start = reader.offset
        let kind = try reader.uint8("topic")
        switch kind {
        case 0: topic = .status
        case 1:
            let after = try reader.uint64("job")
            topic = .jobs(after: after, limit: try reader.integer("limit", in: 1...1000))
        case 2: topic = .job(try reader.uint64("job"))
        case 3: topic = .story(try reader.uint64("job"))
        default: throw .badValue(what: "topic", offset: start, found: "\(kind)", expected: "0 to 3")
        }
    }

    package func write(to writer: inout ByteWriter) {
        writer.uint32(number)
        switch topic {
        case .status: writer.uint8(0)
        case .jobs(let after, let limit):
            writer.uint8(1)
            writer.uint64(after)
            writer.integer(max(1, min(1000, limit)))
        case .job(let job):
            writer.uint8(2)
            writer.uint64(job)
        case .story(let job):
            writer.uint8(3)
            writer.uint64(job)
        }
    }
}

extension ByteReader {
    /// A count of at most `ProtocolLimits.jobsPerMessage`, followed by that many u64.
    mutating func numbers(_ what: String, least: Int) throws(ProtocolError) -> [UInt64] {
        let start = offset
        let count = try count(what, elementBytes: 8, limit: ProtocolLimits.jobsPerMessage)
        guard count >= least else {
            throw .badValue(what: what, offset: start, found: "\(count)", expected: "at least \(least)")
        }
        var numbers: [UInt64] = []
        numbers.reserveCapacity(count)
        for _ in 0..<count { numbers.append(try uint64(what)) }
        return numbers
    }
}

extension ByteWriter {
    mutating func numbers(_ numbers: [UInt64]) {
        integer(numbers.count)
        for number in numbers { uint64(number) }
    }
}
