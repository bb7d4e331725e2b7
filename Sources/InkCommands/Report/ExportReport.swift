import InkSystem
import InkJSON
import Glibc
import InkBroker
import InkEngine

/// The machine-readable account of a run: what `--report` writes and `--json` prints.
struct ExportReport: Sendable {
    /// Changes when an old reader would misread the new form.
    static let formatVersion = 1

    var records: [ExportRecord]
    var summary: ExportSummary
    /// The options that `--from-report` takes over.
    var options: [(name: String, values: [String])]
    /// What relative paths in the report start from.
    var folder: String
    var rendererVersion: String
    /// Render threads.
    var workers: Int
    /// The broker's endpoint; nil when this process rendered.
    var broker: String?
    var exitCode: ExitCode
    /// The most memory that this process held; nil where the system does not say.
    var peakBytes: Int?

    var json: JSONValue {
        .object([
            ("format", .string("ink-export-report")),
            ("version", .integer(Self.formatVersion)),
            ("program", .string(ProgramVersion.text)),
            ("renderer", .string(rendererVersion)),
            ("folder", .string(folder)),
            ("workers", .integer(workers)),
            ("broker", .optional(broker)),
            ("exitCode", .integer(Int(exitCode.rawValue))),
            ("options", .object(options.map { ($0.name, .array($0.values.map { .string($0) })) })),
            ("summary", summaryJSON),
            ("exports", .array(records.map(Self.json))),
        ])
    }

    private var summaryJSON: JSONValue {
        .object([
            ("done", .integer(summary.count(.done))),
            ("skipped", .integer(summary.count(.skipped))),
            ("failed", .integer(summary.count(.failed))),
            ("cancelled", .integer(summary.count(.cancelled))),
            ("planned", .integer(summary.count(.planned))),
            ("withWarnings", .integer(summary.withWarnings)),
            ("milliseconds", .milliseconds(summary.milliseconds)),
            ("pixels", .integer(summary.pixels)),
            ("pixelsPerSecond", .number(summary.pixelsPerSecond.rounded())),
            ("medianMs", .milliseconds(summary.median)),
            ("p95Ms", .milliseconds(summary.percentile95)),
            ("slowest", .optional(summary.slowest.flatMap { records[$0].output })),
            ("peakBytes", .optional(peakBytes)),
            (
                "deviceTiers",
                .object([
                    ("seconds2K", .array(DeviceTiers.seconds.map { .number($0) })),
                    ("scale", .string("in proportion to the pixels of the same canvas above 2K")),
                    ("fastest", .array(summary.tiers.dropLast().map { .integer($0) })),
                    ("slower", .integer(summary.tiers.last ?? 0)),
                ])
            ),
        ])
    }

    private static func json(_ record: ExportRecord) -> JSONValue {
        let phases = record.phases
        return .object([
            ("input", .string(record.input.path)),
            ("tree", .array(record.input.tree.map { .string($0) })),
            ("output", .optional(record.output)),
            ("size", .optional(record.size?.name)),
            ("layer", .optional(record.layer)),
            ("width", .optional(record.pixels?.width)),
            ("height", .optional(record.pixels?.height)),
            ("state", .string(record.state.rawValue)),
            ("milliseconds", .milliseconds(record.milliseconds)),
            ("phasesMs", phases.json),
            ("tiles", .optional(record.outcome?.tileCount)),
            ("bytes", .optional(record.outcome?.byteCount)),
            ("sha256", .optional(record.outcome?.sha256)),
            ("brokerMs", .milliseconds(record.outcome?.brokerMilliseconds)),
            ("attempts", .optional(record.outcome?.attemptCount)),
            ("bytesSent", .optional(record.outcome?.bytesSent)),
            ("bytesReceived", .optional(record.outcome?.bytesReceived)),
            ("warnings", .lines(record.warnings)),
            (
                "error",
                record.failure.map {
                    .object([("code", .integer(Int($0.kind.rawValue))), ("reason", .string($0.reason))])
                } ?? .null
            ),
        ])
    }

    /// Writes the report to a temporary file, syncs and renames it; a device or pipe is written to.
    func write(to path: String) throws(EngineError) {
        try FileSystem.writeAtomically(Array((json.text() + "\n").utf8), to: path)
    }
}
