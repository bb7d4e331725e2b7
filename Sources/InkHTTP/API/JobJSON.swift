import InkBroker
import InkCodecs
import InkEngine
import InkJSON
import InkProtocol
import InkService
import InkSystem

/// Jobs, batches and workers as JSON.
enum JobJSON {
    static func value(_ job: JobFacts) -> JSONValue {
        [
            "id": .integer(Int(clamping: job.number)), "name": .string(job.name), "file": .string(filePath(job)),
            "owner": .string(job.owner),
            "state": .string(job.state.rawValue), "priority": .integer(job.priority),
            "batch": .string(job.batch.hexadecimal), "size": .string(job.size),
            "formats": .array(job.formats.map { .string(name(of: $0)) }), "createdAt": time(job.createdAt),
            "endedAt": job.endedAt.map(time) ?? .null,
            "progress": job.progress.map {
                [
                    "phase": .string($0.phase.rawValue), "done": .integer($0.done),
                    "total": .integer($0.total),
                ]
            } ?? .null, "timeLeft": JobAnswer.json(job.timeLeft),
            "picture": job.picture.map { picture($0, of: job) } ?? .null,
            "error": job.failure.map { ["code": .string(name(of: $0.code)), "text": .string($0.text)] } ?? .null,
            "warnings": .array(job.warnings.map { .string($0) }),
        ]
    }

    private static func picture(_ picture: PictureReport, of job: JobFacts) -> JSONValue {
        [
            "width": .integer(picture.size.width), "height": .integer(picture.size.height),
            "bytes": .integer(picture.byteCount), "quality": picture.quality.map { .integer($0) } ?? .null,
            "sha256": .string(picture.digest.hexadecimal),
            "mediaType": .string(mediaType(job)), "seconds": .number(Double(picture.rendering) / 1e9),
            "waitedSeconds": .number(Double(picture.waiting) / 1e9),
            "file": .string(fileName(job)), "kept": .bool(job.delivery == .fetch),
        ]
    }

    static func value(_ batch: BatchFacts) -> JSONValue {
        let counts = JobFacts.State.allCases.map { ($0.rawValue, JSONValue.integer(batch.counts[$0] ?? 0)) }
        return .object(
            [
                ("id", .string(batch.id.hexadecimal)), ("name", .string(batch.name)),
                ("jobs", .integer(batch.jobs.count + batch.purged)),
            ] + counts + [
                ("createdAt", time(batch.createdAt)), ("endedAt", batch.endedAt.map(time) ?? .null),
                ("timeLeft", JobAnswer.json(batch.timeLeft)),
            ])
    }

    static func value(_ worker: WorkerReport) -> JSONValue {
        [
            "name": .string(worker.name), "address": .optional(worker.address),
            "state": .string(worker.isDraining ? "draining" : "ready"), "threads": .integer(worker.threads),
            "tasks": .integer(worker.tasksHeld), "done": .integer(worker.tasksDone),
            "failed": .integer(worker.tasksFailed), "tasksPerSecond": .number(worker.tasksPerSecond),
            "renderer": .string(worker.rendererVersion),
        ]
    }

    /// - Parameter first: from which of the tiles that are done on.
    static func value(_ tiles: JobTiles, from first: Int = 0) -> JSONValue {
        var workers: [String] = []
        var numbers: [String: Int] = [:]
        for (_, worker) in tiles.done where numbers[worker] == nil {
            numbers[worker] = workers.count
            workers.append(worker)
        }
        let done = tiles.done.dropFirst(first).map { tile, worker in
            JSONValue.array([.integer(tile.column), .integer(tile.row), .integer(numbers[worker] ?? 0)])
        }
        return [
            "width": .integer(tiles.tiles.picture.width), "height": .integer(tiles.tiles.picture.height),
            "tileWidth": .integer(tiles.tiles.tile.width), "tileHeight": .integer(tiles.tiles.tile.height),
            "columns": .integer(tiles.tiles.columns), "rows": .integer(tiles.tiles.rows),
            "workers": .array(workers.map { .string($0) }), "done": .array(done),
        ]
    }

    /// What changes little, and what the caller may do.
    static func value(_ status: FarmStatus, for caller: Caller, documentBytesMax: Int) -> JSONValue {
        value(status, hasHistory: true) + [
            "caller": ["name": .string(caller.name), "role": .string(caller.role.rawValue)],
            "limits": ["documentBytes": .integer(documentBytesMax)],
        ]
    }

