import Glibc
import InkBroker
package import InkEngine
package import InkJSON
import InkPlanning
import InkProtocol
import InkSystem

/// The machine-readable report of a run, written by `--report` and printed by `--json`.
package struct ExportReport: Sendable {
    /// Largest report that is read, bytes.
    private static let bytesMax = 1 << 30

    /// Changes when older readers would misread the format.
    package static let formatVersion = 1

    package var records: [ExportRecord]
    package var summary: ExportSummary
    package var skipped: SkippedFiles
    /// The options that `--from-report` takes over.
    package var options: [(name: String, values: [String])]
    /// The folder that relative paths in the report refer to.
    package var folder: String
    package var rendererVersion: String
    /// The number of render threads.
    package var workers: Int
    /// The broker's endpoint; nil if this process rendered.
    package var broker: String?
    /// The part of a run that the report is about; nil: a whole run.
    package var shard: PlannedShard?
    /// The parts that the report was merged from; nil: it is of one process.
    package var parts: MergedParts?
    package var exitCode: ExitCode
    /// The peak memory of this process; nil if the system does not report it.
    package var peakBytes: Int?

    /// - Parameter options: by name, what `--from-report` needs to repeat the run.
    package init(_ finished: FinishedExports, options: [String: [String]]) {
        records = finished.records
        skipped = finished.skipped
        summary = ExportSummary(finished.records, milliseconds: finished.milliseconds)
        self.options = options.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        folder = FileSystem.currentFolder()
        rendererVersion = finished.rendererVersion
        workers = finished.workers
        broker = finished.broker
        shard = finished.shard
        exitCode = finished.exitCode
        peakBytes = ProcessMemory.peakBytes()
    }

    package var json: JSONValue {
        [
            "format": .string("ink-export-report"),
            "version": .integer(Self.formatVersion),
            "program": .string(ProgramVersion.text),
            "renderer": .string(rendererVersion),
            "folder": .string(folder),
            "workers": .integer(workers),
            "broker": .optional(broker),
            "shard": shardJSON, "shards": parts?.json ?? .null,
            "exitCode": .integer(Int(exitCode.rawValue)),
            "options": .object(options.map { ($0.name, .array($0.values.map { .string($0) })) }),
            "summary": summaryJSON,
            "exports": .array(records.map(Self.json)),
            "skippedFiles": skipped.json, "skippedFileCount": .integer(skipped.count),
        ]
    }

    private var shardJSON: JSONValue {
        guard let shard else { return .null }
        return [
            "index": .integer(shard.shard.index), "count": .integer(shard.shard.count), "plan": .string(shard.plan),
        ]
    }

    private var summaryJSON: JSONValue {
        [
            "done": .integer(summary.count(.done)),
            "skipped": .integer(summary.count(.skipped)),
            "failed": .integer(summary.count(.failed)),
            "cancelled": .integer(summary.count(.cancelled)),
            "planned": .integer(summary.count(.planned)),
            "withWarnings": .integer(summary.withWarnings),
            "milliseconds": .milliseconds(summary.milliseconds),
            "pixels": .integer(summary.pixels),
            "pixelsPerSecond": .number(summary.pixelsPerSecond.rounded()),
            "medianMs": .milliseconds(summary.median),
            "p95Ms": .milliseconds(summary.percentile95),
            "slowest": .optional(summary.slowest.flatMap { records[$0].output }),
            "peakBytes": .optional(peakBytes),
            "deviceTiers": [
                "seconds2K": .array(DeviceTiers.seconds.map { .number($0) }),
                "scale": .string("in proportion to the pixels of the same canvas above 2K"),
                "fastest": .array(summary.tiers.dropLast().map { .integer($0) }),
                "slower": .integer(summary.tiers.last ?? 0),
            ],
        ]
    }

    private static func json(_ record: ExportRecord) -> JSONValue {
        [
            "input": .string(record.input.path),
            "tree": .array(record.input.tree.map { .string($0) }),
            "output": .optional(record.output),
            "size": .optional(record.size?.name),
            "file": record.file == 0 ? .null : .integer(record.file),
            "layer": .optional(record.layer), "viewport": .optional(record.viewport),
            "width": .optional(record.pixels?.width),
            "height": .optional(record.pixels?.height),
            "state": .string(record.state.rawValue),
            "milliseconds": .milliseconds(record.milliseconds),
            "phasesMs": record.phases.json,
            "tiles": .optional(record.report?.tileCount),
            "cachedTiles": .optional(record.report?.foundCount),
            "bytes": .optional(record.report?.byteCount),
            "sha256": .optional(record.report?.digest.hexadecimal),
            "quality": .optional(record.report?.quality),
            "brokerMs": .milliseconds(nanoseconds: record.report?.brokerCPU),
            "attempts": .optional(record.report?.attemptCount),
            "bytesSent": .optional(record.report?.bytesSent),
            "bytesReceived": .optional(record.report?.bytesReceived),
            "warnings": .lines(record.warnings),
            "error": record.failure.map {
                ["code": .integer(Int($0.kind.rawValue)), "reason": .string($0.reason)]
            } ?? .null,
        ]
    }

    /// The JSON in a file.
    /// - Throws: `refused` with the code if it is none, `engine` if it cannot be read.
    static func read(_ path: String, refusing code: ExitCode) throws(ExportError) -> JSONValue {
        let bytes = try ExportError.wrapping(try FileSystem.read(path, limitBytes: bytesMax))
        return try rethrowing(try JSONReader.read(bytes)) { (error: JSONReader.Failure) in
            ExportError.refused(code, place: path, Cause(error))
        }
    }

    /// Writes the report to a temporary file, syncs and renames it; a device or pipe is written to.
    ///
    /// - Throws: `io`.
    package func write(to path: String) throws(EngineError) {
        try FileSystem.writeAtomically(Array((json.text() + "\n").utf8), to: path)
    }
}
