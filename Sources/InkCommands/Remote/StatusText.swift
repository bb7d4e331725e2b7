import InkSystem
import InkExports
import InkJSON
import InkProtocol

/// A broker's status, a job or a job's story as text for people, from the broker's JSON. Values that an older broker
/// does not send are omitted.
struct StatusText {
    /// The number of lines of an unlimited report.
    static let rowsMax = 100_000

    private let columns: Int

    /// - Parameter columns: lines are cut to fit.
    init(columns: Int = .max) { self.columns = columns }

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
        let jobs = status["jobs"]
        let uptime = Double(broker?["uptimeSeconds"]?.integer ?? 0) * 1000
        var lines = [
            "Broker   \(text(broker, "name")) (\(text(broker, "version"))), \(text(broker, "state")), up "
                + Shown.duration(milliseconds: uptime),
            "Jobs     \(count(jobs, "queued")) queued of at most \(count(status["queue"], "limit")), "
                + "\(count(jobs, "running")) running, \(some(jobs, "paused"))\(some(jobs, "ending"))\(count(jobs, "finished")) finished, "
                + "\(count(jobs, "failed")) failed, \(count(jobs, "cancelled")) cancelled",
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
        return Self.table(
            ["WORKER", "STATE", "THREADS", "HELD", "DONE", "TASKS/S", "HEARD", "RENDERER", "ADDRESS"], rows)
    }

    private func exportRows(_ exports: [JSONValue]) -> [String] {
        guard !exports.isEmpty else { return [] }
        let rows = exports.map { export in
            let done = export["done"]?.integer ?? 0
            let total = export["total"]?.integer ?? 0
            let share = total > 0 ? Double(done) / Double(total) : 0
            return [
                count(export, "job"), ProgressDisplay.bar(share) + " " + ProgressDisplay.percent(share),
                "\(done)/\(total)", timeLeft(export) ?? "-", text(export, "owner"),
                export["file"]?.string.flatMap { $0.isEmpty ? nil : $0.escapingControls() } ?? text(export, "name"),
            ]
        }
        return Self.table(["JOB", "DONE", "TILES", "LEFT", "OWNER", "PICTURE"], rows)
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
        var lines = Self.table(["MS", "TASK", "ATTEMPT", "WHAT", "WORKER", "REASON"], rows)
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

    private func text(_ value: JSONValue?, _ name: String) -> String {
        value?[name]?.string?.escapingControls() ?? "-"
    }

    private func count(_ value: JSONValue?, _ name: String) -> String {
        value?[name]?.integer.map(String.init) ?? "-"
    }

    private func size(_ value: JSONValue?, _ name: String) -> String {
        Shown.bytes(value?[name]?.integer ?? 0)
    }

    private func fit(_ line: String) -> String {
        // One column stays free, because a full line wraps on some terminals.
        columns == .max ? line : line.cut(toColumns: max(0, columns - 1))
    }

    /// The first rows, and the number of further ones.
    private static func cut(_ rows: [String], to count: Int, _ noun: String) -> [String] {
        rows.count <= count ? rows : rows.prefix(count - 1) + ["... and \(rows.count - count + 1) more \(noun)"]
    }

    /// Pads each column to its widest word, except the last one.
    private static func table(_ head: [String], _ rows: [[String]]) -> [String] {
        var widths = head.map(\.columns)
        for row in rows {
            for (index, word) in row.enumerated() { widths[index] = max(widths[index], min(40, word.columns)) }
        }
        return ([head] + rows).map { row in
            var line = ""
            for (index, word) in row.enumerated() {
                line += index + 1 < row.count ? word.padded(toColumns: widths[index]) + "  " : word
            }
            return line.trimmed()
        }
    }
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
