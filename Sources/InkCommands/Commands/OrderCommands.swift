import InkEngine
import InkExports
import InkJSON
import InkProtocol

/// `ink cancel`, `retry`, `priority`, `purge` and `drain`: one order to the broker, and its result.
enum OrderCommands {
    static func cancel(_ parsed: ParsedCommand, _ environment: CommandEnvironment) throws(CommandError) -> ExitCode {
        try give(.cancel(jobs(parsed, environment)), "cancelled", parsed, environment)
    }

    static func retry(_ parsed: ParsedCommand, _ environment: CommandEnvironment) throws(CommandError) -> ExitCode {
        try give(.retry(jobs(parsed, environment)), "queued again", parsed, environment)
    }

    static func pause(_ parsed: ParsedCommand, _ environment: CommandEnvironment) throws(CommandError) -> ExitCode {
        try give(.pause(jobs(parsed, environment)), "paused", parsed, environment)
    }

    static func resume(_ parsed: ParsedCommand, _ environment: CommandEnvironment) throws(CommandError) -> ExitCode {
        try give(.resume(jobs(parsed, environment)), "resumed", parsed, environment)
    }

    static func priority(_ parsed: ParsedCommand, _ environment: CommandEnvironment) throws(CommandError) -> ExitCode {
        guard let text = parsed.value("PRIORITY") else {
            throw .usage("a PRIORITY is needed (see \"ink help priority\")")
        }
        let priority = try PriorityText.read(text, option: "PRIORITY")
        return try give(
            .priority(jobs(parsed, environment), priority), "now at priority \(priority)", parsed, environment)
    }

    static func purge(_ parsed: ParsedCommand, _ environment: CommandEnvironment) throws(CommandError) -> ExitCode {
        switch (parsed.value("older-than"), parsed.isGiven("JOB")) {
        case (.some, true): throw .usage("--older-than and JOB cannot be used together")
        case (nil, false): throw .usage("a JOB or --older-than is needed (see \"ink help purge\")")
        case (nil, true):
            return try give(.purge(jobs(parsed, environment), endedSecondsAgo: 0), "purged", parsed, environment)
        case (let text?, false):
            let age: SettingValue
            do {
                age = try SettingKind.duration(plain: nil, 0...315_360_000_000).read(text)
            } catch {
                throw .refused(.usage, place: "--older-than", Cause(error))
            }
            guard case .milliseconds(let milliseconds) = age else { return .internalError }
            // Younger jobs must not be purged.
            let seconds = UInt64((milliseconds + 999) / 1000)
            return try give(.purge([], endedSecondsAgo: seconds), "purged", parsed, environment)
        }
    }

    static func drain(_ parsed: ParsedCommand, _ environment: CommandEnvironment) throws(CommandError) -> ExitCode {
        guard let worker = parsed.value("WORKER"), !worker.isEmpty else {
            throw .usage("a WORKER is needed (see \"ink help drain\")")
        }
        guard worker.utf8.count <= ProtocolLimits.nameBytes else {
            throw .usage("WORKER: longer than \(ProtocolLimits.nameBytes) bytes")
        }
        return try give(.drain(worker: worker), "draining", noun: "worker", parsed, environment)
    }

    private static func jobs(
        _ parsed: ParsedCommand, _ environment: CommandEnvironment
    ) throws(CommandError) -> [JobNumber] {
        let jobs = try JobList.read(parsed.all("JOB")) { () throws(EngineError) in
            try environment.readStandardInput(JobList.bytesMax)
        }
        guard !jobs.isEmpty else {
            throw .usage("a JOB is needed, which \"ink jobs\" lists (see \"ink help \(parsed.name)\")")
        }
        return jobs
    }

    private static func give(
        _ action: OrderAction, _ done: String, noun: String = "job", _ parsed: ParsedCommand,
        _ environment: CommandEnvironment
    ) throws(CommandError) -> ExitCode {
        let options = try RemoteOptions(parsed, environment)
        let connection = try options.connect(environment)
        defer { connection.stop() }
        let result = try connection.carryOut(action, timeoutMilliseconds: options.answerMilliseconds)
        if result.count > 0 || result.code == .done {
            try environment.console.print("\(result.count) \(noun)\(result.count == 1 ? "" : "s") \(done)")
        }
        guard result.code != .done else { return .done }
        environment.console.error(result.text.isEmpty ? "the broker refused" : result.text)
        guard result.code == .refused else { return .exportFailed }
        return try exists(action, connection, options) ? .exportFailed : .usage
    }

    /// Whether the broker knows any target of an order that had no effect.
    private static func exists(
        _ action: OrderAction, _ connection: any FarmConnection, _ options: RemoteOptions
    ) throws(CommandError) -> Bool {
        switch action {
        // The only reason why a worker is not drained.
        case .drain, .dismiss: return false
        case .cancel(let jobs), .retry(let jobs), .priority(let jobs, _), .purge(let jobs, _), .pause(let jobs),
            .resume(let jobs):
            var left = jobs.sorted()[...]
            while let first = left.first {
                let page = try connection.answer(
                    .jobs(after: first - 1, limit: 1), timeoutMilliseconds: options.answerMilliseconds)
                guard let next = page["jobs"]?.array?.first?["job"]?.integer.flatMap({ JobNumber(exactly: $0) }),
                    next >= first
                else { return false }
                left = left.drop { $0 < next }
                if left.first == next { return true }
            }
            return jobs.isEmpty
        }
    }
}
