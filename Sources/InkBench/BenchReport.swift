import InkEngine
package import InkExports
import InkProtocol
import InkSystem
package import InkJSON

/// The machine-readable account of a benchmark: what `--json` writes and `--compare` reads. It keeps every run.
package struct BenchReport: Hashable, Sendable {
    static let format = "ink-bench"
    /// Changes when an old reader would misread the new form.
    static let formatVersion = 1
    /// Largest report that is read, bytes.
    static let bytesMax = 1 << 28

    /// Version of the program.
    var program: String
    var rendererVersion: String
    /// When the runs began, UTC (RFC 3339).
    var date: String
    var machine: BenchMachine
    /// Render threads.
    var workers: Int
    /// Share of the cores used by other processes during the runs, 0...1; nil if the system does not report it.
    var othersShare: Double?
    var results: [BenchResult]

    package init(
        program: String, rendererVersion: String, date: String, machine: BenchMachine, workers: Int,
        othersShare: Double?, results: [BenchResult]
    ) {
        self.program = program
        self.rendererVersion = rendererVersion
        self.date = date
        self.machine = machine
        self.workers = workers
        self.othersShare = othersShare
        self.results = results
    }

    /// Times are only compared if other processes use at most this share of the cores.
    static let othersShareMax = 0.1
    var isOfBusyMachine: Bool { othersShare.map { $0 > Self.othersShareMax } ?? false }

    /// A note about a busy machine; nil otherwise.
    var busyNote: String? {
        guard isOfBusyMachine, let share = othersShare else { return nil }
        return "Others took \(Shown.decimal(share * 100, places: 0))% of the cores: times are not the machine's best."
    }

    var json: JSONValue {
        let othersShare = othersShare.map { (share: Double) in JSONValue.number((share * 1000).rounded() / 1000) }
        let runs = results.map(\.samples.count).max() ?? 0
        return [
            "format": .string(Self.format),
            "version": .integer(Self.formatVersion),
            "program": .string(program),
            "renderer": .string(rendererVersion),
            "date": .string(date),
            "machine": machine.json,
            "workers": .integer(workers),
            "othersShare": othersShare ?? .null,
            "runs": .integer(runs),
            "deviceTiersSeconds2K": .array(DeviceTiers.seconds.map(JSONValue.number)),
            "results": .array(results.map(\.json)),
        ]
    }

    /// As `json` with what it was compared with.
    package func json(_ comparison: BenchComparison?) -> JSONValue {
        guard let comparison, case .object(let members) = json else { return json }
        return .object(members + [("comparison", comparison.json)])
    }

    /// Reads the report of an earlier run.
    /// - Throws: `configuration` if the file is not such a report, `engine` if it cannot be read.
    package static func read(_ path: String) throws(ExportError) -> BenchReport {
        let bytes = try ExportError.wrapping { () throws(EngineError) in try FileSystem.read(path, limitBytes: bytesMax)
        }
        let json = try rethrowing(try JSONReader.read(bytes)) { (error: JSONReader.Failure) in
            ExportError.refused(.configuration, place: path, Cause(error))
        }
        guard json["format"]?.string == format, let version = json["version"]?.integer else {
            throw .configuration("\(path): not a report of ink bench")
        }
        guard version == formatVersion else {
            throw .configuration(
                "\(path): a report of ink bench of version \(version); only \(formatVersion) is supported")
        }
        guard let program = json["program"]?.string, let renderer = json["renderer"]?.string,
            let date = json["date"]?.string, let machine = BenchMachine(json["machine"]),
            let workers = json["workers"]?.integer, let written = json["results"]?.array
        else { throw .configuration("\(path): the report of ink bench is incomplete") }
        var results: [BenchResult] = []
        for (index, result) in written.enumerated() {
            guard let result = BenchResult(result) else {
                throw .configuration("\(path): results[\(index)] is not a result")
            }
            results.append(result)
        }
        return BenchReport(
            program: program, rendererVersion: renderer, date: date, machine: machine, workers: workers,
            othersShare: json["othersShare"]?.number, results: results)
    }
}

extension BenchResult {
    fileprivate var json: JSONValue {
        [
            "scene": .string(subject.scene),
            "content": .string(subject.content),
            "size": .string(subject.size),
            "width": .integer(subject.pixels.width),
            "height": .integer(subject.pixels.height),
            "pictures": .integer(subject.pictureCount),
            "pixels": .integer(subject.pixelsInAll),
            "p50Ms": .milliseconds(median),
            "p95Ms": .milliseconds(percentile95),
            "megapixelsPerSecond": .number((megapixelsPerSecond * 1000).rounded() / 1000),
            "picturesPerSecond": .number((picturesPerSecond * 1000).rounded() / 1000),
            "peakBytes": .optional(peakBytes),
            "keepsTiers": .array(keepsTiers.map { .bool($0) }),
            "phasesMs": phases.json,
            "runs": .array(samples.map(\.json)),
        ]
    }

    /// nil when this is not what `json` makes.
    fileprivate init?(_ json: JSONValue) {
        guard let scene = json["scene"]?.string, let content = json["content"]?.string,
            let size = json["size"]?.string, let width = json["width"]?.integer, let height = json["height"]?.integer,
            let pictureCount = json["pictures"]?.integer, let pixelsInAll = json["pixels"]?.integer,
            let runs = json["runs"]?.array
        else { return nil }
        let samples = runs.compactMap { BenchSample($0) }
        guard !samples.isEmpty, samples.count == runs.count else { return nil }
        self.init(
            subject: BenchCase(
                scene: scene, content: content, size: size, pixels: PixelSize(width: width, height: height),
                pixelsInAll: pixelsInAll, pictureCount: pictureCount),
            samples: samples, peakBytes: json["peakBytes"]?.integer)
    }
}

extension BenchSample {
    fileprivate var json: JSONValue {
        [
            "commandMs": .milliseconds(milliseconds),
            "exportsMs": .array(pictures.map { .milliseconds($0.milliseconds) }),
            "edges": .array(pictures.map { .integer($0.edge) }),
            "phasesMs": phases.json,
        ]
    }

    /// nil when this is not what `json` makes.
    fileprivate init?(_ json: JSONValue) {
        guard let milliseconds = json["commandMs"]?.number, milliseconds > 0,
            let exports = json["exportsMs"]?.array?.map(\.number), let edges = json["edges"]?.array?.map(\.integer),
            exports.count == edges.count, let phases = json["phasesMs"].flatMap({ PhaseTimes($0) })
        else { return nil }
        var pictures: [Picture] = []
        for (export, edge) in zip(exports, edges) {
            guard let export, let edge else { return nil }
            pictures.append(Picture(milliseconds: export, edge: edge))
        }
        self.init(
            milliseconds: milliseconds, pictures: pictures, phases: phases)
    }
}
