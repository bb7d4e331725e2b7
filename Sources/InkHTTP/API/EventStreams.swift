import Glibc
import InkJSON
import InkProtocol
import InkService
import InkSystem
import Synchronization

/// Server-sent events.
enum EventStreams {
    /// How often a stream looks for news, and how long it is silent at most, milliseconds.
    static let pauseMilliseconds = 250
    static let silenceMilliseconds: UInt64 = 10_000

    static func response(_ stream: any HTTPStream) -> HTTPResponse {
        HTTPResponse(
            200,
            // Proxies pass each event on at once.
            headers: [
                ("Content-Type", "text/event-stream"), ("Cache-Control", "no-store"), ("X-Accel-Buffering", "no"),
            ], body: .stream(stream))
    }

    static func event(_ name: String, _ value: JSONValue) -> [UInt8] {
        Array("event: \(name)\ndata: \(value.line)\n\n".utf8)
    }

    static let comment = Array(":\n\n".utf8)
}

/// The events of one job. `next` is called by one thread.
final class JobEvents: HTTPStream {
    private let number: JobNumber
    private let gateway: Gateway
    private let pause = InterruptiblePause()
    private let state = Mutex(State())

    private struct State {
        var seen: UInt64?
        var tilesSent = 0
        var hasEnded = false
        var lastSaid = SystemClock.milliseconds
    }

    init(_ number: JobNumber, _ gateway: Gateway) {
        self.number = number
        self.gateway = gateway
        gateway.service.board.watch(number)
    }

    deinit { gateway.service.board.leave(number) }

    func close() { pause.close() }

    func next() -> [UInt8]? {
        while !pause.isClosed {
            var state = self.state.withLock { $0 }
            defer { self.state.withLock { [state] in $0 = state } }
            if state.hasEnded { return nil }
            let version = gateway.service.board.version(of: number)
            if state.seen != version {
                state.seen = version
                guard let news = gateway.news.of(number, version: version) else { return nil }
                var bytes = EventStreams.event("job", news.job)
                if let tiles = news.tiles, state.tilesSent == 0 || tiles.done.count > state.tilesSent {
                    bytes += EventStreams.event("tiles", JobJSON.value(tiles, from: state.tilesSent))
                    state.tilesSent = tiles.done.count
                }
                state.hasEnded = news.hasEnded
                state.lastSaid = SystemClock.milliseconds
                return bytes
            }
            if SystemClock.milliseconds - state.lastSaid >= EventStreams.silenceMilliseconds {
                state.lastSaid = SystemClock.milliseconds
                return EventStreams.comment
            }
            pause.wait(milliseconds: EventStreams.pauseMilliseconds)
        }
        return nil
    }
}

/// Events of jobs, made once for all that watch one.
final class JobNews: Sendable {
    struct News: Sendable {
        var version: UInt64
        var job: JSONValue
        var tiles: JobTiles?
        var hasEnded: Bool
    }

    private let service: FarmService
    private let latest = Mutex<[JobNumber: News]>([:])
    private static let keptMax = 64

    init(_ service: FarmService) { self.service = service }

    /// nil if there is no such job, or the service does not answer.
    func of(_ number: JobNumber, version: UInt64) -> News? {
        if let news = latest.withLock({ $0[number] }), news.version == version { return news }
        // Without an answer the stream ends, and its reader comes back.
        guard let job = try? service.job(number) else { return nil }
        let tiles = job.state.hasEnded ? nil : try? service.tiles(of: number)
        let news = News(version: version, job: JobJSON.value(job), tiles: tiles ?? nil, hasEnded: job.state.hasEnded)
        latest.withLock { latest in
            if latest.count >= Self.keptMax { latest.removeAll() }
            latest[number] = news
        }
        return news
    }
}

/// The events of the farm, made once for all that follow it.
final class FarmFeed: Sendable {
    private let service: FarmService
    private let state: Mutex<State>

    private static let stepMilliseconds: UInt64 = 500
    private static let idleMilliseconds: UInt64 = 5_000
    private static let piecesMax = 20
    /// Most jobs in one event.
    private static let jobsMax = 200

