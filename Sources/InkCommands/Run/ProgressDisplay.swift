import InkExports
import InkProtocol

/// How a run shows its progress.
enum ProgressStyle: String, Hashable, Sendable, CaseIterable {
    /// Updates lines in place on a terminal; elsewhere like `plain`.
    case auto
    /// Prints a line now and then.
    case plain
    case none

    /// The style of `--progress`.
    /// - Throws: `usage`.
    static func read(_ parsed: ParsedCommand) throws(CommandError) -> ProgressStyle {
        guard let text = parsed.value("progress") else { return .auto }
        guard let style = ProgressStyle(rawValue: text) else {
            throw TextValue.noChoice(text, option: "--progress", among: allCases.map(\.rawValue))
        }
        return style
    }
}

/// Shows the progress of a run: on a terminal one line per running export and a total, elsewhere a line now and then.
struct ProgressDisplay {
    private struct Running {
        var name: String
        var files: Int
        var done = 0
        var total = 0
        /// The time left, and when it was reported, milliseconds.
        var timeLeft: (TimeLeft, told: Double)?

        var share: Double { total > 0 ? Double(done) / Double(total) : 0 }

        func timeLeft(milliseconds now: Double) -> TimeLeft? {
            timeLeft.map { $0.after(seconds: (now - $1) / 1000) }
        }
    }

    private let console: Console
    private let style: ProgressStyle
    /// The total number of pictures.
    private var total: Int
    private var ended = 0
    /// Those among them that were made.
    private var made = 0
    private var pixelsDone = 0
    private var running: [Int: Running] = [:]
    private var lastDrawn = -1e9
    private var now = 0.0
    /// The time of the next line if lines are not updated in place, milliseconds.
    private var nextLine = Self.lineInterval

    /// Milliseconds between two updates.
    private static let interval = 100.0
    /// The minimum time between two permanent lines, milliseconds; in a long run a tenth of its time.
    private static let lineInterval = 10_000.0

    init(console: Console, total: Int, style: ProgressStyle = .auto) {
        self.console = console
        self.total = total
        self.style = style
    }

    mutating func started(_ id: Int, name: String, files: Int = 1) {
        if running[id] == nil { running[id] = Running(name: name, files: files) }
    }

    mutating func progressed(_ id: Int, done: Int, total: Int) {
        running[id]?.done = done
        running[id]?.total = total
    }

    mutating func estimated(_ id: Int, _ timeLeft: TimeLeft) { running[id]?.timeLeft = (timeLeft, now) }

    mutating func ended(_ id: Int, pixels: Int) {
        running[id] = nil
        ended += 1
        if pixels > 0 { made += 1 }
        pixelsDone += pixels
    }

    /// Draws if an update is due.
    mutating func draw(milliseconds now: Double) {
        self.now = now
        if style == .none { return }
        if style == .auto, let size = console.terminalSize() {
            guard now - lastDrawn >= Self.interval else { return }
            lastDrawn = now
            console.show(lines(milliseconds: now, size: size), size: size)
        } else if now >= nextLine {
            nextLine = now + max(Self.lineInterval, now / 10)
            console.note(totalLine(milliseconds: now))
        }
    }

    /// Removes the lines at the end.
    func clear() { console.clearLive() }

    /// The lines on the terminal: as many running exports as fit, in order of submission, those with progress first,
    /// then the total. Names are shortened in the middle, and on a narrow terminal bars and times make room for them.
    func lines(milliseconds: Double, size: (columns: Int, rows: Int)) -> [String] {
        let shown = running.sorted { a, b in
            let (hasA, hasB) = (a.value.total > 0, b.value.total > 0)
            return hasA == hasB ? a.key < b.key : hasA
        }.prefix(max(0, size.rows - 2)).map(\.value)
        let names = shown.map { $0.name.escapingControls() }
        var times = shown.map { $0.timeLeft(milliseconds: milliseconds).map { "\(Shown.time($0)) left" } ?? "" }
        // Both the last column and the one before it stay free.
        let columns = max(0, size.columns - 2)
        let wanted = min(Self.nameColumns, names.map(\.columns).max() ?? 0)
        // "100% " or " 50% " and the name.
        func room(besides taken: Int) -> Int { columns - taken - 5 }
        func timeColumns() -> Int { times.map(\.columns).max().map { $0 > 0 ? $0 + 2 : 0 } ?? 0 }
        // Brackets and a blank beside the bar.
        var barColumns = min(Self.barColumns, max(0, room(besides: timeColumns() + wanted) - 3))
        if barColumns < 4 { barColumns = 0 }
        if room(besides: timeColumns()) < wanted { times = times.map { _ in "" } }
        let taken = timeColumns() + (barColumns > 0 ? barColumns + 3 : 0)
        let timeWidth = times.map(\.columns).max() ?? 0
        return zip(shown, zip(names, times)).map { export, texts in
            let (name, time) = texts
            let bar = barColumns > 0 ? Self.bar(export.share, columns: barColumns) : ""
            let left = timeWidth > 0 ? String(repeating: " ", count: timeWidth - time.columns + 1) + time + " " : ""
            let line = "\(bar)\(bar.isEmpty ? "" : " ")\(Self.percent(export.share))\(left)"
            return "\(line) \(name.shortened(toColumns: max(1, room(besides: taken))))"
        } + [totalLine(milliseconds: milliseconds, columns: columns)]
    }

    /// So many columns of a name are shown before anything else; a bar has at most so many.
    private static let nameColumns = 24
    private static let barColumns = 20

    /// - Parameter columns: what does not fit is left out, the speed first.
    private func totalLine(milliseconds: Double, columns: Int = .max) -> String {
        let count = "\(ended) of \(total) done"
        let speed =
            milliseconds > 0 && pixelsDone > 0
            ? ", " + Shown.scaled(Double(pixelsDone) / milliseconds * 1000, unit: "pixels/s") : ""
        // The share of pictures to come that are made is that of those before; others are skipped, or are files of one.
        let waiting = Double(total - ended - running.values.reduce(0) { $0 + $1.files })
        let estimate = BatchEstimate(
            running: running.values.map { ($0.share, $0.timeLeft(milliseconds: milliseconds)) }, made: made,
            waiting: ended > 0 ? waiting * Double(made) / Double(ended) : waiting)
        let left =
            milliseconds > 500
            ? estimate.timeLeft(elapsedSeconds: milliseconds / 1000).map { ", \(Shown.time($0)) left" } ?? "" : ""
        return [count + speed + left, count + left].first { $0.columns <= columns } ?? count
    }

    static func bar(_ share: Double, columns: Int = barColumns) -> String {
        let filled = Int((within(share) * Double(columns)).rounded(.down))
        return "[" + String(repeating: "#", count: filled) + String(repeating: " ", count: columns - filled) + "]"
    }

    /// The broker's text is not trusted.
    private static func within(_ share: Double) -> Double { share.isNaN ? 0 : min(max(share, 0), 1) }

    static func percent(_ share: Double) -> String {
        let text = "\(Int((within(share) * 100).rounded(.down)))%"
        return String(repeating: " ", count: max(0, 4 - text.count)) + text
    }
}
