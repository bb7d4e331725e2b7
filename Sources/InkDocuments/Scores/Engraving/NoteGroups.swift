/// A group of notes as far as it concerns a staff of a line.
struct LineGroup {
    var group: NoteGroup
    var staff: Int
    /// The indices of its members among the notes of the staff; none for a group that goes on across the line.
    var members: [Int]
    /// Whether it began in an earlier line, and whether it goes on in a later one.
    var isOpenLeft: Bool
    var isOpenRight: Bool
}

/// Ties, tuplets, time lines and the other signs that notes have in common.
extension LineEngraver {
    private static let lineThickness: Spaces = 0.16
    private static let bracketHook: Spaces = 1.4
    private static let bracketHeight: Spaces = 8.9

    mutating func engrave(_ groups: [LineGroup], _ staff: Int) {
        for group in groups {
            switch group.group.kind {
            case .tie, .roll: engraveTie(group, staff)
            case .tuplet(let ratio): engraveTuplet(group, ratio, staff)
            case .hairpin(let hairpin): engrave(hairpin, group, staff)
            case .timeLine, .unison: break
            }
        }
        engraveTimeLines(groups, staff)
    }

    // MARK: - Ties

    private mutating func engraveTie(_ group: LineGroup, _ staff: Int) {
        let own = group.members.map { notes[staff][$0] }
        func place(_ placed: PlacedNote, isStart: Bool) -> StaffPoint {
            let inset = placed.note.head.advance * 0.25
            return StaffPoint(
                x: isStart ? placed.x + placed.note.head.advance - inset : placed.x + inset,
                y: placed.note.y + (own.contains { $0.note.duration.dots > 0 } ? 0.95 : 0.7))
        }
        for (a, b) in zip(own, own.dropFirst()) { addTie(place(a, isStart: true), place(b, isStart: false)) }
        if group.isOpenLeft, let first = own.first {
            let end = place(first, isStart: false)
            addTie(StaffPoint(x: end.x - 1.8, y: end.y), end)
        }
        if group.isOpenRight, let last = own.last {
            let start = place(last, isStart: true)
            addTie(start, StaffPoint(x: max(end - 0.3, start.x + 1), y: start.y))
        }
    }

    private mutating func addTie(_ from: StaffPoint, _ to: StaffPoint) {
        guard to.x > from.x else { return }
        let height = min(0.35 + (to.x - from.x) * 0.08, 1)
        addAbove(.tie(from: from, to: to, height: height))
    }

    // MARK: - Tuplets

    /// The number below the stems, with a bracket where no beam of its own says what belongs together.
    private mutating func engraveTuplet(_ group: LineGroup, _ ratio: TupletRatio, _ staff: Int) {
        guard let firstIndex = group.members.first, let lastIndex = group.members.last else { return }
        let (first, last) = (notes[staff][firstIndex], notes[staff][lastIndex])
        let figures = ScoreGlyph.tuplet(ratio.actual)
        let scale = 0.75
        let width = figures.reduce(Spaces.zero) { $0 + $1.advance } * scale
        let (left, right) = (first.x, max(last.x + last.note.head.advance, first.x + width + 1.2))
        let lowest = notes[staff][firstIndex...max(lastIndex, firstIndex)].map(\.stemEnd).min() ?? 0
        let middle = (first.stemX + last.stemX).half
        let isBeamedAlone = BeamGroups.groups(notes[staff], line, rules.tuneType)
            .contains(firstIndex..<(lastIndex + 1))
        let height: Spaces = 1.15
        let top = min(lowest, 0) - 0.35
        if isBeamedAlone {
            addFigures(figures, x: middle - width.half, y: top - height, scale)
        } else {
            let centre = (left + right).half
            addFigures(figures, x: centre - width.half, y: top - height, scale)
            let y = top - height.half
            for (from, to) in [(left, centre - width.half - 0.3), (centre + width.half + 0.3, right)] where to > from {
                add(.box(StaffBox(minX: from, minY: y - 0.06, maxX: to, maxY: y + 0.06)))
            }
            for x in [left, right - 0.12] {
                add(.box(StaffBox(minX: x, minY: y - 0.06, maxX: x + 0.12, maxY: y + 0.5)))
            }
        }
    }