    /// - Parameter hasHistory: whether to include what changes little.
    static func value(_ status: FarmStatus, hasHistory: Bool) -> JSONValue {
        let report = status.broker
        func count(_ value: Int?) -> JSONValue { .integer(value ?? 0) }
        let current: JSONValue = [
            "broker": status.brokerJSON,
            "jobs": [
                "queued": .integer(status.queued), "running": .integer(status.running),
                "paused": .integer(status.paused), "finished": count(status.finished),
                "failed": count(status.failed), "cancelled": count(status.cancelled),
            ],
            "workers": [
                "count": .integer(report.workers.count),
                "threads": .integer(report.workers.reduce(0) { $0 + $1.threads }),
                "busy": .integer(report.threadsBusy),
                "draining": .integer(report.workers.count { $0.isDraining }),
            ],
            "throughput": status.throughputJSON,
            "timeLeft": JobAnswer.json(status.timeLeft), "tilesWaiting": .integer(status.tilesWaiting),
            "store": status.storeJSON,
            "results": [
                "rendered": .integer(status.history.tilesRendered), "found": .integer(status.history.tilesFound),
            ],
        ]
        guard hasHistory else { return current }
        let now = SystemClock.unixMilliseconds
        let steps = status.history.steps
        let history = steps.enumerated().map { index, step -> JSONValue in
            let age = Int64(steps.count - 1 - index) * Int64(History.stepMilliseconds)
            return [
                "at": time(now - age), "pictures": .integer(step.pictures),
                "tasks": .integer(step.tasks), "megapixels": .number(Double(step.pixels) / 1e6),
                "queued": .integer(step.queued), "busy": .number(step.threadsBusy),
            ]
        }
        let exports = status.history.exports.map { export -> JSONValue in
            [
                "job": .integer(Int(clamping: export.job)), "endedAt": time(export.endedAt),
                "seconds": .number(Double(export.nanoseconds) / 1e9),
                "megapixels": .number(Double(export.pixels) / 1e6),
            ]
        }
        return current + ["history": .array(history), "exports": .array(exports)]
    }

    // MARK: - Names

    static func time(_ unixMilliseconds: Int64) -> JSONValue {
        .string(UTCTime.text(unixMilliseconds: unixMilliseconds))
    }

    static func name(of format: PictureFormat) -> String {
        PictureCodecs.codec(of: format)?.name ?? "\(format.rawValue)"
    }

    private static func name(of code: FailureCode) -> String {
        switch code {
        case .badInput: "bad-input"
        case .inputOutput: "input-output"
        case .internalError: "internal-error"
        case .noWorkers: "no-workers"
        }
    }

    /// What the picture is kept as; a PNG where only another version knows its format.
    private static func fileType(_ job: JobFacts) -> FileType {
        job.formats.count > 1 ? .tar : job.formats.first.flatMap { PictureCodecs.codec(of: $0)?.fileType } ?? .png
    }

    /// The format of a picture that is kept as the archive of a folder; nil for any other.
    static func folderFormat(_ job: JobFacts) -> PictureFormat? {
        guard job.delivery == .fetch, job.formats.count == 1, job.formats[0].isFolder else { return nil }
        return job.formats[0]
    }

    /// What a browser saves the picture as.
    static func fileName(_ job: JobFacts) -> String {
        pictureName(job) + (folderFormat(job) == nil ? "" : ".zip")
    }

    /// What the picture is called where it is exported.
    static func pictureName(_ job: JobFacts) -> String { filePath(job).splitPath().name }

    /// The path of the picture's file, with the folders that it belongs into.
    private static func filePath(_ job: JobFacts) -> String {
        if !job.file.isEmpty { return job.file }
        let name = job.name.split(separator: "/").last.map(String.init) ?? "picture"
        let stem = name.lastIndex(of: ".").map { String(name[..<$0]) } ?? name
        let size = job.size.isEmpty ? "" : "-\(job.size.replacing("/", with: "_"))"
        return "\(stem.isEmpty ? name : stem)\(size).\(fileType(job).endings[0])"
    }

    static func mediaType(_ job: JobFacts) -> String { fileType(job).mediaType }
}
