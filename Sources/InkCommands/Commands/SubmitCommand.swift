import InkBroker
import InkClient
import InkEngine
import InkExports
import InkJSON
import InkPlanning
import InkProtocol
import InkSystem

/// `ink submit`: submits projects to a broker and prints the numbers and names of the jobs.
struct SubmitCommand {
    /// The most unanswered submissions, and the most bytes of their project files.
    private static let openMax = 32
    private static let openBytesMax = 64 << 20

    /// An unanswered submission.
    private struct Entry {
        var input: ExportInput
        var picture: InkExports.PlannedPicture
        /// `Submission.digest`.
        var submission: ContentID
        /// Size of the project's file, bytes.
        var byteCount: Int
        var warnings: [ReadingWarning]
    }

    private let environment: CommandEnvironment
    private let maker: SubmissionMaker
    private let shown: ShownArguments
    private var open: [SubmissionKey: Entry] = [:]
    private var failures: [ExitCode] = []

    static func run(_ parsed: ParsedCommand, _ environment: CommandEnvironment) throws(CommandError) -> ExitCode {
        let options = try RemoteOptions(parsed, environment)
        var command = try SubmitCommand(parsed, environment)
        return try command.execute(options)
    }

    private init(_ parsed: ParsedCommand, _ environment: CommandEnvironment) throws(CommandError) {
        self.environment = environment
        let console = environment.console
        let arguments = try ExportArguments(parsed)
        let priority = try parsed.value("priority").map { text throws(CommandError) in
            try PriorityText.read(text, option: "--priority")
        }
        maker = try SubmissionMaker(
            arguments, into: parsed.value("into").map { text throws(CommandError) in try Self.relative(text) },
            isShared: parsed.isGiven("shared"), priority: priority ?? JobPriority.bulk,
            limits: environment.limits(arguments.limitsPath), environment.exports
        ) { console.warning($0) }
        shown = try ShownArguments(parsed)
    }

    /// A folder below the broker's output root, without a slash at its end.
    private static func relative(_ text: String) throws(CommandError) -> String {
        var path = text[...]
        while path.count > 1, path.hasSuffix("/") { path = path.dropLast() }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let isHere = path == "."
        if !text.hasSuffix("/"), OutputPlace.isPicture(text) {
            throw .usage(
                "--into: \(text) looks like a file, but a folder is needed; for a folder of this name use --into \(text)/"
            )
        }
        guard isHere || !parts.contains(where: { $0.isEmpty || $0 == "." || $0 == ".." }) else {
            throw .usage("--into: \"\(text)\" is absolute, leaves the broker's output root or has an empty part")
        }
        return isHere ? "" : String(path)
    }

    private mutating func execute(_ options: RemoteOptions) throws(CommandError) -> ExitCode {
        let (found, plan) = try maker.find(ConsoleObserver(environment.console, shown))
        failures += found.failures.map(\.failure.kind)
        let inputs = found.inputs
        guard !plan.pictures.isEmpty else { return ExitCode.combining(failures) }
        var session = try RemoteSession(options, environment)
        defer { session.connection.stop() }
        var index = 0
        while index < plan.pictures.count, session.stoppedBy == nil {
            // The pictures of one project are consecutive, so that it is read once.
            let input = plan.pictures[index].input
            let pictures = plan.pictures[index...].prefix { $0.input == input }
            try submit(Array(pictures), of: inputs[input], found.only, &session)
            index += pictures.count
        }
        while !open.isEmpty, session.stoppedBy == nil { try wait(&session, atMost: 100) }
        if let signal = session.stoppedBy {
            sayWhatIsOpen()
            return signal.exitCode
        }
        return ExitCode.combining(failures)
    }

    private func sayWhatIsOpen() {
        if open.isEmpty { return }
        environment.console.warning(
            "stopped: \(open.count) \(open.count == 1 ? "submission was" : "submissions were") not acknowledged; the broker may have jobs "
                + "for them, which \"ink jobs\" lists")
    }

    private mutating func fail(_ failure: PictureFailure) {
        environment.console.error(failure.reason)
        failures.append(failure.kind)
    }

    // MARK: - Submitting

    private mutating func submit(
        _ pictures: [InkExports.PlannedPicture], of input: ExportInput, _ known: OpenedProject?,
        _ session: inout RemoteSession
    ) throws(CommandError) {
        do throws(PictureFailure) {
            let (made, warnings) = try maker.make(pictures, of: input, known: known)
            for entry in made {
                open[entry.submission.key] = Entry(
                    input: input, picture: entry.picture, submission: entry.submission.digest,
                    byteCount: input.byteCount, warnings: warnings)
                session.connection.submit(entry.submission, content: entry.content)
            }
        } catch {
            fail(error)
        }
        try wait(&session, atMost: 0)
        while isFull, session.stoppedBy == nil { try wait(&session, atMost: 100) }
    }

    private var isFull: Bool {
        open.count >= Self.openMax || open.values.reduce(0) { $0 + $1.byteCount } >= Self.openBytesMax
    }

    // MARK: - Answers

    private mutating func wait(_ session: inout RemoteSession, atMost milliseconds: Int) throws(CommandError) {
        let events: [FarmClientEvent]
        do throws(CommandError) {
            events = try session.receive(waitingAtMost: milliseconds)
        } catch {
            sayWhatIsOpen()
            throw error
        }
        for event in events {
            switch event {
            case .accepted(let key, let job):
                guard let entry = open.removeValue(forKey: key) else { continue }
                try print(entry, job)
            case .rejected(let key, let rejection):
                guard let entry = open.removeValue(forKey: key) else { continue }
                fail(PictureFailure(rejection, name: entry.input.shownName))
            default: break
            }
        }
    }

    private func print(_ entry: Entry, _ job: JobNumber) throws(CommandError) {
        guard shown.printsJSON else {
            // The number is the first column, which `ink wait -` reads.
            let name = maker.fileName(entry.picture, of: entry.input).escapingControls()
            return try environment.console.printText(shown.isQuiet ? String(job) : "\(job)\t\(name)")
        }
        try environment.console.print(
            ([
                "job": .integer(Int(clamping: job)), "input": .string(entry.input.path),
                "size": .string(entry.picture.size.name), "layer": .optional(entry.picture.layer?.index),
                "viewport": .optional(entry.picture.viewport),
                "output": .optional(maker.isWritten ? entry.picture.output : nil),
                "submission": .string(entry.submission.description), "warnings": .lines(entry.warnings),
            ] as JSONValue).line)
    }
}
