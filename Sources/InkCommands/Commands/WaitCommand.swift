import Glibc
import InkClient
import InkCodecs
import InkEngine
import InkExports
import InkJSON
import InkProtocol
import InkSystem

/// `ink wait`: waits until jobs have ended, and fetches the pictures that the broker keeps.
struct WaitCommand {
    /// What the broker reported of a job before.
    private struct Facts {
        var name: String
        /// The path of the picture, as it was submitted.
        var file: String?
        var size: String
        /// The ending of its file.
        var ending: String
        /// PNG for what is none of the formats, such as an archive: any other file.
        var format: PictureFormat
        /// Below the broker's output root; nil: the broker keeps the picture to be fetched.
        var output: String?
    }

    private let environment: CommandEnvironment
    private let jobs: [JobNumber]
    /// The expected content of jobs, as reported by `ink submit` or else by the broker at the start.
    private var submissions: [JobNumber: ContentID]
    /// Where pictures are saved; nil: they are not fetched.
    private let folder: String?
    private let isQuiet: Bool
    private let printsJSON: Bool
    private var session: RemoteSession
    private var facts: [JobNumber: Facts] = [:]
    private var paths: [JobNumber: String] = [:]
    private var open: Set<JobNumber>
    /// Finished jobs whose pictures are being fetched.
    private var fetching: [JobNumber: Notice] = [:]
    private var failures: [ExitCode] = []
    /// Finished jobs whose projects gave warnings.
    private var withWarnings = 0
    private var asksForWarnings = true
    private let answerMilliseconds: Int
    private var progress: ProgressDisplay

    static func run(_ parsed: ParsedCommand, _ environment: CommandEnvironment) throws(CommandError) -> ExitCode {
        let options = try RemoteOptions(parsed, environment)
        if parsed.isGiven("no-fetch"), parsed.isGiven("output") {
            throw .usage("--output and --no-fetch cannot be used together")
        }
        let folder = try parsed.value("output").map { path throws(CommandError) in
            try OutputPlace.folder(path, option: "-o")
        }
        let style = try ProgressStyle.read(parsed)
        var submissions: [JobNumber: ContentID] = [:]
        let jobs = try JobList.read(parsed.all("JOB"), submissions: &submissions) { () throws(EngineError) in
            try environment.readStandardInput(JobList.bytesMax)
        }
        guard !jobs.isEmpty else {
            // `ink submit ... | ink wait -` without submissions; `submit` has reported why.
            if parsed.all("JOB").contains("-") { return .done }
            throw .usage("a JOB is needed, which \"ink jobs\" lists (see \"ink help wait\")")
        }
        var command = WaitCommand(
            parsed, environment, jobs, submissions,
            try RemoteSession(options, environment, isQuiet: parsed.isGiven("quiet")), style,
            folder, answerMilliseconds: options.answerMilliseconds)
        defer { command.session.connection.stop() }
        return try command.execute(answerMilliseconds: options.timeoutMilliseconds)
    }

    private init(
        _ parsed: ParsedCommand, _ environment: CommandEnvironment, _ jobs: [JobNumber],
        _ submissions: [JobNumber: ContentID], _ session: RemoteSession,
        _ style: ProgressStyle, _ folder: String?, answerMilliseconds: Int
    ) {
        self.answerMilliseconds = answerMilliseconds
        self.environment = environment
        self.jobs = jobs
        self.submissions = submissions
        self.session = session
        self.folder = parsed.isGiven("no-fetch") ? nil : folder ?? ""
        isQuiet = parsed.isGiven("quiet")
        printsJSON = parsed.isGiven("json")
        open = Set(jobs)
        progress = ProgressDisplay(console: environment.console, total: jobs.count, style: style)
    }

