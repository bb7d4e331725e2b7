@testable import InkBroker
import InkEngine
import InkProtocol
import InkStore
import InkTestSupport

@testable import InkService

/// One end of a connection; a new one each time somebody connects.
struct Connection: Hashable, Comparable {
    var id: Int

    static func < (a: Connection, b: Connection) -> Bool { a.id < b.id }
}

/// What is going to happen.
enum Happening {
    case toBroker(Connection, FromPeer)
    case toWorker(Int, Connection, BrokerMessage)
    case toClient(Int, Connection, ServiceMessage)
    case brokerStep(life: Int, BrokerStep)
    case workerStep(Int, life: Int, WorkerStep)
    case clientTick(Int, life: Int)
    case tick
    case fault(Fault)
}

enum FromPeer {
    case worker(Int, WorkerMessage)
    case client(Int, ClientMessage)
}

enum Fault: CaseIterable {
    case brokerDies
    case workerDies
    case workerStops
    case clientDies
    case cable
    case diskRefuses
    case clockLeaps
}

/// How rough a world is; drawn from its seed.
struct Weather {
    var loss = 0.0
    var duplication = 0.0
    var reordering = false
    var delayMax: UInt64 = 5
    var faults: [Fault] = []
    var faultEvery: UInt64 = 2_000
    var poison = false
    var verifyShare = 0.0
    var smallQueues = false
    var keepsResults = false
    /// How many of the kept results are damaged.
    var resultDamage = 0.0
    /// Whether workers have renderers of two versions.
    var mixesRenderers = false
    /// Whether projects are documents that workers read.
    var readsDocuments = false
    /// How often a worker dies while it sends what it has read, hangs, or gives back something else.
    var readingDeaths = 0.0
    var readingHangs = 0.0
    var lies = 0.0
    /// Whether a worker asks for files without end.
    var isInsatiable = false

    init(_ random: inout SeededGenerator) {
        func chance(_ share: Double) -> Bool { Double.random(in: 0...1, using: &random) < share }
        if chance(0.3) { loss = Double.random(in: 0...0.05, using: &random) }
        if chance(0.3) { duplication = Double.random(in: 0...0.05, using: &random) }
        reordering = chance(0.2)
        if chance(0.2) { delayMax = 200 }
        if chance(0.75) { faults = Fault.allCases.filter { _ in chance(0.5) } }
        faultEvery = UInt64.random(in: 300...4_000, using: &random)
        poison = chance(0.1)
        verifyShare = chance(0.2) ? 0.5 : 0
        smallQueues = chance(0.2)
        keepsResults = chance(0.5)
        if chance(0.3) { resultDamage = 0.3 }
        mixesRenderers = chance(0.15)
        readsDocuments = chance(0.5)
        if chance(0.2) { readingDeaths = 0.2 }
        if chance(0.2) { readingHangs = 0.1 }
        if chance(0.2) { lies = 0.3 }
        isInsatiable = chance(0.1)
    }
}

/// A farm from one seed: a broker on its disk, workers, clients and the network between them, in virtual time.
final class Farm {
    let seed: UInt64
    var random: SeededGenerator
    let weather: Weather
    /// Milliseconds.
    private(set) var now: UInt64 = 0
    private var agenda = Agenda()
    private(set) var history: [String] = []
    private(set) var problems: [String] = []
    private(set) var steps = 0
    /// Results of tiles that were found.
    var foundCount = 0
    /// Documents that were read.
    var readCount = 0
    /// Pictures that workers were to make alone, and those of them that they left to many.
    var aloneCount = 0
    var leftCount = 0
    /// What workers gave back instead, and how often that was refused.
    var lies: Set<Lie> = []
    var refusedLies = 0

    let disk: Disk
    var broker: SimulatedBroker?
    var brokerLife = 0
    var workers: [SimulatedWorker] = []
    var clients: [SimulatedClient] = []
    private var lastConnection = 0
    private var lastArrival: [Connection: UInt64] = [:]
    private var cutUntil: [Connection: UInt64] = [:]

    /// Faults end here; then everything must come to its end.
    private let calmAt: UInt64
    private static let patience: UInt64 = 900_000

