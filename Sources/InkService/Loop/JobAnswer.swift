import InkBroker
import InkCodecs
import InkEngine
package import InkJSON
package import InkProtocol
import InkStore

/// Answers about jobs and workers.
package enum JobAnswer {
    /// - Parameters:
    ///   - phase: nil if the job is not in memory.
    ///   - isStuck: whether the disk has refused its end.
    ///   - showsWarnings: false for lists: a thousand jobs with warnings would be too large.
    static func json(
        _ record: JobRecord, _ phase: ServiceState.Job.Phase?, isStuck: Bool, progress: (Int, Int)? = nil,
        timeLeft: TimeLeft? = nil, showsWarnings: Bool = false
    ) -> JSONValue {
        // If it cannot be read, the rest is still reported; the error is the end of that job.
        let submission = try? Submission(stored: record.submission)
        var members: [(String, JSONValue)] = [
            ("job", .integer(Int(clamping: record.number))), ("name", .string(submission?.name ?? "")),
            ("submission", .string(ContentID(hashing: record.submission).description)),
            ("state", .string(state(record, phase, isStuck: isStuck))), ("priority", .integer(record.priority)),
            ("owner", .string(record.owner)), ("submittedAt", .integer(Int(record.createdAt))),
        ]
        switch submission?.picture.size {
        case .exact(let size): members.append(("size", .string(size.description)))
        case .named(let name): members.append(("size", .string(name)))
        case nil: break
        }
        if let file = submission?.file, !file.isEmpty { members.append(("file", .string(file))) }
        if let options = submission?.picture.options, !options.otherFiles.isEmpty {
            members.append(("format", .string(FileType.tar.name)))
        } else if let format = submission?.picture.options.encoding.format, format != .png {
            members.append(("format", .string(PictureCodecs.codec(of: format)?.name ?? "\(format.rawValue)")))
        }
        if case .write(let path) = submission?.delivery { members.append(("output", .string(path))) }
        if let ended = record.endedAt { members.append(("endedAt", .integer(Int(ended)))) }
        if let (done, total) = progress {
            members += [("done", .integer(done)), ("total", .integer(total))]
        }
        if let timeLeft { members.append(("timeLeft", json(timeLeft))) }
        if isStuck, case .ending(let ending, _, _) = phase {
            members.append(("end", .string(name(ending))))
            if case .failed(_, let text) = ending { members.append(("reason", .string(text))) }
        }
        if showsWarnings, !record.warnings.isEmpty {
            members.append(("warnings", .array(record.warnings.map { .string($0) })))
        }
        switch record.state {
        case .ended(.failed(_, let text)): members.append(("reason", .string(text)))
        case .ended(.finished(let picture)):
            var shown: JSONValue = [
                "width": .integer(picture.size.width), "height": .integer(picture.size.height),
                "bytes": .integer(picture.byteCount),
            ]
            if let quality = picture.quality { shown += ["quality": .integer(quality)] }
            let rest: JSONValue = [
                "sha256": .string(picture.digest.hexadecimal),
                "milliseconds": .number(Double(picture.elapsed) / 1e6),
            ]
            members.append(("picture", shown + rest))
        default: break
        }
        return .object(members)
    }

    private static func state(_ record: JobRecord, _ phase: ServiceState.Job.Phase?, isStuck: Bool) -> String {
        if case .ended(let ending) = record.state { return name(ending) }
        if record.isPaused, !isStuck { return "paused" }
        switch phase {
        case .ending where isStuck: return "ending"
        case .starting, .active, .ending: return "running"
        case .waiting, .recovering, nil: return "queued"
        }
    }

    private static func name(_ ending: JobEnding) -> String {
        switch ending {
        case .finished: "finished"
        case .failed: "failed"
        case .cancelled: "cancelled"
        case .unknown: "unknown"
        }
    }

    package static func json(_ timeLeft: TimeLeft?) -> JSONValue {
        guard let timeLeft else { return .null }
        return [
            "seconds": .number(timeLeft.seconds), "low": .number(timeLeft.low), "high": .number(timeLeft.high),
        ]
    }

    static func json(_ worker: WorkerReport) -> JSONValue {
        [
            "name": .string(worker.name), "renderer": .string(worker.rendererVersion),
            "threads": .integer(worker.threads),
            "held": .integer(worker.tasksHeld), "done": .integer(worker.tasksDone),
            "failed": .integer(worker.tasksFailed), "tasksPerSecond": .number(worker.tasksPerSecond),
            "lastHeardMilliseconds": .integer(worker.millisecondsSinceHeard),
            "state": .string(worker.isDraining ? "draining" : worker.tasksHeld > 0 ? "busy" : "idle"),
            "key": .optional(worker.keyName), "address": .optional(worker.address),
        ]
    }
}

/// What every answer about a farm says.
extension FarmStatus {
    package var brokerJSON: JSONValue {
        [
            "name": .string(name), "version": .string(software), "uptimeSeconds": .integer(uptimeSeconds),
            "state": .string(isDraining ? "draining" : "serving"),
        ]
    }

    package var throughputJSON: JSONValue {
        [
            "picturesPerMinute": .number(picturesPerMinute), "tasksPerSecond": .number(tasksPerSecond),
            "megapixelsPerSecond": .number(megapixelsPerSecond),
        ]
    }

    package var storeJSON: JSONValue {
        let room: JSONValue = ["usedBytes": .integer(storeUsedBytes), "quotaBytes": .integer(storeQuotaBytes)]
        return storeProblem.map { room + ["problem": .string($0)] } ?? room
    }
}
