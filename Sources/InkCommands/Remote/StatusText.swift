import InkSystem
import InkExports
import InkJSON
import InkProtocol

/// A broker's status, a job or a job's story as text for people, from the broker's JSON. Values that are missing are
/// omitted.
struct StatusText {
    /// The number of lines of an unlimited report.
    static let rowsMax = 100_000

    private let columns: Int
    /// Whether lines must not wrap.
    private let isCut: Bool

    /// - Parameters:
    ///   - columns: of the terminal; tables are made to fit, names are shortened.
    ///   - isCut: whether lines that are longer all the same are cut.
    init(columns: Int = .max, isCut: Bool = false) {
        self.columns = columns
        self.isCut = isCut
    }

    /// For standard output.
    init(_ console: Console) { self.init(columns: console.outputSize()?.columns ?? .max) }

    /// - Parameter rowsMax: lines in all; exports, then workers are left out beyond.
    func lines(status: JSONValue, rowsMax: Int = StatusText.rowsMax) -> [String] {
        var lines = head(status)
        let workers = workerRows(status["workers"]?.array ?? [])
        let exports = exportRows(status["exports"]?.array ?? [])
        // Exports come first; workers get at least a third of the rows.
        let room = max(4, rowsMax - lines.count - 2)
        let exportRoom = max(room - workers.count, room * 2 / 3)
        lines += [""] + Self.cut(workers, to: max(2, room - min(exports.count, exportRoom)), "workers")
        if !exports.isEmpty { lines += [""] + Self.cut(exports, to: exportRoom, "exports") }
        return lines.map(fit)
    }

    /// One line for logs and pipes.
    func line(status: JSONValue) -> String {
        let jobs = status["jobs"]
        let workers = status["workers"]?.array?.count ?? 0
        return
            "\(count(jobs, "queued")) queued, \(count(jobs, "running")) running, \(some(jobs, "paused"))\(some(jobs, "ending"))"
            + "\(count(jobs, "finished")) finished, "
            + "\(count(jobs, "failed")) failed, \(workers) workers, \(speed(status))"
            + (timeLeft(status).map { ", \($0) left" } ?? "")
    }

    private func head(_ status: JSONValue) -> [String] {
        let broker = status["broker"]
        let uptime = Double(broker?["uptimeSeconds"]?.integer ?? 0) * 1000
        var lines = [
            "Broker   \(text(broker, "name")) (\(text(broker, "version"))), \(text(broker, "state")), up "
                + Shown.duration(milliseconds: uptime),
            jobLine(status),
            "Speed    " + speed(status),
        ]
        if let left = timeLeft(status) { lines.append("Left     \(left)") }
        if let tasks = status["tasks"] {
            lines.append(
                "Tasks    \(count(tasks, "finished")) done, \(count(tasks, "failed")) failed, "
                    + "\(count(tasks, "raced")) raced, \(count(tasks, "verified")) verified")
        }
        if let store = status["store"], let memory = status["memory"] {
            lines.append(
                "Storage  \(size(store, "usedBytes")) of \(size(store, "quotaBytes")) used; blocks: "
                    + "\(size(memory, "blockBytes")), \(size(memory, "spilledBytes")) spilled")
        }
        if let problem = status["store"]?["problem"]?.string {
            lines.append("Problem  \(problem.escapingControls())")
        }
        lines.append("Clients  \(status["clients"]?.integer ?? 0)")
        return lines
    }

    /// The counts of jobs, as many as fit.
    private func jobLine(_ status: JSONValue) -> String {
        let jobs = status["jobs"]
        let queued = "Jobs     \(count(jobs, "queued")) queued"
        let limit = " of at most \(count(status["queue"], "limit"))"
        let running = ", \(count(jobs, "running")) running, \(some(jobs, "paused"))\(some(jobs, "ending"))"
        let ended = "\(count(jobs, "finished")) finished, \(count(jobs, "failed")) failed"
        let lines = [
            queued + limit + running + ended + ", \(count(jobs, "cancelled")) cancelled",
            queued + running + ended + ", \(count(jobs, "cancelled")) cancelled", queued + running + ended,
            "Jobs     \(count(jobs, "queued"))q \(count(jobs, "running"))r \(count(jobs, "failed")) failed",
        ]
        return lines.first { $0.columns <= room } ?? lines[3]
    }

    /// Jobs whose end the broker cannot store on its disk, if any.
    /// Nothing if there are none.
    private func some(_ jobs: JSONValue?, _ state: String) -> String {
        jobs?[state]?.integer.flatMap { $0 > 0 ? "\($0) \(state), " : nil } ?? ""
    }

    private func speed(_ status: JSONValue) -> String {
        let throughput = status["throughput"]
        func rate(_ name: String) -> String { Shown.decimal(throughput?[name]?.number ?? 0, places: 1) }
        return "\(rate("picturesPerMinute")) pictures/min, \(rate("tasksPerSecond")) tasks/s, "
            + "\(rate("megapixelsPerSecond")) Mpixels/s"
    }

