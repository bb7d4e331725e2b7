import InkProtocol

/// Orders and questions whose callers wait.
struct RequestTable {
    enum Kind: Hashable {
        case order(OrderAction)
        case question(Topic)

        /// Whether it concerns jobs of the store for which it was made.
        var namesJobs: Bool {
            switch self {
            case .order(.drain), .question(.status), .question(.jobs): false
            case .order, .question: true
            }
        }
    }

    struct Request {
        let kind: Kind
        /// Number under which it was last sent; 0 before. Answers to earlier numbers may still arrive.
        var number: UInt32 = 0
        var repeatAt: Int64 = 0
        var tries = 0
        /// The received parts of the answer to `number`.
        var answer: [UInt8] = []
        var answerBytes: UInt64?
    }

    private(set) var requests: [RequestID: Request] = [:]
    private var byNumber: [UInt32: RequestID] = [:]
    private var lastNumber: UInt32 = 0

    subscript(_ id: RequestID) -> Request? {
        get { requests[id] }
        set { requests[id] = newValue }
    }

    var all: [RequestID] { requests.keys.sorted() }

    /// A number that no open request has used.
    mutating func number(for id: RequestID) -> UInt32 {
        repeat { lastNumber = lastNumber == .max ? 1 : lastNumber + 1 } while byNumber[lastNumber] != nil
        byNumber[lastNumber] = id
        return lastNumber
    }

    func request(of number: UInt32) -> RequestID? { byNumber[number] }

    mutating func remove(_ id: RequestID) {
        guard requests.removeValue(forKey: id) != nil else { return }
        byNumber = byNumber.filter { $0.value != id }
    }

    /// Takes the next piece of an answer; nil if there is no such request. Pieces that do not follow are ignored, and
    /// the question is repeated later. For a repeated question, the first answer that begins is used.
    mutating func append(_ part: AnswerPart, to id: RequestID, nextRepeat: Int64) -> Bool? {
        guard let request = requests[id], case .question = request.kind,
            request.number == part.number || request.answer.isEmpty, part.offset == UInt64(request.answer.count),
            request.answerBytes ?? part.totalBytes == part.totalBytes
        else { return nil }
        requests[id]?.number = part.number
        requests[id]?.answer += part.bytes
        requests[id]?.answerBytes = part.totalBytes
        requests[id]?.repeatAt = nextRepeat
        return part.offset + UInt64(part.bytes.count) == part.totalBytes
    }

    var nextTime: Int64? { requests.values.lazy.map(\.repeatAt).min() }
}

extension ClientState {
    mutating func request(_ id: RequestID, _ kind: RequestTable.Kind, now: Int64) {
        requests[id] = RequestTable.Request(kind: kind)
        ask(id, now: now)
    }

    /// Every repetition has its own number, so that parts of two answers are not mixed.
    private mutating func ask(_ id: RequestID, now: Int64) {
        guard isServing, var request = requests[id] else { return }
        request.number = requests.number(for: id)
        request.answer = []
        request.answerBytes = nil
        request.repeatAt = now + ClientRules.doubled(rules.requestRepeatTime, request.tries)
        requests[id] = request
        switch request.kind {
        case .order(let action): send(.order(Order(number: request.number, action: action)))
        case .question(let topic): send(.question(Question(number: request.number, topic: topic)))
        }
    }

    /// A session has started; the broker no longer knows the questions of an earlier one.
    mutating func sendRequests(now: Int64) {
        for id in requests.all { ask(id, now: now) }
    }

    mutating func repeatRequests(now: Int64) {
        for id in requests.all where requests[id].map({ $0.repeatAt <= now }) ?? false {
            requests[id]?.tries += 1
            ask(id, now: now)
        }
    }

    mutating func take(_ result: OrderResult) {
        guard let id = requests.request(of: result.number), case .order = requests[id]?.kind else { return }
        requests.remove(id)
        actions.append(.answer(id, .done(result)))
    }

    mutating func take(_ part: AnswerPart, now: Int64) {
        guard let id = requests.request(of: part.number) else { return }
        guard let isLast = requests.append(part, to: id, nextRepeat: now + rules.requestRepeatTime) else { return }
        guard isLast else { return actions.append(.answering(id)) }
        let answer = requests[id]?.answer ?? []
        requests.remove(id)
        actions.append(.answer(id, .answer(answer)))
    }
}
