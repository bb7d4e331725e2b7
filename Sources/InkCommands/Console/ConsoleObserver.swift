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
        for warning in warnings { console.warning("\(name): \(warning)") }
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

    func ended() { progress.withLock { $0.clear() } }
}
