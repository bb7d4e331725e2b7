/// A staff of a line of music: its notes, bar by bar.
struct StaffLine {
    var instrument: InstrumentType
    var measures: [[StaffNote]]

    init(_ instrument: InstrumentType, _ measures: [Measure]) {
        self.instrument = instrument
        self.measures = measures.map { measure in
            switch instrument {
            case .bagpipes: measure.bagpipes.map { StaffNote($0) }
            case .bagpipesSeconds: measure.bagpipesSeconds.map { StaffNote($0) }
            case .snareDrum: measure.snareDrum.map { StaffNote($0) }
            }
        }
    }

    var isDrum: Bool { instrument == .snareDrum }
    /// The heights of its lines, the lowest first.
    var lines: [Spaces] { isDrum ? [0] : [0, 1, 2, 3, 4] }
    /// What bar lines cover.
    var barHeights: (bottom: Spaces, top: Spaces) { isDrum ? (-1.5, 1.5) : (0, 4) }
}

/// The strokes of a bar line, from the left.
enum BarStroke: Hashable {
    case thin, heavy, dots

    var width: Spaces {
        switch self {
        case .thin: 0.16
        case .heavy: 0.5
        case .dots: 0.4
        }
    }

    /// The distance between two strokes.
    static func gap(_ a: BarStroke, _ b: BarStroke) -> Spaces { a == .dots || b == .dots ? 0.44 : 0.4 }

    /// A bar's end and the beginning of the next one where they meet: two repeats share the heavy stroke.
    static func strokes(_ end: EndBarline, _ start: StartBarline) -> [BarStroke] {
        var strokes: [BarStroke] =
            switch end {
            case .none: []
            case .single: [.thin]
            case .double: [.thin, .thin]
            case .heavy: [.thin, .heavy]
            case .repeat: [.dots, .thin, .heavy]
            }
        if start == .none { return strokes }
        if strokes.last == .heavy { strokes.removeLast() } else { strokes = [] }
        return strokes + (start == .heavy ? [.heavy, .thin] : [.heavy, .thin, .dots])
    }
}

extension [BarStroke] {
    var width: Spaces {
        zip(self, dropFirst()).reduce(reduce(Spaces.zero) { $0 + $1.width }) { $0 + BarStroke.gap($1.0, $1.1) }
    }
}

/// A line of music as a row of columns: parts of fixed width, and springs that all stretch by one number.
struct LineColumns {
    enum Content: Hashable {
        case clef
        case key
        case time(TimeSignature)
        /// The bar line behind a measure; -1 for that before the first.
        case bar(measure: Int, [BarStroke])
        /// The notes that begin here: the index in the measure, by staff.
        case notes(measure: Int, [Int?])
        /// Gracenotes with no note after them.
        case trailing(measure: Int)
    }

    struct Column {
        var content: Content
        /// Fixed space before the place of the content.
        var before: Spaces
        /// Fixed space from there on.
        var after: Spaces
        var spring: Spaces = 0
    }

    let system: MusicalSystem
    let staves: [StaffLine]
    private(set) var columns: [Column] = []
    private(set) var fixed = Spaces.zero
    private(set) var springs = Spaces.zero

    let rules: EngravingRules

    /// - Parameter time: the time signature of the bar before; nil at the beginning of a tune.
    init(_ system: MusicalSystem, after time: inout TimeSignature?, rules: EngravingRules) {
        self.system = system
        self.rules = rules
        staves = system.instruments.map { StaffLine($0, system.measures) }
        add(.clef, before: 0.4, after: clefs.map(\.advance).max() ?? 0)
        if rules.settings.keySignature == .show, !system.keySignature.isEmpty, !staves.allSatisfy(\.isDrum) {
            add(.key, before: 0.45, after: Self.keyWidth(system.keySignature))
        }
        addBar(-1, [.none], system.measures.first?.start ?? .none, time: &time, of: system.measures.first)
        for (index, measure) in system.measures.enumerated() {
            addNotes(index)
            let next = index + 1 < system.measures.count ? system.measures[index + 1] : nil
            addBar(index, [measure.end], next?.start ?? .none, time: &time, of: next)
        }
    }

