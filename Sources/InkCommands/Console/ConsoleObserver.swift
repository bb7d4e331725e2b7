import InkEngine
import InkExports
import InkProtocol
import Synchronization

/// Shows the progress of exports on a console.
final class ConsoleObserver: ExportObserver {
    private let console: Console
    private let shown: ShownArguments
    /// Whether files that a search has skipped are listed.
    private let listsSkipped: Bool
    private let progress: Mutex<ProgressDisplay>
    private let repeated = Mutex(RepeatedWarnings())

    init(_ console: Console, _ shown: ShownArguments, listsSkipped: Bool = false) {
        self.console = console
        self.shown = shown
        self.listsSkipped = listsSkipped
        progress = Mutex(ProgressDisplay(console: console, total: 0, style: shown.progress))
    }

    func error(_ text: String) { console.error(text) }

    func warning(_ text: String) { console.warning(text) }

    func remark(_ text: String) {
        if !shown.isQuiet { console.warning(text) }
    }

    func skipped(_ files: SkippedFiles) {
        if shown.isQuiet { return }
        let isListed = listsSkipped || shown.isVerbose
        if isListed {
            for file in files.listed { console.note("skipped \(file.path): \(file.reason)") }
            if files.count > files.listed.count {
                console.note("\(files.count - files.listed.count) more skipped files are not listed")
            }
        }
        for line in files.summary { console.note(isListed ? line : "\(line) (-v lists them)") }
    }

    func began(pictures: Int) {
        progress.withLock { $0 = ProgressDisplay(console: console, total: pictures, style: shown.progress) }
    }

    func hasRead(_ name: String, _ warnings: [ReadingWarning]) {
        if shown.isQuiet { return }
        for warning in warnings where shown.isVerbose || repeated.withLock({ $0.isNew(warning) }) {
            console.warning("\(name): \(warning)")
        }
    }

    func planned(_ picture: PictureRequest) throws(CommandError) {
        if shown.isQuiet || shown.printsJSON { return }
        for output in picture.outputs {
            try console.printText(
                "\(picture.name.escapingControls()) -> \(output.escapingControls()) (\(picture.size))")
        }
    }

    func started(_ id: Int, output: String, files: Int) {
        progress.withLock { $0.started(id, name: output, files: files) }
    }

    func progressed(_ id: Int, done: Int, total: Int) {
        progress.withLock { $0.progressed(id, done: done, total: total) }
    }

    func estimated(_ id: Int, _ timeLeft: TimeLeft) { progress.withLock { $0.estimated(id, timeLeft) } }

    func ended(_ id: Int, pixels: Int) { progress.withLock { $0.ended(id, pixels: pixels) } }

    func passed(milliseconds: Double) {
        if !shown.isQuiet { progress.withLock { $0.draw(milliseconds: milliseconds) } }
    }

    func stopping() { Interrupts.heed() }

    func ended() {
        progress.withLock { $0.clear() }
        if shown.isQuiet { return }
        for line in repeated.withLock({ $0.takeSummary() }) { console.warning(line) }
    }
}

/// Warnings about files as a whole, such as photos of one camera have in common: said of the first file, then counted.
struct RepeatedWarnings {
    /// Further reasons are said of each file.
    static let reasonsMax = 100

    /// Files after the first, by reason.
    private var counts: [String: Int] = [:]

    /// Whether a warning is to be said; if not, it is counted.
    mutating func isNew(_ warning: ReadingWarning) -> Bool {
        guard warning.file == nil, warning.path == nil, warning.kind == .other else { return true }
        if counts[warning.reason] != nil {
            counts[warning.reason]! += 1
            return false
        }
        if counts.count < Self.reasonsMax { counts[warning.reason] = 0 }
        return true
    }

    /// A line for each reason that more files have than one, in the order of the texts. They are forgotten.
    mutating func takeSummary() -> [String] {
        defer { counts = [:] }
        return counts.filter { $0.value > 0 }.sorted { $0.key < $1.key }.map { reason, count in
            "\(count) more \(count == 1 ? "file" : "files"): \(reason) (-v names them)"
        }
    }
}