    init(seed: UInt64) throws {
        self.seed = seed
        random = SeededGenerator(seed: seed)
        weather = Weather(&random)
        disk = try Disk()
        calmAt = UInt64.random(in: 1_000...10_000, using: &random)
        for index in 0..<Int.random(in: 1...4, using: &random) {
            let version = weather.mixesRenderers && index % 2 == 1 ? "2" : "1"
            workers.append(SimulatedWorker(index: index, version: version, slowness: chance(0.15) ? 10 : 1))
        }
        for index in 0..<Int.random(in: 1...2, using: &random) {
            clients.append(SimulatedClient(index: index, jobs: Int.random(in: 1...4, using: &random), self))
        }
        startBroker()
        for index in workers.indices { at(pick(0...200)) { .workerStep(index, life: 0, .start) } }
        for index in clients.indices { at(pick(0...200)) { .clientTick(index, life: 0) } }
        at(25) { .tick }
        if !weather.faults.isEmpty { at(pick(50...weather.faultEvery)) { self.nextFault } }
    }

    var isCalm: Bool { now >= calmAt }

    // MARK: - Chance

    func chance(_ share: Double) -> Bool { share > 0 && Double.random(in: 0...1, using: &random) < share }
    func pick(_ range: ClosedRange<UInt64>) -> UInt64 { UInt64.random(in: range, using: &random) }
    private var nextFault: Happening {
        .fault(weather.faults[Int.random(in: weather.faults.indices, using: &random)])
    }

    // MARK: - Time

    func at(_ delay: UInt64, _ happening: () -> Happening) { agenda.add(happening(), at: now + delay) }

    func note(_ line: @autoclosure () -> String) {
        if Self.keepsHistory { history.append("\(now) \(line())") }
    }

    nonisolated(unsafe) static var keepsHistory = false

    func problem(_ text: String) {
        note("PROBLEM \(text)")
        if problems.count < 5 { problems.append("at \(now) ms: \(text)") }
    }

    /// Until all has ended, or something is wrong.
    func run() {
        while problems.isEmpty {
            guard !isOver else { return }
            guard now < calmAt + Self.patience, steps < 400_000 else {
                problem("it does not end: \(openEnds)")
                return
            }
            guard let (time, happening) = agenda.next() else {
                problem("nothing happens any more: \(openEnds)")
                return
            }
            now = max(now, time)
            steps += 1
            carryOut(happening)
            if steps % 16 == 0 { checkInvariants() }
        }
    }

    private var isOver: Bool { isCalm && broker != nil && clients.allSatisfy(\.isSettled) }

    private var openEnds: String {
        let jobs = broker?.service.jobs.map { "\($0.key): \($0.value.phase)" }.sorted() ?? []
        return "\(clients.map(\.openEnds)); jobs \(jobs); workers \(workers.map(\.shortState))"
            + "; scheduler \(broker?.scheduler.tasks.count ?? 0) tasks \(broker?.scheduler.workers.count ?? 0) workers"
    }

    private func carryOut(_ happening: Happening) {
        switch happening {
        case .toBroker(let connection, let message): broker?.take(message, from: connection)
        case .toWorker(let index, let connection, let message): workers[index].take(message, connection, self)
        case .toClient(let index, let connection, let message): clients[index].take(message, connection, self)
        case .brokerStep(let life, let step): if life == brokerLife { broker?.take(step) }
        case .workerStep(let index, let life, let step):
            if life == workers[index].life { workers[index].take(step, self) }
        case .clientTick(let index, let life):
            guard clients[index].life == life else { return }
            clients[index].tick(self)
            at(250) { .clientTick(index, life: life) }
        case .tick:
            broker?.tick()
            for worker in workers { worker.tick(self) }
            at(isCalm ? 100 : 50) { .tick }
        case .fault(let fault):
            guard !isCalm else { return }
            strike(fault)
            at(pick(1...(2 * weather.faultEvery))) { self.nextFault }
        }
    }

    // MARK: - Faults

