import InkBroker
import InkService

/// Figures in the text format of Prometheus.
struct MetricsText {
    private var lines: [String] = []

    enum Kind: String {
        case gauge, counter, histogram
    }

    mutating func begin(_ name: String, _ kind: Kind, _ help: String) {
        lines += ["# HELP \(name) \(help)", "# TYPE \(name) \(kind.rawValue)"]
    }

    mutating func add(_ name: String, _ labels: KeyValuePairs<String, String>, _ value: Double) {
        func escaped(_ text: String) -> String {
            String(
                text.flatMap { character -> String in
                    switch character {
                    case "\\": "\\\\"
                    case "\"": "\\\""
                    case "\n": "\\n"
                    default: String(character)
                    }
                })
        }
        let list = labels.map { "\($0.key)=\"\(escaped($0.value))\"" }.joined(separator: ",")
        let shown = value == value.rounded() && abs(value) < 1e15 ? "\(Int(value))" : "\(value)"
        lines.append("\(name)\(list.isEmpty ? "" : "{\(list)}") \(shown)")
    }

    mutating func gauge(_ name: String, _ help: String, _ value: Double) {
        begin(name, .gauge, help)
        add(name, [:], value)
    }

    mutating func counter(_ name: String, _ help: String, _ value: Int) {
        begin(name, .counter, help)
        add(name, [:], Double(value))
    }

    var text: String { lines.joined(separator: "\n") + "\n" }
}

extension Gateway {
    func metrics() throws(Problem) -> HTTPResponse {
        var text = MetricsText()
        // A loop that does not turn has no figures. The time since it turned is reported nevertheless, and so are the
        // front's own figures.
        if service.isAlive(withinMilliseconds: Self.loopPatienceMilliseconds) {
            do throws(ServiceError) { add(try service.status(), to: &text) } catch {
                guard case .ended = error else { throw Problem(500, "Internal Server Error", "\(error)") }
            }
        }
        addOwn(to: &text)
        return HTTPResponse(
            200, headers: [("Content-Type", "text/plain; version=0.0.4; charset=utf-8")],
            body: .bytes(Array(text.text.utf8)))
    }

    private func add(_ status: FarmStatus, to text: inout MetricsText) {
        let (report, history) = (status.broker, status.history)
        text.begin("ink_build_info", .gauge, "The program's version.")
        text.add("ink_build_info", ["version": status.software], 1)
        text.gauge("ink_uptime_seconds", "Since the broker began.", Double(status.uptimeSeconds))
        text.begin("ink_jobs", .gauge, "Jobs that have not ended.")
        for (state, count) in [("queued", status.queued), ("running", status.running), ("paused", status.paused)] {
            text.add("ink_jobs", ["state": state], Double(count))
        }
        text.begin("ink_jobs_ended_total", .counter, "Jobs that ended since the broker began.")
        for (outcome, count) in [
            ("finished", history.finished), ("failed", history.failed), ("cancelled", history.cancelled),
        ] {
            text.add("ink_jobs_ended_total", ["outcome": outcome], Double(count))
        }
        text.gauge("ink_queue_limit_jobs", "Most jobs that have not ended.", Double(status.queueLimit))
        text.gauge(
            "ink_tiles_waiting", "Tiles left to render, those of jobs that are not cut yet estimated.",
            Double(status.tilesWaiting))
        text.begin("ink_workers", .gauge, "Connected workers.")
        let draining = report.workers.count { $0.isDraining }
        text.add("ink_workers", ["state": "ready"], Double(report.workers.count - draining))
        text.add("ink_workers", ["state": "draining"], Double(draining))
        text.gauge("ink_worker_threads", "Threads that render.", Double(report.workers.reduce(0) { $0 + $1.threads }))
        text.gauge(
            "ink_worker_threads_busy", "Threads that have a task.", Double(report.threadsBusy))
        text.counter("ink_tasks_dispatched_total", "Tasks given to workers.", report.tasksDispatched)
        text.counter("ink_tasks_finished_total", "Tasks that workers have done.", report.tasksFinished)
        text.counter("ink_tasks_failed_total", "Attempts at tasks that failed.", report.tasksFailed)
        text.counter(
            "ink_tasks_raced_total", "Tasks given to a second worker, since the first was slow.", report.tasksRaced)
        text.begin("ink_tiles_total", .counter, "Tiles of pictures, by where they came from.")
        text.add("ink_tiles_total", ["source": "rendered"], Double(history.tilesRendered))
        text.add("ink_tiles_total", ["source": "cache"], Double(history.tilesFound))
        text.counter("ink_pixels_exported_total", "Pixels of finished pictures.", history.pixels)
        text.begin(
            "ink_export_duration_seconds", .histogram,
            "From the start of an export to its file, without the time that it waited.")
        var sum = 0
        for (bound, count) in zip(History.durationBounds.map { "\($0)" } + ["+Inf"], history.durations) {
            sum += count
            text.add("ink_export_duration_seconds_bucket", ["le": bound], Double(sum))
        }
        text.add("ink_export_duration_seconds_sum", [:], Double(history.nanoseconds) / 1e9)
        text.add("ink_export_duration_seconds_count", [:], Double(sum))
        text.gauge(
            "ink_store_used_bytes", "Documents and pictures that the broker keeps.", Double(status.storeUsedBytes))
        text.gauge("ink_store_quota_bytes", "Most of them.", Double(status.storeQuotaBytes))
        text.gauge("ink_store_problem", "1 if the broker's disk refuses something.", status.storeProblem == nil ? 0 : 1)
        text.gauge("ink_blocks_memory_bytes", "Blocks of projects in memory.", Double(report.blockBytes))
        text.gauge("ink_blocks_spilled_bytes", "Blocks of projects on the disk.", Double(report.spilledBytes))
        text.gauge("ink_clients", "Connected clients.", Double(status.clients))
    }

    private func addOwn(to text: inout MetricsText) {
        let (connections, answers) = statistics
        text.begin("ink_http_requests_total", .counter, "Answered HTTP requests.")
        for (answer, count) in answers.sorted(by: { ($0.key.method, $0.key.status) < ($1.key.method, $1.key.status) }) {
            text.add("ink_http_requests_total", ["method": answer.method, "code": "\(answer.status)"], Double(count))
        }
        text.gauge("ink_http_connections", "Open HTTP connections.", Double(connections))
        text.gauge(
            "ink_canary_last_success_age_seconds",
            "How long ago the farm last rendered its test picture, or since the broker began.",
            Double(canary.ageMilliseconds) / 1000)
        text.gauge("ink_canary_duration_seconds", "How long that took.", canary.latest.seconds)
        text.gauge(
            "ink_loop_last_turn_age_seconds", "How long ago the broker's loop last turned.",
            Double(service.millisecondsSinceTurn) / 1000)
    }
}