    /// How many texts, marks and signs stand above the line.
    var signCount: Int {
        let notes = staves.flatMap { $0.measures.joined() }
        return system.texts.count + system.measures.reduce(0) { $0 + $1.marks.count }
            + notes.reduce(0) { $0 + $1.articulation.count }
    }

    /// The clef of each staff.
    var clefs: [ScoreGlyph] { staves.map { $0.isDrum ? .unpitchedPercussionClef1 : .gClef } }

    static func keyWidth(_ signs: [KeyAccidental]) -> Spaces {
        signs.reduce(Spaces.zero) { $0 + $1.accidental.glyph.advance }
    }

    static func timeFigures(_ time: TimeSignature) -> [[ScoreGlyph]] {
        switch time.symbol {
        case .common: [[.timeSigCommon]]
        case .cut: [[.timeSigCutCommon]]
        case .none: [ScoreGlyph.timeSignature(time.numerator), ScoreGlyph.timeSignature(time.denominator)]
        }
    }

    static func width(_ figures: [ScoreGlyph]) -> Spaces { figures.reduce(Spaces.zero) { $0 + $1.advance } }

    private mutating func add(_ content: Content, before: Spaces, after: Spaces, spring: Spaces = 0) {
        columns.append(Column(content: content, before: before, after: after, spring: spring))
        fixed = fixed + before + after
        springs = springs + spring
    }

    /// Adds a bar line, and the time signature of the bar behind it where that is another one: before the first bar line of
    /// a line, behind all others.
    private mutating func addBar(
        _ index: Int, _ end: [EndBarline], _ start: StartBarline, time: inout TimeSignature?, of next: Measure?
    ) {
        let strokes = BarStroke.strokes(end.first ?? .none, start)
        func addTime(_ columns: inout LineColumns) {
            guard let new = next?.timeSignature, new != time else { return }
            time = new
            let width = Self.timeFigures(new).map(Self.width).max() ?? 0
            columns.add(.time(new), before: 0.6, after: width)
        }
        if index < 0 { addTime(&self) }
        if !strokes.isEmpty { add(.bar(measure: index, strokes), before: index < 0 ? 0.7 : 0, after: strokes.width) }
        if index >= 0 { addTime(&self) }
    }

    /// Adds a column for each time at which a note of any staff begins.
    private mutating func addNotes(_ index: Int) {
        let voices = staves.map { staff in
            var onset = Ticks.zero
            return staff.measures[index].map { note in
                defer { onset += note.duration.ticks }
                return (onset: onset, end: onset + note.duration.ticks, note: note)
            }
        }
        let onsets = Set(voices.flatMap { $0.map(\.onset) }).sorted()
        let end = voices.compactMap { $0.last?.end }.max() ?? .zero
        var lead: Spaces =
            switch columns.last?.content {
            case .bar: 0.9
            case .clef, .key, .time: 1.0
            default: 0
            }
        if onsets.isEmpty { add(.notes(measure: index, staves.map { _ in nil }), before: lead, after: 2) }
        for (position, onset) in onsets.enumerated() {
            let gap = (position + 1 < onsets.count ? onsets[position + 1] : end) - onset
            let starting = voices.map { voice in voice.firstIndex { $0.onset == onset } }
            var (before, after, spring) = (Spaces.zero, Spaces.zero, Spaces.zero)
            for (voice, start) in zip(voices, starting) {
                if let start {
                    let note = voice[start].note
                    before = max(before, rules.room(before: note))
                    after = max(after, rules.room(of: note))
                }
                guard let current = voice.last(where: { $0.onset <= onset && onset < $0.end }) else { continue }
                // A note that others of another staff fall into shares its spring among them.
                let share = Double(gap.count) / Double(max(current.note.duration.ticks.count, 1))
                spring = max(spring, current.note.spring * min(share, 1))
            }
            add(.notes(measure: index, starting), before: lead + before, after: after, spring: spring)
            lead = 0
        }
        if let trailing = system.measures[index].trailing, !trailing.graceNotes.isEmpty {
            add(.trailing(measure: index), before: 0.3, after: rules.graces(trailing.graceNotes.map(\.staffStep)).width)
        }
    }