    private mutating func execute(answerMilliseconds: Int?) throws(CommandError) -> ExitCode {
        try askForFacts(timeoutMilliseconds: answerMilliseconds ?? Int(LinkWatch.firstAnswerMilliseconds))
        namePictures()
        session.connection.expect(submissions)
        session.connection.watch(jobs)
        defer { progress.clear() }
        while !open.isEmpty {
            for event in try session.receive(waitingAtMost: 100) { try take(event) }
            if let signal = session.stoppedBy { return signal.exitCode }
            if !isQuiet { progress.draw(milliseconds: session.milliseconds) }
        }
        progress.clear()
        if isQuiet, withWarnings > 0 {
            environment.console.warning(
                "\(withWarnings) of \(jobs.count) jobs have warnings, which --quiet hides and \"ink status JOB\" shows")
        }
        return ExitCode.combining(failures)
    }

    /// Names and sizes of the jobs, requested in pages; jobs unknown to the broker are omitted.
    private mutating func askForFacts(timeoutMilliseconds: Int) throws(CommandError) {
        let pageCount = 1000
        var sorted = jobs.sorted()[...]
        while let first = sorted.first {
            let count = min(JobNumber(pageCount), (jobs.max() ?? first) - first + 1)
            let page = try session.connection.answer(
                .jobs(after: first - 1, limit: Int(count)), timeoutMilliseconds: timeoutMilliseconds)
            let list = page["jobs"]?.array ?? []
            for job in list {
                guard let number = job["job"]?.integer.flatMap({ JobNumber(exactly: $0) }), open.contains(number) else {
                    continue
                }
                facts[number] = Facts(
                    name: job["name"]?.string ?? "", file: job["file"]?.string, size: job["size"]?.string ?? "",
                    ending: Self.ending(format: job["format"]?.string),
                    format: job["format"]?.string.flatMap(PictureCodecs.codec(named:))?.format ?? .png,
                    output: job["output"]?.string)
                if let submission = job["submission"]?.string.flatMap({ ContentID(hexadecimal: $0) }) {
                    submissions[number] = submissions[number] ?? submission
                }
            }
            guard let last = list.last?["job"]?.integer.flatMap({ JobNumber(exactly: $0) }), last >= first,
                page["more"].map({ if case .bool(true) = $0 { true } else { false } }) == true
            else { return }
            sorted = sorted.drop { $0 <= last }
        }
    }

    private static func ending(format: String?) -> String {
        guard let format else { return PictureCodecs.all[0].endings[0] }
        // An archive has the name of its ending.
        return PictureCodecs.codec(named: format)?.endings[0] ?? format
    }

    /// A job's file as it was submitted, or else `NAME-SIZE.png`.
    private func file(of job: JobNumber) -> String {
        // A broker must not lead out of the folder.
        if let file = facts[job]?.file, file.isPlainRelativePath { return file }
        let stem = NameTemplate.safe(ExportInput(path: facts[job]?.name ?? "").stem)
        let size = facts[job].map(\.size) ?? ""
        let name = size.isEmpty ? stem : "\(stem)-\(NameTemplate.safe(size))"
        return "\(name).\(facts[job]?.ending ?? "png")"
    }

    /// Where several would have one name, each has its job's number too.
    private mutating func namePictures() {
        guard let folder else { return }
        var counts: [String: Int] = [:]
        for job in jobs { counts[file(of: job), default: 0] += 1 }
        for job in jobs {
            var file = file(of: job)
            if counts[file] != 1 {
                let ending = file.lastIndex(of: ".") ?? file.endIndex
                file = "\(file[..<ending])-\(job)\(file[ending...])"
            }
            paths[job] = folder.appendingPath(file)
        }
    }

    // MARK: - Events

    private mutating func take(_ event: FarmClientEvent) throws(CommandError) {
        switch event {
        case .connected, .disconnected, .refused, .accepted, .rejected, .busy: break
        case .progress(let job, let done, let total, let timeLeft):
            guard open.contains(job), fetching[job] == nil else { return }
            let id = Int(clamping: job)
            progress.started(id, name: facts[job]?.name ?? "job \(job)")
            progress.progressed(id, done: done, total: total)
            if let timeLeft { progress.estimated(id, timeLeft) }
        case .notice(let notice): try ended(notice)
        case .fetched(let job, let path, _):
            guard let notice = fetching.removeValue(forKey: job) else { return }
            try done(notice, at: path)
        case .fetchFailed(let job, let error):
            guard let notice = fetching.removeValue(forKey: job) else { return }
            try failed(notice, PictureFailure(error))
        }
    }

