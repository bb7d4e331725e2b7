import InkBroker
package import InkEngine
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

    /// The phases of the picture, reading included.
    package var phases: PhaseTimes {
        var phases = report?.phases ?? PhaseTimes()
        phases.read = readTime
        return phases
    }

    /// The time from the first task to the finished file, and the time of reading before it; nil before its end.
    package var milliseconds: Double? { report.map { (Double($0.elapsed) + Double(readTime)) / 1e6 } }
}
