import Dispatch
import InkEngine
import InkJSON
import InkProtocol
package import InkService
import InkSystem
import Synchronization

/// Sends the spans of ended jobs to a collector: OTLP over HTTP, as JSON. What cannot be sent is dropped, and said.
package final class TraceExporter: Sendable {
    private let url: String
    private let service: FarmService
    private let traces: Traces
    private let log: @Sendable (FarmNote) -> Void
    private let ended = Mutex(Waiting())
    private let pause = InterruptiblePause()
    private let isOver = DispatchSemaphore(value: 0)

    private struct Waiting {
        var jobs: [JobNumber] = []
        var dropped = 0
    }

    private static let patienceMilliseconds = 10_000
    /// How long is left to send what waits when the broker stops, milliseconds.
    private static let stopMilliseconds: UInt64 = 3_000
    /// Most jobs that wait to be sent.
    private static let waitingMax = 10_000

    /// - Parameter endpoint: of the collector, such as `http://localhost:4318`.
    package init(
        endpoint: String, service: FarmService, traces: Traces, log: @escaping @Sendable (FarmNote) -> Void
    ) {
        url = endpoint + (endpoint.hasSuffix("/") ? "v1/traces" : "/v1/traces")
        self.service = service
        self.traces = traces
        self.log = log
    }

    /// - Throws: `system`.
    package func start() throws(GatewayError) {
        service.onEnd { [weak self] job in
            self?.ended.withLock { if $0.jobs.count < Self.waitingMax { $0.jobs.append(job) } else { $0.dropped += 1 } }
        }
        do throws(SystemFailure) {
            try PosixThread("traces") { [self] in
                while !pause.isClosed {
                    sendWaiting { !pause.isClosed }
                    pause.wait(milliseconds: 200)
                }
                let end = SystemClock.milliseconds + Self.stopMilliseconds
                sendWaiting { SystemClock.milliseconds < end }
                sayDropped(ended.withLock { $0.jobs.count })
                isOver.signal()
            }.detach()
        } catch {
            throw .system(error)
        }
    }

    /// Sends what waits, and says how much is left when the time is over.
    package func stop() {
        pause.close()
        _ = isOver.wait(timeout: .now() + .milliseconds(2 * Int(Self.stopMilliseconds)))
    }

    private func sendWaiting(while hasTime: () -> Bool) {
        while hasTime(), let job = ended.withLock({ $0.jobs.first }) {
            send(job)
            ended.withLock { _ = $0.jobs.removeFirst() }
        }
        sayDropped(
            ended.withLock { waiting in
                defer { waiting.dropped = 0 }
                return waiting.dropped
            })
    }

    private func sayDropped(_ count: Int) {
        guard count > 0 else { return }
        let reason = "\(url): too many wait, or the broker ends"
        log(FarmNote(.warning, "trace.lost", reason: reason, details: [("jobs", .number(count))]))
    }

    private func send(_ job: JobNumber) {
        let (facts, story): (JobFacts, JSONValue)
        do {
            // One that has been purged meanwhile has no trace.
            guard let found = try service.job(job), let text = try service.story(job) else { return }
            (facts, story) = (found, try JSONReader.read(text))
        } catch {
            return log(FarmNote(.warning, "trace.lost", job: job, reason: "\(error)"))
        }
        let body = Array(SpanDocument.make(facts, story, traces.context(ofBatch: facts.batch)).line.utf8)
        let (status, message) = HTTPPost.send(
            body, to: url, headers: ["Content-Type: application/json"], milliseconds: Self.patienceMilliseconds)
        if !(200..<300).contains(status) {
            let reason = status == 0 ? message : "it answers \(status)"
            log(FarmNote(.warning, "trace.lost", job: job, reason: "\(url): \(reason)"))
        }
    }
}

