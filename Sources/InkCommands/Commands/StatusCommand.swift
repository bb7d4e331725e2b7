import Glibc
import InkEngine
import InkExports
import InkJSON
import InkProtocol
import InkSystem

/// `ink status` and `ink story`: questions to a broker.
struct StatusCommand {
    /// The time between updates of a terminal, and between lines elsewhere, milliseconds.
    private static let drawMilliseconds = 1_000
    private static let lineMilliseconds = 5_000

    private let environment: CommandEnvironment
    private let options: RemoteOptions
    private let job: JobNumber?
    private let printsJSON: Bool

    static func run(_ parsed: ParsedCommand, _ environment: CommandEnvironment) throws(CommandError) -> ExitCode {
        let command = StatusCommand(
            environment: environment, options: try RemoteOptions(parsed, environment),
            job: try parsed.value("JOB").map { text throws(CommandError) in try JobList.number(text) },
            printsJSON: parsed.isGiven("json"))
        let isWatching = parsed.isGiven("watch")
        if isWatching { try Interrupts.leaveClean(environment) }
        let connection = try command.options.connect(environment)
        defer { connection.stop() }
        if isWatching { return try command.watch(connection) }
        let status = try command.ask(connection)
        if command.printsJSON {
            try environment.console.print(status.text())
        } else {
            for line in command.lines(status, StatusText(environment.console)) {
                try environment.console.printText(line)
            }
        }
        // A broker that answers but cannot store jobs is unhealthy.
        return status["store"]?["problem"] == nil ? .done : .inputOutput
    }

    /// `ink story JOB`.
    static func story(_ parsed: ParsedCommand, _ environment: CommandEnvironment) throws(CommandError) -> ExitCode {
        guard let text = parsed.value("JOB") else {
            throw .usage("a JOB is needed, which \"ink jobs\" lists (see \"ink help story\")")
        }
        let job = try JobList.number(text)
        let options = try RemoteOptions(parsed, environment)
        let connection = try options.connect(environment)
        defer { connection.stop() }
        let story = try connection.answer(.story(job), timeoutMilliseconds: options.answerMilliseconds)
        if case .null = story {
            throw .usage("job \(job): the broker has no story of this job; it has not started, or has been purged")
        }
        if parsed.isGiven("json") {
            try environment.console.print(story.text())
        } else {
            for line in StatusText(environment.console).lines(story: story) { try environment.console.printText(line) }
        }
        return .done
    }

    /// `ink jobs`.
    static func jobs(_ parsed: ParsedCommand, _ environment: CommandEnvironment) throws(CommandError) -> ExitCode {
        let states = parsed.list("state")
        for state in states where !JobPages.states.contains(state) {
            let meant = didYouMean(state, among: JobPages.states)
            throw .usage(
                "--state: \"\(state)\" is not a state of jobs\(meant); choose from \(JobPages.states.joined(separator: ", "))"
            )
        }
        let options = try RemoteOptions(parsed, environment)
        let connection = try options.connect(environment)
        defer { connection.stop() }
        let console = environment.console
        var jobs: [JSONValue] = []
        try JobPages.read(connection, timeoutMilliseconds: options.answerMilliseconds) { job throws(CommandError) in
            guard states.isEmpty || states.contains(job["state"]?.string ?? "") else { return }
            if parsed.isGiven("json") { try console.print(job.line) } else { jobs.append(job) }
        }
        if parsed.isGiven("json") { return .done }
        for line in StatusText(console).lines(jobs: jobs) { try console.printText(line) }
        return .done
    }

    private func ask(_ connection: any FarmConnection) throws(CommandError) -> JSONValue {
        let topic = job.map { Topic.job($0) } ?? .status
        let status = try connection.answer(topic, timeoutMilliseconds: options.answerMilliseconds)
        if let job, case .null = status {
            throw .usage("job \(job): the broker does not know this job; it may have been purged")
        }
        return status
    }

    private func lines(_ status: JSONValue, _ text: StatusText, rowsMax: Int = StatusText.rowsMax) -> [String] {
        job == nil ? text.lines(status: status, rowsMax: rowsMax) : text.lines(job: status)
    }

    /// Shows the status repeatedly until a signal ends the program or a watched job has ended.
    private func watch(_ connection: any FarmConnection) throws(CommandError) -> ExitCode {
        var hasAnswered = false
        while true {
            let size = printsJSON ? nil : environment.console.outputSize()
            var isOver = false
            do throws(CommandError) {
                let status = try ask(connection)
                hasAnswered = true
                isOver = job != nil && status["endedAt"] != nil
                try show(status, size)
            } catch {
                // A broker that has answered once may return; a wrong address stays wrong.
                guard hasAnswered, case .farm = error else { throw error }
                let now = UTCTime.text(unixMilliseconds: SystemClock.unixMilliseconds)
                environment.console.warning("\(now): \(error.description)")
            }
            if isOver {
                environment.console.leaveTerminal(hasEcho: false)
                return .done
            }
            environment.sleep(size == nil && !printsJSON ? Self.lineMilliseconds : Self.drawMilliseconds)
        }
    }

    private func show(_ status: JSONValue, _ size: (columns: Int, rows: Int)?) throws(CommandError) {
        if printsJSON {
            try environment.console.print(status.line)
        } else if let size {
            let text = lines(status, StatusText(columns: size.columns, isCut: true), rowsMax: size.rows - 1)
            try environment.console.showResult(Array(text.prefix(max(1, size.rows - 1))), size: size)
        } else if job != nil {
            try environment.console.print(lines(status, StatusText()).map { $0.trimmed() }.joined(separator: "; "))
        } else {
            try environment.console.print(
                "\(UTCTime.text(unixMilliseconds: SystemClock.unixMilliseconds)) \(StatusText().line(status: status))")
        }
    }
}