    private func strike(_ fault: Fault) {
        note("fault \(fault)")
        switch fault {
        case .brokerDies:
            guard let dying = broker else { return }
            dying.die()
            broker = nil
            brokerLife += 1
            restartAt = now + pick(10...3_000)
        case .workerDies:
            let index = Int.random(in: workers.indices, using: &random)
            workers[index].die()
            let life = workers[index].life
            at(pick(10...3_000)) { .workerStep(index, life: life, .start) }
        case .workerStops:
            let index = Int.random(in: workers.indices, using: &random)
            workers[index].stoppedUntil = now + pick(100...8_000)
        case .clientDies:
            let index = Int.random(in: clients.indices, using: &random)
            clients[index].die(self)
        case .cable:
            let all = Array(lastArrival.keys).sorted()
            guard !all.isEmpty else { return }
            cutUntil[all[Int.random(in: all.indices, using: &random)]] = now + pick(100...6_000)
        case .diskRefuses: disk.refusesUntil = now + pick(100...5_000)
        case .clockLeaps: now += pick(10_000...120_000)
        }
    }

    private var restartAt: UInt64?

    func startBroker() {
        restartAt = nil
        broker = SimulatedBroker(self, life: brokerLife)
        broker?.start()
    }

    private func checkInvariants() {
        if broker == nil, let time = restartAt, now >= time || isCalm { startBroker() }
        guard let broker else { return }
        for broken in broker.scheduler.brokenInvariants { problem("scheduler: \(broken)") }
        for broken in broker.exports.brokenInvariants { problem("exports: \(broken)") }
        for broken in broker.brokenCounts { problem("blocks: \(broken)") }
        for broken in broker.service.brokenInvariants { problem("service: \(broken)") }
        broker.checkFolders()
    }

    // MARK: - Network

    func connect() -> Connection {
        lastConnection += 1
        return Connection(id: lastConnection)
    }

    /// Sends a message, with whatever the weather does to it.
    func send(_ connection: Connection, _ happening: Happening) {
        if let until = cutUntil[connection], now < until { return }
        if !isCalm, chance(weather.loss) { return }
        deliver(connection, happening)
        if !isCalm, chance(weather.duplication) { deliver(connection, happening) }
    }

    private func deliver(_ connection: Connection, _ happening: Happening) {
        var time = now + pick(1...(isCalm ? 5 : weather.delayMax))
        if !weather.reordering || isCalm { time = max(time, lastArrival[connection] ?? 0) }
        lastArrival[connection] = time
        agenda.add(happening, at: time)
    }
}

/// What happens when, earliest first; equal times in order of entry.
struct Agenda {
    private var heap: [(time: UInt64, order: Int, happening: Happening)] = []
    private var order = 0

    mutating func add(_ happening: Happening, at time: UInt64) {
        order += 1
        heap.append((time, order, happening))
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard precedes(child, parent) else { break }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    mutating func next() -> (UInt64, Happening)? {
        guard let first = heap.first else { return nil }
        let last = heap.removeLast()
        guard !heap.isEmpty else { return (first.time, first.happening) }
        heap[0] = last
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && precedes(child, least) {
                least = child
            }
            guard least != parent else { break }
            heap.swapAt(parent, least)
            parent = least
        }
        return (first.time, first.happening)
    }

    private func precedes(_ a: Int, _ b: Int) -> Bool { (heap[a].time, heap[a].order) < (heap[b].time, heap[b].order) }
}

/// What survives the broker: the real store, and files.
final class Disk {
    let store: JobStore
    var contents: Set<ContentID> = []
    /// By path: the bands in the order in which they were written. A folder is one, too.
    var files: [String: [String]] = [:]
    /// The lives of the broker in which pictures that are folders got their places.
    var placed: [JobNumber: Int] = [:]
    /// Files of tiles' results, by what decides them.
    var results: [BlockID: [UInt8]] = [:]
    var refusesUntil: UInt64 = 0
    /// Jobs whose ends have been told, with the notice's id.
    var told: [JobNumber: (notice: UInt64, ending: JobEnding)] = [:]
    /// Jobs that have been cancelled since they were last queued.
    var cancelled: Set<JobNumber> = []
    /// Keys that have been acknowledged.
    var acknowledged: [SubmissionKey: JobNumber] = [:]

    /// What the store said to changes of its jobs.
    func note(_ entries: [JournalEntry], _ outcomes: [JournalOutcome]) {
        for case (.retried(let job), .done) in zip(entries, outcomes) {
            told[job] = nil
            cancelled.remove(job)
        }
        for case (.ended(let job, .cancelled, _, _, _), .done) in zip(entries, outcomes) { cancelled.insert(job) }
    }

    init() throws { store = try JobStore(path: ":memory:") }
}
