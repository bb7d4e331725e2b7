import Dispatch
import Glibc
import InkProtocol
import InkTestSupport
import Synchronization
import InkSystem

@testable import InkClient

/// A `FakeService` behind a real socket, on a thread of its own, with a network that loses, repeats and reorders
/// messages in both directions as a seed says.
final class FakeBroker: Sendable {
    let context: ZeroMQContext
    let endpoint: String
    private let folder: TemporaryFolder
    private let state: Mutex<State>
    private let ended = DispatchSemaphore(value: 0)

    struct State {
        var service: FakeService
        var random: SeededGenerator
        /// The chance that a message is lost, in percent.
        var lossShare = 0
        var repeatShare = 0
        var reorderShare = 0
        /// Whether the socket is open.
        var isUp: Bool
        var isStopping = false
        /// Frames to be sent to every session as they are.
        var rawFrames: [[UInt8]] = []
        var goodbyes = 0
    }

    init(seed: UInt64, isUp: Bool = true, _ configure: (inout State) -> Void = { _ in }) throws {
        folder = try TemporaryFolder(prefix: "ink-client")
        context = try ZeroMQContext()
        endpoint = "ipc://\(folder.path)/clients"
        var service = FakeService(seed: seed)
        service.heartbeat = 100
        service.liveness = 600
        service.repeatTime = 300
        service.jobTime = 50
        var initial = State(service: service, random: SeededGenerator(seed: seed &+ 9), isUp: isUp)
        configure(&initial)
        state = Mutex(initial)
        DispatchQueue(label: "fake broker").async { @Sendable [self] in
            run()
            ended.signal()
        }
    }

    func stop() {
        state.withLock { $0.isStopping = true }
        ended.wait()
        ended.signal()
    }

    func change<T: Sendable>(_ body: (inout State) -> T) -> T { state.withLock { body(&$0) } }

    /// kill -9 and a new start: what is not durable is forgotten.
    func restart() {
        change {
            $0.isUp = false
            $0.service.restart()
        }
        usleep(30_000)
        change { $0.isUp = true }
    }

    private struct Network {
        var routes: [[UInt8]: Int] = [:]
        var identities: [Int: [UInt8]] = [:]
        var held: [(isIncoming: Bool, identity: [UInt8], frame: [UInt8])] = []
    }

    private func run() {
        var socket: ZeroMQSocket?
        var network = Network()
        var lastTick: Int64 = 0
        while true {
            let (isUp, isStopping) = change { ($0.isUp, $0.isStopping) }
            if isStopping { return }
            if !isUp {
                socket = nil
                usleep(2_000)
                continue
            }
            if socket == nil {
                // The old socket may still be closing.
                guard let next = try? ZeroMQSocket(.router, context: context), (try? next.bind(endpoint)) != nil else {
                    usleep(2_000)
                    continue
                }
                socket = consume next
            }
            var items = [socket!.pollItem()]
            _ = try? ZeroMQPoll.wait(&items, timeoutMilliseconds: 5)
            while let received = try? socket!.receive() {
                for (identity, frame) in mangled(true, received.parts[0], received.parts[1], &network) {
                    take(frame, identity, &network, socket!)
                }
            }
            let now = Int64(SystemClock.milliseconds)
            if now - lastTick >= 50 {
                lastTick = now
                let mail = change { $0.service.tick(now: now) }
                send(mail, &network, socket!)
                let raw = change { state in
                    defer { state.rawFrames = [] }
                    return state.rawFrames
                }
                for identity in network.identities.values {
                    for frame in raw { _ = try? socket!.send([identity, frame]) }
                }
            }
        }
    }

    private func take(
        _ frame: [UInt8], _ identity: [UInt8], _ network: inout Network, _ socket: borrowing ZeroMQSocket
    ) {
        guard let message = try? ClientMessage(frame: frame) else { return }
        if message == .goodbye { change { $0.goodbyes += 1 } }
        let route = network.routes[identity] ?? network.routes.count + 1
        network.routes[identity] = route
        network.identities[route] = identity
        send(
            change { $0.service.receive(message, from: route, now: Int64(SystemClock.milliseconds)) }, &network, socket)
    }

    private func send(
        _ mail: [FakeService.Mail], _ network: inout Network, _ socket: borrowing ZeroMQSocket
    ) {
        for (route, message) in mail {
            guard let identity = network.identities[route], let frame = try? message.encoded() else { continue }
            for (identity, frame) in mangled(false, identity, frame, &network) {
                // A peer that does not take it is one to which it was lost.
                _ = try? socket.send([identity, frame])
            }
        }
    }

    /// What comes of a message on this network: nothing, itself, itself twice, or an earlier one that was held up.
    private func mangled(
        _ isIncoming: Bool, _ identity: [UInt8], _ frame: [UInt8], _ network: inout Network
    ) -> [([UInt8], [UInt8])] {
        let (isLost, isRepeated, isHeld) = change { state in
            func chance(_ share: Int) -> Bool { Int.random(in: 0..<100, using: &state.random) < share }
            return (chance(state.lossShare), chance(state.repeatShare), chance(state.reorderShare))
        }
        if isLost { return [] }
        if isHeld, network.held.count < 16 {
            network.held.append((isIncoming, identity, frame))
            return []
        }
        var frames = [(identity, frame)]
        if isRepeated { frames.append((identity, frame)) }
        if let index = network.held.firstIndex(where: { $0.isIncoming == isIncoming }) {
            let held = network.held.remove(at: index)
            frames.append((held.identity, held.frame))
        }
        return frames
    }
}

/// The events of a client, for a test to wait for.
final class EventLog: Sendable {
    private let events = Mutex<[FarmClientEvent]>([])

    func add(_ event: FarmClientEvent) { events.withLock { $0.append(event) } }
    var all: [FarmClientEvent] { events.withLock { $0 } }

    /// Waits until the events satisfy a condition; false after 60 s.
    func wait(_ isDone: ([FarmClientEvent]) -> Bool) -> Bool {
        let end = Int64(SystemClock.milliseconds) + 60_000
        while Int64(SystemClock.milliseconds) < end {
            if isDone(all) { return true }
            usleep(2_000)
        }
        return false
    }

    func jobs() -> [SubmissionKey: JobNumber] {
        var jobs: [SubmissionKey: JobNumber] = [:]
        for case .accepted(let key, let job) in all { jobs[key] = job }
        return jobs
    }

    func notices() -> [Notice] { all.compactMap { if case .notice(let notice) = $0 { notice } else { nil } } }
    func fetched() -> [String] { all.compactMap { if case .fetched(_, let path, _) = $0 { path } else { nil } } }
    func failures() -> [ClientError] {
        all.compactMap { if case .fetchFailed(_, let error) = $0 { error } else { nil } }
    }
}
