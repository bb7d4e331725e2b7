import InkBroker
package import InkEngine
import InkJSON
package import InkPlanning
package import InkProtocol

/// The result of one export.
package enum ExportState: String, Hashable, Sendable {
    case waiting, running
    case done
    /// The existing file shows the same picture.
    case skipped
    case failed
    /// The run ended before this export.
    case cancelled
    /// It would be exported (`--dry-run`).
    case planned
}

/// One export in a report.
package struct ExportRecord: Hashable, Sendable {
    package var input: ExportInput
    /// nil if the name depends on a project that could not be read.
    package var output: String?
    package var size: ExportSize?
    /// `--each-layer`: the layer's index in its file.
    package var layer: Int?
    /// `--each-viewport`: the viewport's index in its file.
    package var viewport: Int?
    /// Which of the files that the run makes of each picture.
    package var file = 0
    /// Whether it was rendered together with the record before it, which has the times.
    package var isFurtherFile = false
    /// Output pixels, once known.
    package var pixels: PixelSize?
    package var state = ExportState.waiting
    /// Nanoseconds for reading and checking the project.
    package var readTime: UInt64 = 0
    /// The farm's report of the finished picture.
    package var report: PictureReport?
    package var failure: PictureFailure?
    /// Whether the project needs files beside its own, such as pictures and presets.
    package var namesFiles = false
    /// The warnings of its project, if it has been read.
    package var warnings: [ReadingWarning] = []

    package init(input: ExportInput, failure: PictureFailure) {
        self.input = input
        self.failure = failure
        state = .failed
    }

    init(input: ExportInput, picture: PlannedPicture) {
        self.input = input
        output = picture.output
        size = picture.size
        layer = picture.layer?.index
        viewport = picture.viewport
        file = picture.file
    }

    /// An export of a report, as far as reports say.
    /// - Parameter resolve: makes a path of the report one from here.
    /// - Returns: nil if it is none.
    init?(_ json: JSONValue, resolve: (String) -> String) {
        guard let state = json["state"]?.string.flatMap(ExportState.init(rawValue:)),
            let path = json["input"]?.string, let tree = json["tree"]?.array?.map(\.string), !tree.contains(nil)
        else { return nil }
        // What a report says is not to be trusted with sums.
        func number(_ name: String) -> Int? {
            json[name]?.integer.flatMap { (0...1 << 40).contains($0) ? $0 : nil }
        }
        input = ExportInput(path: resolve(path), tree: tree.compactMap { $0 })
        output = json["output"]?.string.map(resolve)
        size = json["size"]?.string.flatMap { ExportSize($0) }
        (layer, viewport, file) = (number("layer"), number("viewport"), number("file") ?? 0)
        isFurtherFile = file > 0
        if let width = number("width"), let height = number("height"), max(width, height) <= 1 << 20 {
            pixels = PixelSize(width: width, height: height)
        }
        self.state = state
        warnings = (json["warnings"]?.array ?? []).compactMap(\.string).map { ReadingWarning(.carried, at: nil, $0) }
        if let error = json["error"], let reason = error["reason"]?.string {
            let code = error["code"]?.integer.flatMap { Int32(exactly: $0) }
            failure = PictureFailure(kind: code.flatMap(ExitCode.init(rawValue:)) ?? .exportFailed, reason: reason)
        }
        var phases = json["phasesMs"].flatMap { PhaseTimes($0) } ?? PhaseTimes()
        (readTime, phases.read) = (phases.read, 0)
        guard let milliseconds = json["milliseconds"]?.number, (0...1e12).contains(milliseconds), let pixels else {
            return
        }
        let elapsed = UInt64((milliseconds * 1e6).rounded())
        var report = PictureReport(
            size: pixels, tileCount: number("tiles") ?? 0, attemptCount: number("attempts") ?? 0,
            elapsed: elapsed - min(elapsed, readTime))
        let digest = json["sha256"]?.string.flatMap { BlockID(hexadecimal: $0)?.digest } ?? []
        report.files = [WrittenFile(byteCount: number("bytes") ?? 0, digest: digest)]
        report.phases = phases
        report.brokerCPU = UInt64(
            ((json["brokerMs"]?.number).flatMap { (0...1e12).contains($0) ? $0 * 1e6 : nil } ?? 0).rounded())
        (report.quality, report.foundCount) = (number("quality"), number("cachedTiles"))
        (report.bytesSent, report.bytesReceived) = (number("bytesSent"), number("bytesReceived"))
        self.report = report
    }

    /// The phases of the picture, reading included.
    package var phases: PhaseTimes {
        var phases = report?.phases ?? PhaseTimes()
        phases.read = readTime
        return phases
    }

    /// The time from the first task to the finished file, and the time of reading before it; nil before its end.
    package var milliseconds: Double? { report.map { (Double($0.elapsed) + Double(readTime)) / 1e6 } }
}