    private mutating func addFigures(_ figures: [ScoreGlyph], x: Spaces, y: Spaces, _ scale: Double) {
        var x = x
        for figure in figures {
            add(.glyph(figure, at: StaffPoint(x: x, y: y), scale: scale))
            x = x + figure.advance * scale
        }
    }

    // MARK: - Time lines

    /// A bracket from bar line to bar line, at one height in a line of music.
    private struct Bracket {
        var left: Spaces
        var right: Spaces
        var isOpenLeft: Bool
        var isOpenRight: Bool
        var text: EngravedText?
    }

    private mutating func engraveTimeLines(_ groups: [LineGroup], _ staff: Int) {
        var brackets: [Bracket] = []
        for group in groups {
            let label: String?
            switch group.group.kind {
            case .timeLine(let line): label = line.text
            case .unison: label = nil
            default: continue
            }
            let own = group.members.map { notes[staff][$0] }
            var (left, right) = (measureStarts.first ?? 0, end)
            if let first = own.first, !group.isOpenLeft {
                let isFirst = !notes[staff].contains { $0.measure == first.measure && $0.x < first.x }
                left = isFirst ? measureStarts[first.measure] + 0.2 : first.left - 0.3
            }
            if let last = own.last, !group.isOpenRight {
                let isLast = !notes[staff].contains { $0.measure == last.measure && $0.x > last.x }
                right = isLast ? measureEnds[last.measure] - 0.08 : last.x + last.note.head.advance + 0.3
            }
            let text = label.map {
                EngravedText(text: $0, face: rules.regular, size: 1.5, place: StaffPoint(x: left + 0.55, y: 0))
            }
            brackets.append(
                Bracket(
                    left: left, right: max(right, left + 1), isOpenLeft: group.isOpenLeft,
                    isOpenRight: group.isOpenRight, text: group.isOpenLeft ? nil : text))
        }
        guard !brackets.isEmpty else { return }
        setHasTopText()
        // The texts stand inside the brackets and above the gracenotes, all at one height.
        var height = Self.bracketHeight
        for bracket in brackets {
            let line = StaffBox(minX: bracket.left, minY: 0, maxX: bracket.right, maxY: Self.lineThickness)
            height = max(height, above.height(of: line, from: height, gap: 0.3))
            if let text = bracket.text {
                let box = text.box.moved(y: -text.size * (EngravedText.ascent) - 0.35)
                height = max(height, above.height(of: box, from: height, gap: 0.25))
            }
        }
        for bracket in brackets { engrave(bracket, height) }
    }

    private mutating func engrave(_ bracket: Bracket, _ height: Spaces) {
        let thick = Self.lineThickness
        addAbove(.box(StaffBox(minX: bracket.left, minY: height, maxX: bracket.right, maxY: height + thick)))
        for (x, isOpen) in [(bracket.left, bracket.isOpenLeft), (bracket.right - thick, bracket.isOpenRight)]
        where !isOpen {
            addAbove(
                .box(StaffBox(minX: x, minY: height - Self.bracketHook, maxX: x + thick, maxY: height + thick)))
        }
        if var text = bracket.text {
            text.place.y = height - text.size * EngravedText.ascent - 0.35
            addAbove(.text(text))
        }
    }

    // MARK: - Drums

    private mutating func engrave(_ hairpin: NoteGroup.Hairpin, _ group: LineGroup, _ staff: Int) {
        guard let first = group.members.first.map({ notes[staff][$0] }),
            let last = group.members.last.map({ notes[staff][$0] })
        else { return }
        let (left, right) = (first.x, max(last.x + last.note.head.advance, first.x + 2))
        let y = (notes[staff].map(\.stemEnd).min() ?? -3.5) - 1.4
        for sign in [-1, 1] {
            let open = y + Spaces(0.6) * sign
            let (from, to) = hairpin == .crescendo ? (y, open) : (open, y)
            add(
                .polygon([
                    StaffPoint(x: left, y: from - 0.07), StaffPoint(x: right, y: to - 0.07),
                    StaffPoint(x: right, y: to + 0.07), StaffPoint(x: left, y: from + 0.07),
                ]))
        }
    }
}
