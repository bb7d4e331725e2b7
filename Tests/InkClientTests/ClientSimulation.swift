import InkEngine
import InkProtocol
import InkTestSupport

@testable import InkClient

/// A client and a broker on a clock of their own, and a network between them that loses, repeats and delays.
struct ClientSimulation {
    private enum Step {
        case toBroker(ClientMessage, route: Int)
        case toClient(ServiceMessage, route: Int)
        case client(ClientEvent)
        case brokerTick
        case restart
    }

    var random: SeededGenerator
    var service: FakeService
    var client: ClientState
    private(set) var now: Int64 = 0
    /// Until then the network is bad.
    var badUntil: Int64 = 0
    /// The chance that a bad network loses a message, in percent.
    var lossShare = 10
    var repeatShare = 10

    private var steps: [(at: Int64, serial: UInt64, step: Step)] = []
    private var serial: UInt64 = 0
    private var route = 0
    private var brokerIsUp = true
    private var files: [FetchID: (path: String, bytes: [UInt8])] = [:]
    /// Whether pictures are followed while they are made.
    var follows = false

    private(set) var events: [FarmClientEvent] = []
    private(set) var answers: [RequestID: RequestOutcome] = [:]
    /// By path.
    private(set) var stored: [String: [UInt8]] = [:]
    /// What a path had before is not touched by a failure.
    private(set) var openFiles = 0
    private(set) var mostReadAhead = 0
    private var readAhead = 0
    /// Everything that happened, for a failing seed.
    private(set) var history: [String] = []

    init(seed: UInt64, rules: ClientRules = ClientRules()) {
        random = SeededGenerator(seed: seed)
        service = FakeService(seed: seed &+ 1)
        client = ClientState(rules: rules, seed: seed &+ 2)
        schedule(.client(.started), in: 0)
        schedule(.brokerTick, in: 500)
    }

    mutating func tell(_ event: ClientEvent) { schedule(.client(event), in: 0) }
    mutating func restartBroker(in time: Int64) { schedule(.restart, in: time) }

    private mutating func schedule(_ step: Step, in time: Int64) {
        serial += 1
        let item = (at: now + time, serial: serial, step: step)
        // Sorted, the next one last; there are few.
        let index = steps.firstIndex { ($0.at, $0.serial) < (item.at, item.serial) } ?? steps.count
        steps.insert(item, at: index)
    }

    private mutating func transmit(_ step: Step) {
        guard now < badUntil else { return schedule(step, in: 1) }
        if Int.random(in: 0..<100, using: &random) < lossShare { return }
        let copies = Int.random(in: 0..<100, using: &random) < repeatShare ? 2 : 1
        for _ in 0..<copies { schedule(step, in: Int64.random(in: 1...200, using: &random)) }
    }

    /// Goes on until `isDone` or until that time; whether it is done.
    mutating func run(until end: Int64, _ isDone: (ClientSimulation) -> Bool) -> Bool {
        while !isDone(self) {
            let tick = client.nextTick.map { max(now, $0) } ?? .max
            let next = min(tick, steps.last?.at ?? .max)
            guard next <= end else { return false }
            now = next
            if let step = steps.last, step.at <= tick {
                steps.removeLast()
                take(step.step)
            } else {
                handle(.tick)
            }
        }
        return true
    }

    private mutating func take(_ step: Step) {
        switch step {
        case .toBroker(let message, let route):
            guard brokerIsUp else { return }
            deliver(service.receive(message, from: route, now: now))
        case .toClient(let message, let route):
            if route == self.route { handle(.received(message)) }
        case .client(let event): handle(event)
        case .brokerTick:
            schedule(.brokerTick, in: 500)
            if brokerIsUp { deliver(service.tick(now: now)) }
        case .restart:
            brokerIsUp.toggle()
            note("the broker is \(brokerIsUp ? "up" : "down")")
            if brokerIsUp {
                service.restart()
            } else {
                schedule(.restart, in: Int64.random(in: 1...9_000, using: &random))
            }
        }
    }

    private mutating func deliver(_ mail: [FakeService.Mail]) {
        for (route, message) in mail { transmit(.toClient(message, route: route)) }
    }

    private mutating func handle(_ event: ClientEvent) {
        if case .received(let message) = event { note("< \(brief(message))") }
        if case .contentRead(let read) = event { readAhead -= read.byteCount }
        for action in client.handle(event, now: now) { perform(action) }
    }

    private mutating func perform(_ action: ClientAction) {
        switch action {
        case .connect:
            route += 1
            note("connect \(route)")
        case .send(let message):
            note("> \(brief(message))")
            transmit(.toBroker(message, route: route))
        case .emit(let event):
            note("  \(event)")
            events.append(event)
            if follows, case .progress(let job, _, _, _) = event { tell(.follow(job, path: "\(job)")) }
        case .answer(let id, let outcome): answers[id] = outcome
        case .answering: break
        case .read(let id, let source, let serial, let offset, let byteCount):
            readAhead += byteCount
            mostReadAhead = max(mostReadAhead, readAhead)
            let result = source.read(offset: offset, byteCount: byteCount)
            let read = ContentRead(id: id, serial: serial, offset: offset, byteCount: byteCount, result: result)
            schedule(.client(.contentRead(read)), in: 3)
        case .open(let id, let path, _):
            openFiles += 1
            files[id] = (path, [])
        case .write(let id, let bytes):
            files[id]?.bytes += bytes
            schedule(.client(.written(id, byteCount: bytes.count)), in: Int64.random(in: 1...5, using: &random))
        case .finish(let id, let picture, let job):
            openFiles -= 1
            guard let file = files.removeValue(forKey: id) else { return }
            if SHA256.digest(file.bytes) == picture.digest {
                stored[file.path] = file.bytes
                schedule(.client(.stored(id)), in: 20)
            } else {
                schedule(.client(.fileFailed(id, .damagedPicture(job))), in: 20)
            }
        case .discard(let id): if files.removeValue(forKey: id) != nil { openFiles -= 1 }
        case .stop: break
        }
    }

    /// A message without its bytes.
    private func brief(_ message: ClientMessage) -> String {
        if case .contentPart(let part) = message { return "contentPart \(part.offset) +\(part.bytes.count)" }
        return "\(message)"
    }

    private func brief(_ message: ServiceMessage) -> String {
        switch message {
        case .picturePart(let part): "picturePart \(part.job) \(part.offset) +\(part.bytes.count)"
        case .answerPart(let part): "answerPart \(part.number) \(part.offset) +\(part.bytes.count)"
        default: "\(message)"
        }
    }

    private mutating func note(_ text: String) {
        if history.count < 20_000 { history.append("\(now) \(text.prefix(160))") }
    }

    // MARK: What came of it

    var accepted: [SubmissionKey: JobNumber] {
        var accepted: [SubmissionKey: JobNumber] = [:]
        for case .accepted(let key, let job) in events { accepted[key] = job }
        return accepted
    }

    var notices: [Notice] {
        events.compactMap { if case .notice(let notice) = $0 { notice } else { nil } }
    }
}
