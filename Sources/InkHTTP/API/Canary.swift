import InkBroker
import InkEngine
import InkJSON
import InkProtocol
import InkService
import InkSystem
import Synchronization

/// Has the farm render a small picture every ten seconds, to know whether it can.
final class Canary: Sendable {
    static let intervalMilliseconds: UInt64 = 10_000
    /// The farm is not ready if the last picture is older.
    static let patienceMilliseconds: UInt64 = 30_000

    struct State: Sendable {
        /// Monotonic milliseconds.
        var lastSuccess: UInt64?
        var seconds = 0.0
        /// Why the last one failed.
        var problem: String? = "no picture has been rendered yet"
    }

    private let service: FarmService
    private let state = Mutex(State())
    private let pause = InterruptiblePause()
    private let began = SystemClock.milliseconds

    /// How long ago a picture was last rendered, or since the beginning.
    var ageMilliseconds: UInt64 {
        let (last, now) = (latest.lastSuccess ?? began, SystemClock.milliseconds)
        return now - min(now, last)
    }

    init(_ service: FarmService) { self.service = service }

    var latest: State { state.withLock { $0 } }

    var isReady: Bool {
        state.withLock { state in
            guard let success = state.lastSuccess else { return false }
            return SystemClock.milliseconds - success <= Self.patienceMilliseconds
        }
    }

    func start() throws(SystemFailure) {
        try PosixThread("canary") { [self] in
            while !pause.isClosed {
                let began = SystemClock.milliseconds
                sing()
                let passed = SystemClock.milliseconds - began
                if passed < Self.intervalMilliseconds {
                    // A farm that cannot render yet is asked again soon.
                    let isWell = state.withLock { $0.problem == nil }
                    pause.wait(milliseconds: isWell ? Int(Self.intervalMilliseconds - passed) : 1_000)
                }
            }
        }.detach()
    }

    func stop() { pause.close() }

    private func sing() {
        let size = PixelSize(width: 64, height: 64)
        let points = [(8.0, 8.0), (56.0, 56.0)].map { StrokePoint(x: $0.0, y: $0.1, pressure: 1) }
        let brush = Brush(type: .solid, size: 12, color: RGBA8(red: 40, green: 60, blue: 90, alpha: 255))
        let layer = Layer(strokes: [Stroke(brush: brush, points: points)])
        let project = Project(canvasSize: size, layers: [layer])
        var problem: String?
        var seconds = 0.0
        do throws(ServiceError) {
            let outcome = try service.render(
                project, size, to: "\(service.folder)/canary.png",
                waitingMilliseconds: Int(Self.patienceMilliseconds))
            if let outcome { seconds = Double(outcome.elapsed) / 1e9 } else { problem = "no worker answered in time" }
        } catch {
            problem = "\(error)"
        }
        state.withLock { [problem, seconds] state in
            state.problem = problem
            guard problem == nil else { return }
            state.lastSuccess = SystemClock.milliseconds
            state.seconds = seconds
        }
    }
}

extension Gateway {
    static let loopPatienceMilliseconds = 2_000

    /// Whether the broker's loop turns.
    var health: HTTPResponse {
        guard service.isAlive(withinMilliseconds: Self.loopPatienceMilliseconds) else {
            return Problem.busy("the broker's loop does not answer").response
        }
        return .json(.object([("status", .string("ok"))]))
    }

    /// Whether the farm renders.
    var readiness: HTTPResponse {
        let state = canary.latest
        guard canary.isReady else {
            return Problem.busy(
                "the farm has not rendered its test picture in the last 30 s: \(state.problem ?? "the last one is too old")",
                retrySeconds: 10
            ).response
        }
        return .json(.object([("status", .string("ok")), ("seconds", .number(state.seconds))]))
    }
}