    private func workerRows(_ workers: [JSONValue]) -> [String] {
        guard !workers.isEmpty else { return ["No workers"] }
        let rows = workers.map { worker in
            [
                text(worker, "name"), text(worker, "state"), count(worker, "threads"), count(worker, "held"),
                count(worker, "done"), Shown.decimal(worker["tasksPerSecond"]?.number ?? 0, places: 1),
                Shown.duration(milliseconds: Double(worker["lastHeardMilliseconds"]?.integer ?? 0)),
                text(worker, "renderer"), worker["address"]?.string?.escapingControls() ?? "",
            ]
        }
        return table(
            ["WORKER", "STATE", "THREADS", "HELD", "DONE", "TASKS/S", "HEARD", "RENDERER", "ADDRESS"], rows,
            dropping: ["RENDERER", "ADDRESS", "DONE", "HEARD", "HELD", "THREADS", "TASKS/S"], shortening: "WORKER")
    }

    private func exportRows(_ exports: [JSONValue]) -> [String] {
        guard !exports.isEmpty else { return [] }
        let rows = exports.map { export in
            let done = export["done"]?.integer ?? 0
            let total = export["total"]?.integer ?? 0
            let share = total > 0 ? Double(done) / Double(total) : 0
            return [
                count(export, "job"), ProgressDisplay.bar(share), ProgressDisplay.percent(share),
                "\(done)/\(total)", timeLeft(export) ?? "-", text(export, "owner"), picture(export),
            ]
        }
        return table(
            ["JOB", "", "DONE", "TILES", "LEFT", "OWNER", "PICTURE"], rows,
            dropping: ["OWNER", "", "TILES", "LEFT"], shortening: "PICTURE")
    }

    /// The name of a job's picture; that of its project from brokers that do not know it.
    private func picture(_ job: JSONValue) -> String {
        text(job, job["file"]?.string?.isEmpty == false ? "file" : "name")
    }

    /// A list of jobs, each with the cause of its failure.
    func lines(jobs: [JSONValue]) -> [String] {
        guard !jobs.isEmpty else { return ["No jobs"] }
        let rows = jobs.map { job in
            [
                count(job, "job"), text(job, "state"), text(job, "size"), text(job, "format", or: "png"),
                text(job, "owner"), picture(job), job["reason"]?.string?.escapingControls() ?? "",
            ]
        }
        return table(
            ["JOB", "STATE", "SIZE", "FORMAT", "OWNER", "PICTURE", "REASON"], rows,
            dropping: ["OWNER", "FORMAT", "SIZE"], shortening: "PICTURE", wrapping: "REASON")
    }

    /// A broker's answer about one job.
    func lines(job: JSONValue) -> [String] {
        var lines = ["Job \(count(job, "job"))  \(text(job, "name"))"]
        var state = text(job, "state")
        if let done = job["done"]?.integer, let total = job["total"]?.integer, total > 0 {
            state += ", \(done) of \(total) tiles"
        }
        if let end = job["end"]?.string {
            state += " (\(end.escapingControls()); the broker's disk does not take it yet)"
        }
        if let file = job["file"]?.string { lines.append("  File       \(file.escapingControls())") }
        lines.append("  State      \(state)")
        if let left = timeLeft(job) { lines.append("  Left       \(left)") }
        if let priority = job["priority"]?.integer { lines.append("  Priority   \(PriorityText.text(priority))") }
        if let owner = job["owner"]?.string, !owner.isEmpty { lines.append("  Owner      \(owner.escapingControls())") }
        if let size = job["size"]?.string { lines.append("  Size       \(size.escapingControls())") }
        if let time = job["submittedAt"]?.integer {
            lines.append("  Submitted  \(UTCTime.text(unixMilliseconds: Int64(time)))")
        }
        if let time = job["endedAt"]?.integer {
            lines.append("  Ended      \(UTCTime.text(unixMilliseconds: Int64(time)))")
        }
        if let path = job["output"]?.string { lines.append("  Written    \(path.escapingControls())") }
        if let picture = job["picture"] {
            lines.append(
                "  Picture    \(count(picture, "width"))x\(count(picture, "height")) pixels, \(size(picture, "bytes")), "
                    + Shown.duration(milliseconds: picture["milliseconds"]?.number ?? 0))
            if let quality = picture["quality"]?.integer { lines.append("  Quality    \(quality)") }
            lines.append("  SHA-256    \(text(picture, "sha256"))")
        }
        for warning in job["warnings"]?.array ?? [] {
            lines.append("  Warning    \((warning.string ?? "").escapingControls())")
        }
        if let reason = job["reason"]?.string { lines.append("  Reason     \(reason.escapingControls())") }
        return lines.map(fit)
    }