/// The spans of a job: one of its own, and one for each attempt at a task, with its worker.
enum SpanDocument {
    static func make(_ job: JobFacts, _ story: JSONValue, _ context: TraceContext?) -> JSONValue {
        let seed = Array("\(job.number) \(job.createdAt)".utf8)
        let trace = context?.trace ?? Array(SHA256.digest(seed + [0]).prefix(16)).hexadecimal
        let root = Array(SHA256.digest(seed + [1]).prefix(8)).hexadecimal
        let start = story["startedAt"]?.integer ?? Int(job.createdAt)
        let events = story["events"]?.array ?? []
        let last = events.compactMap { $0["ms"]?.integer }.max() ?? 0
        let own = span(
            trace: trace, id: root, parent: context?.parent, name: "export", start: start,
            end: max(start + last, Int(job.endedAt ?? 0)), fault: job.failure?.text,
            [
                ("ink.job", .integer(Int(clamping: job.number))), ("ink.document", .string(job.name)),
                ("ink.owner", .string(job.owner)), ("ink.state", .string(job.state.rawValue)),
            ])
        var begun: [String: (ms: Int, worker: String)] = [:]
        var spans: [String: [JSONValue]] = [:]
        for event in events {
            let (task, attempt) = (event["task"]?.string ?? "", event["attempt"]?.integer ?? 0)
            let (worker, ms) = (event["worker"]?.string ?? "", event["ms"]?.integer ?? 0)
            let name = "\(task) \(attempt) \(worker)"
            switch event["what"]?.string {
            case "dispatched", "raced": begun[name] = (ms, worker)
            case "finished", "failed", "lost", "dropped":
                guard let entry = begun.removeValue(forKey: name) else { continue }
                let id = Array(SHA256.digest(seed + Array(name.utf8)).prefix(8)).hexadecimal
                spans[worker, default: []].append(
                    span(
                        trace: trace, id: id, parent: root, name: task, start: start + entry.ms, end: start + ms,
                        fault: event["reason"]?.string,
                        [("ink.job", .integer(Int(clamping: job.number))), ("ink.attempt", .integer(attempt))]))
            default: break
            }
        }
        let workers = spans.keys.sorted().map { resource("ink-worker", instance: $0, spans[$0] ?? []) }
        return ["resourceSpans": .array([resource("ink-broker", instance: nil, [own])] + workers)]
    }

    private static func resource(_ name: String, instance: String?, _ spans: [JSONValue]) -> JSONValue {
        var attributes = [("service.name", JSONValue.string(name))]
        if let instance { attributes.append(("service.instance.id", .string(instance))) }
        return [
            "resource": ["attributes": list(attributes)],
            "scopeSpans": .array([["scope": ["name": .string("ink")], "spans": .array(spans)]]),
        ]
    }

    /// - Parameters:
    ///   - start, end: milliseconds since 1970.
    private static func span(
        trace: String, id: String, parent: String?, name: String, start: Int, end: Int, fault: String?,
        _ attributes: [(String, JSONValue)]
    ) -> JSONValue {
        var members: [(String, JSONValue)] = [("traceId", .string(trace)), ("spanId", .string(id))]
        if let parent { members.append(("parentSpanId", .string(parent))) }
        members += [
            // Internal.
            ("name", .string(name)), ("kind", .integer(1)),
            // 64 bits are texts in the JSON form of protocol buffers.
            ("startTimeUnixNano", .string("\(start)000000")), ("endTimeUnixNano", .string("\(max(start, end))000000")),
            ("attributes", list(attributes)),
        ]
        if let fault { members.append(("status", ["code": .integer(2), "message": .string(fault)])) }
        return .object(members)
    }

    private static func list(_ attributes: [(String, JSONValue)]) -> JSONValue {
        .array(
            attributes.map { name, value in
                let typed: (String, JSONValue)
                if case .integer(let number) = value {
                    typed = ("intValue", .string("\(number)"))
                } else {
                    typed = ("stringValue", value)
                }
                return ["key": .string(name), "value": .object([typed])]
            })
    }
}
