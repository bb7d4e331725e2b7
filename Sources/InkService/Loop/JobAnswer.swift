import InkBroker
import InkEngine
import InkJSON
import InkProtocol
import InkStore

/// Answers about jobs and workers.
enum JobAnswer {
    static func json(_ record: JobRecord, _ phase: ServiceState.Job.Phase?, progress: (Int, Int)? = nil) -> JSONValue {
        let submission = try? Submission(stored: record.submission)
        var members: [(String, JSONValue)] = [
            ("job", .integer(Int(clamping: record.number))), ("name", .string(submission?.name ?? "")),
            ("state", .string(state(record, phase))), ("priority", .integer(record.priority)),
            ("owner", .string(record.owner)), ("submittedAt", .integer(Int(record.createdAt))),
        ]
        switch submission?.picture.size {
        case .exact(let size): members.append(("size", .string(size.description)))
        case .named(let name): members.append(("size", .string(name)))
        case nil: break
        }
        if case .write(let path) = submission?.delivery { members.append(("output", .string(path))) }
        if let ended = record.endedAt { members.append(("endedAt", .integer(Int(ended)))) }
        if let (done, total) = progress {
            members += [("done", .integer(done)), ("total", .integer(total))]
        }
        switch record.state {
        case .ended(.failed(_, let text)): members.append(("reason", .string(text)))
        case .ended(.finished(let picture)):
            members.append(
                (
                    "picture",
                    .object([
                        ("width", .integer(picture.size.width)), ("height", .integer(picture.size.height)),
                        ("bytes", .integer(Int(clamping: picture.byteCount))),
                        ("sha256", .string(picture.digest.hexadecimal)),
                        ("milliseconds", .number(Double(picture.elapsed) / 1e6)),
                    ])
                ))
        default: break
        }
        return .object(members)
    }

    private static func state(_ record: JobRecord, _ phase: ServiceState.Job.Phase?) -> String {
        if case .ended(let ending) = record.state {
            switch ending {
            case .finished: return "finished"
            case .failed: return "failed"
            case .cancelled: return "cancelled"
            case .unknown: return "unknown"
            }
        }
        switch phase {
        case .starting, .active, .ending: return "running"
        case .waiting, .recovering, nil: return "queued"
        }
    }

    static func json(_ worker: WorkerReport) -> JSONValue {
        .object([
            ("name", .string(worker.name)), ("renderer", .string(worker.rendererVersion)),
            ("protocol", .integer(Int(worker.protocolVersion))), ("threads", .integer(worker.threads)),
            ("held", .integer(worker.tasksHeld)), ("done", .integer(worker.tasksDone)),
            ("lastHeardMilliseconds", .integer(worker.millisecondsSinceHeard)),
            ("state", .string(worker.isDraining ? "draining" : worker.tasksHeld > 0 ? "busy" : "idle")),
            ("key", .optional(worker.keyName)), ("address", .optional(worker.address)),
        ])
    }
}