    private mutating func ended(_ notice: Notice) throws(CommandError) {
        guard open.contains(notice.job), fetching[notice.job] == nil else { return }
        guard case .finished(let picture) = notice.ending else {
            if let failure = PictureFailure(notice.ending, job: notice.job) { try failed(notice, failure) }
            return
        }
        guard let path = paths[notice.job], facts[notice.job]?.output == nil else {
            return try done(notice, at: facts[notice.job]?.output)
        }
        // From an earlier `ink wait`.
        if picture.isFile(at: path) { return try done(notice, at: path) }
        fetching[notice.job] = notice
        session.connection.fetch(
            notice.job, picture: picture, to: path, as: facts[notice.job]?.format ?? .png)
    }

    private mutating func done(_ notice: Notice, at path: String?) throws(CommandError) {
        try end(notice)
        guard case .finished(let picture) = notice.ending else { return }
        let milliseconds = Double(picture.rendering) / 1e6
        let warnings = warnings(of: notice.job)
        if !warnings.isEmpty { withWarnings += 1 }
        if !isQuiet {
            let name = facts[notice.job].map { " (\($0.name))" } ?? ""
            for warning in warnings { environment.console.warning("job \(notice.job)\(name): \(warning)") }
        }
        if printsJSON {
            try environment.console.print(
                ([
                    "job": .integer(Int(clamping: notice.job)), "state": .string("finished"),
                    "name": .optional(facts[notice.job]?.name), "path": .optional(path),
                    "width": .integer(picture.size.width), "height": .integer(picture.size.height),
                    "bytes": .integer(picture.byteCount),
                    "sha256": .string(picture.digest.hexadecimal), "milliseconds": .milliseconds(milliseconds),
                    "warnings": .array(warnings.map { .string($0) }),
                ] as JSONValue).line)
        } else if !isQuiet {
            let place = path.map { " \($0.escapingControls())" } ?? ""
            try environment.console.printText(
                "\(notice.job) finished\(place) (\(picture.size), \(Shown.bytes(picture.byteCount)), "
                    + "\(Shown.duration(milliseconds: milliseconds)))")
        }
    }

    /// The broker's warnings about a job's project.
    private mutating func warnings(of job: JobNumber) -> [String] {
        guard asksForWarnings else { return [] }
        do throws(CommandError) {
            let answer = try session.connection.answer(.job(job), timeoutMilliseconds: answerMilliseconds)
            return (answer["warnings"]?.array ?? []).compactMap(\.string)
        } catch {
            // The picture exists nevertheless, and later pictures should not wait as long again.
            asksForWarnings = false
            environment.console.warning(
                "job \(job) and those after it: whether they have warnings cannot be asked: \(error.description)")
            return []
        }
    }

    private mutating func failed(_ notice: Notice, _ failure: PictureFailure) throws(CommandError) {
        try end(notice)
        failures.append(failure.kind)
        let name = facts[notice.job]?.name
        if printsJSON {
            let state =
                switch notice.ending {
                case .finished, .failed: "failed"
                case .cancelled: "cancelled"
                case .unknown: "unknown"
                }
            try environment.console.print(
                ([
                    "job": .integer(Int(clamping: notice.job)), "state": .string(state), "name": .optional(name),
                    "code": .integer(Int(failure.kind.rawValue)), "reason": .string(failure.reason),
                ] as JSONValue).line)
        }
        environment.console.error(failure.reason)
    }

    private mutating func end(_ notice: Notice) throws(CommandError) {
        session.connection.noticeTaken(notice.id)
        open.remove(notice.job)
        var pixels = 0
        if case .finished(let picture) = notice.ending { pixels = picture.size.area }
        progress.ended(Int(clamping: notice.job), pixels: pixels)
    }
}
