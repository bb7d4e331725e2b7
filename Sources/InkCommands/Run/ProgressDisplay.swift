/// The lines on a terminal that tell how far a run is: one a running export and one for all.
struct ProgressDisplay {
    private struct Running {
        var name: String
        var done = 0
        var total = 0
    }

    private let console: Console
    /// How many pictures there are in all.
    private var total: Int
    private var ended = 0
    private var pixelsDone = 0
    private var running: [Int: Running] = [:]
    private var linesShown = 0
    private var lastDrawn = -1e9

    /// Milliseconds between two drawings.
    private static let interval = 100.0

    init(console: Console, total: Int) {
        self.console = console
        self.total = total
    }

    mutating func started(_ id: Int, name: String) { running[id] = Running(name: name) }

    mutating func progressed(_ id: Int, done: Int, total: Int) {
        running[id]?.done = done
        running[id]?.total = total
    }

    mutating func ended(_ id: Int, pixels: Int) {
        running[id] = nil
        ended += 1
        pixelsDone += pixels
    }

    /// Draws when there is a terminal and the last drawing is old enough.
    mutating func draw(milliseconds now: Double) {
        guard now - lastDrawn >= Self.interval, let size = console.terminalSize() else { return }
        lastDrawn = now
        let lines = lines(milliseconds: now, columns: size.columns, rows: size.rows)
        var text = eraser
        for line in lines { text += line + "\n" }
        linesShown = lines.count
        console.writeError(text)
    }

    /// Takes the lines away, so that something else can be written.
    mutating func clear() {
        guard linesShown > 0 else { return }
        console.writeError(eraser)
        linesShown = 0
        lastDrawn = -1e9
    }

    /// A copy of this has taken the lines away.
    mutating func forgetDrawing() {
        linesShown = 0
        lastDrawn = -1e9
    }

    /// What stands on the terminal: as many running exports as there is room for, in the order they were submitted,
    /// those with progress first, then the total.
    func lines(milliseconds: Double, columns: Int, rows: Int) -> [String] {
        let shown = running.sorted { a, b in
            let (hasA, hasB) = (a.value.total > 0, b.value.total > 0)
            return hasA == hasB ? a.key < b.key : hasA
        }.prefix(max(0, rows - 2)).map { _, export in
            let share = export.total > 0 ? Double(export.done) / Double(export.total) : 0
            return Self.cut("\(Self.bar(share)) \(Self.percent(share)) \(export.name.escapingControls())", columns)
        }
        let partly = running.values.reduce(0.0) { $0 + ($1.total > 0 ? Double($1.done) / Double($1.total) : 0) }
        let done = Double(ended) + partly
        var text = "\(ended) of \(total) done"
        if milliseconds > 0, pixelsDone > 0 {
            text += ", " + Shown.scaled(Double(pixelsDone) / milliseconds * 1000, unit: "pixels/s")
        }
        if done > 0, milliseconds > 500 {
            let left = milliseconds / done * (Double(total) - done)
            text += ", \(Shown.duration(milliseconds: max(0, left))) left"
        }
        return shown + [Self.cut(text, columns)]
    }

    // Up by the lines that stand there, then clear to the end of the screen.
    private var eraser: String { linesShown > 0 ? "\u{1b}[\(linesShown)A\u{1b}[J" : "" }

    static func bar(_ share: Double) -> String {
        let filled = Int((within(share) * 20).rounded(.down))
        return "[" + String(repeating: "#", count: filled) + String(repeating: " ", count: 20 - filled) + "]"
    }

    /// A broker may say what it likes.
    private static func within(_ share: Double) -> Double { share.isNaN ? 0 : min(max(share, 0), 1) }

    static func percent(_ share: Double) -> String {
        let text = "\(Int((within(share) * 100).rounded(.down)))%"
        return String(repeating: " ", count: max(0, 4 - text.count)) + text
    }

    private static func cut(_ text: String, _ columns: Int) -> String {
        // One column is left free: a full line would wrap on some terminals.
        text.count < columns ? text : String(text.prefix(max(0, columns - 1)))
    }
}
