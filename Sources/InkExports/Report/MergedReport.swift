import InkEngine
import InkJSON
import InkSystem

/// The parts of a run, of which a report was merged.
package struct MergedParts: Hashable, Sendable {
    package var count: Int
    /// The parts without a report, ascending.
    package var missing: [Int]

    var json: JSONValue { ["count": .integer(count), "missing": .array(missing.map { .integer($0) })] }
}

extension ExportReport {
    /// The report of a run from those of its parts. Times, memory and threads are those of the part that took most.
    ///
    /// - Parameter onWarning: gets what may make the parts those of different runs.
    /// - Throws: `badInput` for a file that is no report of a part, and for parts that do not belong to one run; `io`.
    package static func merging(
        _ paths: [String], onWarning: (String) -> Void
    ) throws(ExportError) -> ExportReport {
        var parts: [Int: Part] = [:]
        var first: Part?
        for path in paths {
            let part = try Part(path: path)
            let other = first ?? part
            first = other
            guard part.shard.count == other.shard.count else {
                throw .engine(
                    .badInput(
                        Place(file: path),
                        reason: "it is one of \(part.shard.count) parts, and \(other.path) one of \(other.shard.count)")
                )
            }
            if let same = parts.updateValue(part, forKey: part.shard.index) {
                throw .engine(
                    .badInput(
                        Place(file: path),
                        reason: "it is of part \(part.shard.index), and so is \(same.path); name the later one alone"))
            }
        }
        guard let first else { throw .usage("the REPORT of a part is needed") }
        let ordered = parts.values.sorted { $0.shard.index < $1.shard.index }
        func warn(of what: String, where isOther: (Part) -> Bool) {
            guard let other = ordered.first(where: isOther) else { return }
            onWarning("\(first.path) and \(other.path) are of runs with different \(what)")
        }
        warn(of: "inputs: files have come or gone between the parts") { $0.plan != first.plan }
        warn(of: "options") { $0.optionsText != first.optionsText }
        warn(of: "versions of the renderer") { $0.rendererVersion != first.rendererVersion }
        return try ExportReport(ordered, missing: (0..<first.shard.count).filter { parts[$0] == nil })
    }

    private init(_ parts: [Part], missing: [Int]) throws(ExportError) {
        // That of the first part, since the options are its own.
        folder = parts.first?.folder ?? ""
        records = []
        skipped = SkippedFiles()
        var failures: [ExitCode] = missing.isEmpty ? [] : [.exportFailed]
        for part in parts {
            let records = try part.records(from: folder)
            let codes = records.compactMap(\.failure).map(\.kind)
            failures += codes
            // Why a part was stopped is in none of its exports.
            if codes.isEmpty || part.stopCodes.contains(part.exitCode) { failures.append(part.exitCode) }
            self.records += records
            // The same search for all of them.
            if part.skipped.count > skipped.count { skipped = part.skipped }
        }
        summary = ExportSummary(records, milliseconds: parts.map(\.milliseconds).max() ?? 0)
        options = parts.first?.options ?? []
        rendererVersion = parts.first?.rendererVersion ?? ""
        workers = parts.map(\.workers).max() ?? 0
        broker = parts.first?.broker
        peakBytes = parts.compactMap(\.peakBytes).max()
        self.parts = MergedParts(count: missing.count + parts.count, missing: missing)
        exitCode = ExitCode.combining(failures)
    }
}

/// What a report says of one part of a run.
private struct Part {
    let stopCodes: Set<ExitCode> = [.hungUp, .interrupted, .terminated]
    let path: String
    let shard: Shard
    let plan: String
    let folder: String
    let options: [(name: String, values: [String])]
    let optionsText: String
    let rendererVersion: String
    let broker: String?
    let exitCode: ExitCode
    let milliseconds: Double
    let workers: Int
    let peakBytes: Int?
    private let json: JSONValue

    init(path: String) throws(ExportError) {
        let json = try ExportReport.read(path, refusing: .badInput)
        guard json["format"]?.string == "ink-export-report", json["version"]?.integer == ExportReport.formatVersion,
            let index = json["shard"]?["index"]?.integer, let count = json["shard"]?["count"]?.integer,
            let shard = Shard(index: index, count: count), let folder = json["folder"]?.string,
            let exitCode = json["exitCode"]?.integer.flatMap({ Int32(exactly: $0) }).flatMap(ExitCode.init(rawValue:)),
            let options = json["options"]?.members
        else {
            throw .engine(
                .badInput(
                    Place(file: path),
                    reason: "not the report of a part of a run (ink export --shard I/N --report FILE)"))
        }
        self.path = path
        self.shard = shard
        self.folder = folder
        self.exitCode = exitCode
        self.options = options.map { ($0.0, ($0.1.array ?? []).compactMap(\.string)) }
        optionsText = JSONValue.object(options).line
        plan = json["shard"]?["plan"]?.string ?? ""
        rendererVersion = json["renderer"]?.string ?? ""
        broker = json["broker"]?.string
        milliseconds = (json["summary"]?["milliseconds"]?.number).flatMap { (0...1e12).contains($0) ? $0 : nil } ?? 0
        workers = json["workers"]?.integer ?? 0
        peakBytes = json["summary"]?["peakBytes"]?.integer
        self.json = json
    }

    var skipped: SkippedFiles {
        var skipped = SkippedFiles()
        for file in json["skippedFiles"]?.array ?? [] {
            guard let path = file["path"]?.string,
                let kind = file["kind"]?.string.flatMap(SkippedFiles.Kind.init(rawValue:))
            else { continue }
            skipped.add(path, kind, reason: file["reason"]?.string)
        }
        return skipped
    }

    /// The exports with paths from that folder.
    /// - Throws: `badInput`.
    func records(from here: String) throws(ExportError) -> [ExportRecord] {
        var records: [ExportRecord] = []
        for (index, export) in (json["exports"]?.array ?? []).enumerated() {
            let record = ExportRecord(export) {
                folder == here || $0.hasPrefix("/") ? $0 : folder.appendingPath($0)
            }
            guard let record else {
                throw .engine(
                    .badInput(Place(file: path, path: "exports[\(index)]"), reason: "this is not an export"))
            }
            records.append(record)
        }
        return records
    }
}