    // MARK: - Widths

    /// The least stretch that looks well.
    static let stretchMin = 0.55
    /// The largest: what is sparser ends before the end of the line.
    static let stretchMax = 8.0

    /// The stretch with which the line is so wide.
    func stretch(for width: Spaces) -> Double {
        springs.steps > 0 ? Double((width - fixed).steps) / Double(springs.steps) : 1
    }

    /// The least width that the line can have.
    var widthMin: Spaces { fixed + springs * Self.stretchMin }

    /// The place of each column, and the end of the line.
    func places(stretch: Double) -> (places: [Spaces], end: Spaces) {
        places(columns[...], from: 0, stretch: stretch)
    }

    private func places(
        _ columns: ArraySlice<Column>, from start: Spaces, stretch: Double
    ) -> (places: [Spaces], end: Spaces) {
        var (x, sprung) = (start, Spaces.zero)
        var places: [Spaces] = []
        for column in columns {
            x = x + column.before
            places.append(x + sprung * stretch)
            x = x + column.after
            sprung = sprung + column.spring
        }
        return (places, x + sprung * stretch)
    }
}

/// Bars that stand below each other in the lines of a part.
struct AlignedBars {
    /// Where the first bar begins: behind the widest head.
    let start: Spaces
    /// The width of each bar.
    let widths: [Spaces]

    /// - Returns: nil where the lines have different numbers of bars, or one would get too full.
    init?(_ lines: [LineColumns], width: Spaces) {
        let bars = lines.map(\.bars)
        guard let first = bars.first, lines.count > 1, bars.allSatisfy({ $0.count == first.count }), !first.isEmpty
        else {
            return nil
        }
        start = lines.map { $0.head.reduce(Spaces.zero) { $0 + $1.before + $1.after } }.max() ?? 0
        let natural = first.indices.map { bar in
            bars.map { $0[bar].reduce(Spaces.zero) { $0 + $1.before + $1.after + $1.spring } }.max() ?? 0
        }
        let factor = (width - start).value / natural.reduce(Spaces.zero, +).value
        widths = natural.map { $0 * factor }
        for line in bars {
            for (bar, width) in zip(line, widths) where LineColumns.stretch(bar, for: width) < LineColumns.stretchMin {
                return nil
            }
        }
    }
}

extension LineColumns {
    /// What stands before the first bar.
    fileprivate var head: ArraySlice<Column> { columns.prefix(headCount) }

    private var headCount: Int {
        columns.firstIndex { if case .notes = $0.content { true } else { false } } ?? columns.count
    }

    /// The columns of each bar; the last one is its bar line, and a time signature belongs to the bar behind it.
    fileprivate var bars: [ArraySlice<Column>] {
        var bars: [ArraySlice<Column>] = []
        var start = headCount
        for (index, column) in columns.enumerated() where index >= headCount {
            guard case .bar = column.content else { continue }
            bars.append(columns[start...index])
            start = index + 1
        }
        if start < columns.count { bars.append(columns[start...]) }
        return bars
    }

    fileprivate static func stretch(_ columns: ArraySlice<Column>, for width: Spaces) -> Double {
        let fixed = columns.reduce(Spaces.zero) { $0 + $1.before + $1.after }
        let springs = columns.reduce(Spaces.zero) { $0 + $1.spring }
        return springs.steps > 0 ? Double((width - fixed).steps) / Double(springs.steps) : 1
    }

    /// The place of each column, and the end of the line, where bars have these widths.
    func places(_ aligned: AlignedBars) -> (places: [Spaces], end: Spaces) {
        var found = places(head, from: 0, stretch: 0).places
        var end = aligned.start
        for (bar, width) in zip(bars, aligned.widths) {
            found += places(bar, from: end, stretch: Self.stretch(bar, for: width)).places
            end = end + width
        }
        return (found, end)
    }
}