    private struct State {
        /// The number of the first piece.
        var first = 0
        var pieces: [[UInt8]] = []
        var version: UInt64
        var lastPiece: UInt64 = 0
        var lastStats: UInt64 = 0
    }

    init(_ service: FarmService) {
        self.service = service
        state = Mutex(State(version: service.board.version))
    }

    var end: Int { state.withLock { $0.first + $0.pieces.count } }

    /// The pieces from `position` on, as far as they are kept, and the position after them.
    func pieces(from position: Int) -> (bytes: [UInt8], next: Int) {
        state.withLock { state in
            let now = SystemClock.milliseconds
            if now >= state.lastPiece + Self.stepMilliseconds {
                // Nobody has followed for a while; whoever comes has asked for what was before.
                let isIdle = now > state.lastPiece + Self.idleMilliseconds
                if isIdle { state.version = service.board.version }
                state.lastPiece = now
                var piece = makePiece(&state, now: now)
                if isIdle { piece += Self.missed }
                if !piece.isEmpty { state.pieces.append(piece) }
                if state.pieces.count > Self.piecesMax {
                    state.pieces.removeFirst()
                    state.first += 1
                }
            }
            let start = max(0, position - state.first)
            var bytes = start < state.pieces.count ? state.pieces[start...].flatMap { $0 } : []
            if position < state.first { bytes = Self.missed + bytes }
            return (bytes, state.first + state.pieces.count)
        }
    }

    /// Tells followers to ask for what they show.
    private static let missed = EventStreams.event("missed", .object([]))

    private func makePiece(_ state: inout State, now: UInt64) -> [UInt8] {
        var bytes: [UInt8] = []
        let changes = service.board.changes(after: state.version)
        var isWhole = changes.isWhole
        state.version = changes.version
        for start in stride(from: 0, to: changes.jobs.count, by: Self.jobsMax) {
            let some = Array(changes.jobs[start..<min(changes.jobs.count, start + Self.jobsMax)])
            // A store that does not answer now is asked again by whoever follows.
            guard let jobs = try? service.jobs(some) else {
                isWhole = false
                continue
            }
            if !jobs.isEmpty { bytes += EventStreams.event("jobs", .array(jobs.map(JobJSON.value))) }
            let gone = Set(some).subtracting(jobs.map(\.number)).sorted()
            if !gone.isEmpty {
                bytes += EventStreams.event("removed", .array(gone.map { .integer(Int(clamping: $0)) }))
            }
        }
        if !isWhole { bytes += Self.missed }
        // A service that does not answer now is asked again with the next piece.
        if now >= state.lastStats + 1000, let status = try? service.status() {
            state.lastStats = now
            bytes += EventStreams.event("stats", JobJSON.value(status, hasHistory: false))
        }
        return bytes
    }
}

final class FarmEvents: HTTPStream {
    private let gateway: Gateway
    private let pause = InterruptiblePause()
    private let state: Mutex<(position: Int, isNew: Bool, lastSaid: UInt64)>

    init(_ gateway: Gateway) {
        self.gateway = gateway
        state = Mutex((gateway.feed.end, true, SystemClock.milliseconds))
    }

    func close() { pause.close() }

    func next() -> [UInt8]? {
        while !pause.isClosed {
            var state = self.state.withLock { $0 }
            defer { self.state.withLock { [state] in $0 = state } }
            if state.isNew {
                state.isNew = false
                // The events go on without; they are what the stream is for.
                if let status = try? gateway.service.status() {
                    return EventStreams.event("stats", JobJSON.value(status, hasHistory: false))
                }
            }
            let (bytes, next) = gateway.feed.pieces(from: state.position)
            state.position = next
            let now = SystemClock.milliseconds
            if !bytes.isEmpty || now - state.lastSaid >= EventStreams.silenceMilliseconds {
                state.lastSaid = now
                return bytes.isEmpty ? EventStreams.comment : bytes
            }
            pause.wait(milliseconds: EventStreams.pauseMilliseconds)
        }
        return nil
    }
}
