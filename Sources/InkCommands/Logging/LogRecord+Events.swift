import InkService
import InkWorker

extension LogRecord {
    /// The events of a broker.
    init(_ event: FarmNote) {
        self.init(
            LogLevel(event.level), event.name,
            [
                "job": event.job.map { .integer(Int(clamping: $0)) }, "task": event.task.map { .text($0) },
                "worker": event.worker.map { .text($0) }, "client": event.client.map { .text($0) },
            ])
        fields += event.details.map { name, value in
            switch value {
            case .text(let text): Field(name: name, value: .text(text))
            case .number(let number): Field(name: name, value: .integer(number))
            }
        }
        if let reason = event.reason { fields.append(Field(name: "reason", value: .text(reason))) }
    }

    /// The events of a worker.
    init(_ news: WorkerNews, worker: String, broker: String) {
        let fields: KeyValuePairs<String, Value?> = ["worker": .text(worker), "broker": .text(broker)]
        switch news {
        case .failed(let error):
            self.init(.error, "worker.failed", ["worker": .text(worker), "reason": .text(error.description)])
        case .fewerThreads(let count, let wanted):
            self.init(
                .warning, "worker.threads",
                [
                    "worker": .text(worker), "threads": .integer(count), "wanted": .integer(wanted),
                    "reason": .text("the system gives no more threads (ulimit -u, pids limit, ulimit -v)"),
                ])
        case .unanswered:
            self.init(
                .warning, "worker.waiting",
                [
                    "worker": .text(worker), "broker": .text(broker),
                    "reason": .text("no answer: is a broker up, is this its endpoint for workers, do the keys fit?"),
                ])
        case .connected: self.init(.info, "worker.connected", fields)
        case .disconnected: self.init(.warning, "worker.disconnected", fields)
        case .draining: self.init(.info, "worker.draining", fields)
        }
    }
}

extension LogLevel {
    init(_ level: FarmNote.Level) {
        switch level {
        case .error: self = .error
        case .warning: self = .warning
        case .info: self = .info
        case .debug: self = .debug
        }
    }
}
