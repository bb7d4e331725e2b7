import InkEngine

/// A tune as lines and a heading, before it is put on pages.
struct EngravedTune {
    /// The index of the tune in its document.
    var index: Int
    var heading: EngravedHeading
    var lines: [EngravedLine]
    /// The size of everything, 1 where nothing had to be made smaller.
    var scale: Double
    var startsPage: Bool
    var footer: String?
    /// What had to be made smaller or was left out.
    var problems: [ScoreProblem] = []

    /// The least scale; what is fuller is refused.
    static let scaleMin = 0.6

    /// Engraves a tune into lines of a width.
    ///
    /// - Parameters:
    ///   - groups: of the whole document.
    ///   - scaleMax: the largest scale, for a page that the tune has to fit on.
    /// - Throws: `ScoreProblem` for a line that holds too many notes.
    init(
        _ tune: Tune, index: Int, groups: [NoteGroup], settings: DocumentLayoutSettings, width: Spaces,
        scaleMax: Double
    ) throws(ScoreProblem) {
        let rules = EngravingRules(settings: settings, tuneType: tune.metadata.tuneType)
        self.index = index
        startsPage = tune.layoutPreference?.newPage ?? false
        footer = tune.metadata.footer
        let systems = tune.systems
        var time: TimeSignature?
        let columns = systems.map { LineColumns($0, after: &time, rules: rules) }
        let own = tune.layoutPreference?.staffSpace.map { $0 / settings.staffSpace } ?? 1
        let wanted = min(own, scaleMax)
        let fullest = columns.map(\.widthMin).max() ?? 0
        scale = wanted
        if fullest * wanted > width {
            scale = width.value / fullest.value
            let share = Int((100 * scale / wanted).rounded(.down))
            guard scale >= Self.scaleMin * wanted else {
                throw ScoreProblem(
                    code: .lineTooFull, tune: index,
                    reason:
                        "a line has too many notes for its width: it would have to be drawn at \(share)%, less than "
                        + "60%; break it into two lines, or choose larger paper or a smaller staff")
            }
            problems.append(
                ScoreProblem(
                    code: .scaled, tune: index,
                    reason: "the tune is drawn at \(share)% of its size, because a line is full"))
        }
        let inner = Spaces(width.value / scale)
        heading = EngravedHeading(tune.metadata, width: inner, rules: rules)
        problems += heading.cut.map { text in
            ScoreProblem(
                code: .titleCut, tune: index, token: String(text.prefix(40)),
                reason: "the text is wider than the page and is cut: \(shownText(text, limit: 40))")
        }
        let placing = GroupPlacing(columns, groups)
        // Each looks for a place above all that has one.
        let crowds = columns.indices.map { columns[$0].signCount + placing.groups(of: $0).count }
        if let most = crowds.max(), most > ScoreLimits.columns {
            throw ScoreProblem(
                code: .limit, tune: index,
                reason:
                    "a line has \(most) texts, marks and groups of notes; at most \(ScoreLimits.columns) are possible")
        }
        let parts = tune.parts.enumerated().flatMap { part, content in
            content.systems.indices.map { $0 == 0 ? part : nil }
        }
        // The aligned bars of each line.
        var aligned: [AlignedBars?] = columns.map { _ in nil }
        if settings.alignBars {
            var start = 0
            for part in tune.parts {
                let range = start..<(start + part.systems.count)
                let bars = AlignedBars(Array(columns[range]), width: inner)
                for line in range { aligned[line] = bars }
                start = range.upperBound
            }
        }
        lines = []
        for (number, line) in columns.enumerated() {
            let isLast = number == columns.count - 1
            var engraver = LineEngraver(
                line, width: inner, isRagged: isLast && !settings.justifyLastLine,
                aligned: aligned[number])
            let label = settings.partLabels ? parts[number].map { "Part \($0 + 1)" } : nil
            lines.append(engraver.engrave(placing.groups(of: number), label: label))
        }
        problems += missingLetters(tune, rules)
    }

    /// A warning for the characters that the letters of scores lack.
    private func missingLetters(_ tune: Tune, _ rules: EngravingRules) -> [ScoreProblem] {
        let texts = tune.metadata.texts.map(\.text) + tune.systems.flatMap { $0.texts.map(\.text) }
        let missing = Set(texts.flatMap { rules.regular.letters.missing(in: $0) }).sorted()
        guard !missing.isEmpty else { return [] }
        return [
            ScoreProblem(
                code: .encoding, tune: index, token: String(missing.prefix(20)),
                reason: "characters that the letters of scores do not have are left out: "
                    + shownText(String(missing), limit: 20))
        ]
    }
}

/// Finds for each line the groups that concern it.
struct GroupPlacing {
    private var byLine: [[LineGroup]]

    init(_ columns: [LineColumns], _ groups: [NoteGroup]) {
        var places: [ScoreID: (line: Int, staff: Int, index: Int)] = [:]
        for (line, content) in columns.enumerated() {
            for (staff, voice) in content.staves.enumerated() {
                for (index, note) in voice.measures.joined().enumerated() { places[note.id] = (line, staff, index) }
            }
        }
        byLine = columns.map { _ in [] }
        for group in groups {
            let members = group.members.compactMap { places[$0] }
            guard let first = members.first, let last = members.last else { continue }
            // A tie between staves is none.
            let own = members.filter { $0.staff == first.staff }
            for line in min(first.line, last.line)...max(first.line, last.line) {
                let indices = own.filter { $0.line == line }.map(\.index).sorted()
                if case .tie = group.kind, indices.isEmpty { continue }
                byLine[line].append(
                    LineGroup(
                        group: group, staff: first.staff, members: indices, isOpenLeft: line > first.line,
                        isOpenRight: line < last.line))
            }
        }
    }

    func groups(of line: Int) -> [LineGroup] { byLine[line] }
}

/// Thrown where a tune cannot be drawn.
extension ScoreProblem: Error {}