    /// What happened to a job's tiles, oldest first.
    func lines(story: JSONValue) -> [String] {
        let events = story["events"]?.array ?? []
        let rows = events.map { event in
            [
                Shown.decimal(event["ms"]?.number ?? 0, places: 0), text(event, "task"), count(event, "attempt"),
                text(event, "what"), text(event, "worker"), event["reason"]?.string?.escapingControls() ?? "",
            ]
        }
        var lines = table(
            ["MS", "TASK", "ATTEMPT", "WHAT", "WORKER", "REASON"], rows, dropping: ["ATTEMPT"], shortening: "WORKER",
            wrapping: "REASON")
        if let forgotten = story["forgotten"]?.integer { lines.append("(\(forgotten) later events are not kept)") }
        return lines.map(fit)
    }

    // MARK: - Pieces

    /// The broker's estimate; `about 12 s`.
    private func timeLeft(_ value: JSONValue) -> String? {
        guard let time = value["timeLeft"], let seconds = time["seconds"]?.number, let low = time["low"]?.number,
            let high = time["high"]?.number
        else { return nil }
        return Shown.time(TimeLeft(seconds: seconds, low: low, high: high))
    }

    private func text(_ value: JSONValue?, _ name: String, or missing: String = "-") -> String {
        value?[name]?.string?.escapingControls() ?? missing
    }

    private func count(_ value: JSONValue?, _ name: String) -> String {
        value?[name]?.integer.map(String.init) ?? "-"
    }

    private func size(_ value: JSONValue?, _ name: String) -> String {
        Shown.bytes(value?[name]?.integer ?? 0)
    }

    /// One column stays free, because a full line wraps on some terminals.
    private var room: Int { columns == .max ? .max : max(0, columns - 1) }

    private func fit(_ line: String) -> String {
        isCut ? line.cut(toColumns: room) : line
    }

    /// The first rows, and the number of further ones.
    private static func cut(_ rows: [String], to count: Int, _ noun: String) -> [String] {
        rows.count <= count ? rows : rows.prefix(count - 1) + ["... and \(rows.count - count + 1) more \(noun)"]
    }

    /// Pads each column to its widest word, except the last one.
    ///
    /// On a terminal that is too narrow columns are left out in the order of `dropping`, and words of the column
    /// `shortening` are shortened in the middle; both may not be there. A last column `wrapping`, of whole sentences, gets
    /// lines of its own where it would leave little room.
    private func table(
        _ head: [String], _ rows: [[String]], dropping: [String], shortening: String, wrapping: String? = nil
    ) -> [String] {
        var kept = Array(head.indices)
        let flexible = head.firstIndex(of: shortening)
        let sentences = wrapping.flatMap { head.firstIndex(of: $0) }
        let natural = head.indices.map { column in
            max(head[column].columns, rows.reduce(0) { max($0, $1[column].columns) })
        }
        func width(_ columns: [Int], _ flexibleWidth: Int) -> Int {
            columns.reduce(2 * max(0, columns.count - 1)) {
                $0 + ($1 == flexible ? flexibleWidth : $1 == sentences ? 0 : natural[$1])
            }
        }
        let wanted = flexible.map { min(natural[$0], Self.nameColumns) } ?? 0
        for name in dropping where width(kept, wanted) > room { kept.removeAll { head[$0] == name } }
        var flexibleWidth = flexible.map { natural[$0] } ?? 0
        if room != .max { flexibleWidth = max(min(flexibleWidth, room - width(kept, 0)), min(flexibleWidth, 8)) }
        // On one line where most of a sentence fits; in pipes always.
        let isBelow = sentences != nil && room != .max && room - width(kept, flexibleWidth) < Self.sentenceColumns
        if isBelow { kept.removeAll { $0 == sentences } }
        func line(_ row: [String]) -> String {
            let words = kept.map { column in
                let isFlexible = column == flexible && room != .max
                let word = isFlexible ? row[column].shortened(toColumns: flexibleWidth) : row[column]
                guard column != kept.last else { return word }
                return word.padded(
                    toColumns: column == flexible ? flexibleWidth : column == sentences ? 0 : natural[column])
            }
            return words.joined(separator: "  ").trimmed()
        }
        return [line(head)]
            + rows.flatMap { row in
                [line(row)]
                    + (isBelow && sentences.map { !row[$0].isEmpty } == true ? ["  " + row[sentences ?? 0]] : [])
            }
    }

    /// So many columns of a name are shown before other columns.
    private static let nameColumns = 24
    /// A sentence on the same line has at least so many.
    private static let sentenceColumns = 40
}

extension Shown {
    /// `512 B`, `3.4 MiB`.
    static func bytes(_ count: Int) -> String {
        for (shift, unit) in [(40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB")] where count >= 1 << shift {
            return decimal(Double(count) / Double(1 << shift), places: 1) + " " + unit
        }
        return "\(count) B"
    }
}
