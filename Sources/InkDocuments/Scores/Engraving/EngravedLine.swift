import InkEngine

/// A line of music as it is drawn, with all staves of its instruments.
///
/// x goes from the left end of the line, y upwards from the bottom line of the first staff.
struct EngravedLine: Hashable, Sendable {
    /// Symbols of one staff stand together from the left to the right.
    var items: [EngravedItem] = []
    var width: Spaces = 0
    /// The highest place that is drawn on, and the lowest.
    var top: Spaces = 4
    var bottom: Spaces = 0
    /// Whether something stands above the gracenotes, for which the line gets more room.
    var hasTopText = false
    /// The height of all staves but the last one's.
    var stavesDepth: Spaces = 0

    /// Room above the bottom line of the first staff, and below that of the last one.
    var ascent: Spaces { max(hasTopText ? 11 : 9, top + 0.6) }
    var descent: Spaces { max(4 + stavesDepth, -bottom + 0.6) }
    /// The least height, to which a page may shrink the line.
    var heightMin: Spaces { max(10.5 + (hasTopText ? 2 : 0) + stavesDepth, top - bottom + 0.8) }
    var height: Spaces { ascent + descent }
}

/// Where a note stands.
struct PlacedNote {
    var note: StaffNote
    var staff: Int
    var measure: Int
    /// The left edge of its head.
    var x: Spaces
    /// The left edge of its gracenotes.
    var left: Spaces
    /// The lower end of its stem; that of its head where it has none.
    var stemEnd: Spaces

    var stemX: Spaces { x + EngravingRules.stem.half }
    var centre: Spaces { x + note.head.advance.half }
}

/// Engraves a line of music whose columns have their places.
struct LineEngraver {
    let line: LineColumns
    let rules: EngravingRules
    let places: [Spaces]
    let end: Spaces
    /// The page's, which a line that is short of notes does not fill.
    private let width: Spaces
    /// The notes in the order of the music, staff by staff.
    private(set) var notes: [[PlacedNote]]
    /// The right edge of the bar line behind each measure.
    private(set) var measureEnds: [Spaces] = []
    /// The left edge of what follows the bar line before each measure.
    private(set) var measureStarts: [Spaces] = []
    private(set) var items: [EngravedItem] = []
    /// What is drawn above the staff that is engraved.
    var above = Skyline()
    private(set) var hasTopText = false

    /// - Parameter aligned: bars of the part, where they stand below each other.
    init(_ line: LineColumns, width: Spaces, isRagged: Bool, aligned: AlignedBars?) {
        self.line = line
        rules = line.rules
        self.width = width
        let natural = line.fixed + line.springs
        let stretch =
            isRagged && natural < width * 0.6
            ? 1 : min(max(line.stretch(for: width), 0), LineColumns.stretchMax)
        (places, end) = aligned.map(line.places) ?? line.places(stretch: stretch)
        notes = line.staves.map { _ in [] }
    }

    // MARK: - The line

    /// - Parameters:
    ///   - groups: those that notes of the line belong to, or that go on across it.
    ///   - label: the part's, above the line; nil for none.
    mutating func engrave(_ groups: [LineGroup], label: String?) -> EngravedLine {
        placeMeasures()
        var result = EngravedLine(width: end)
        var offset = Spaces.zero
        for staff in line.staves.indices {
            items = []
            above = Skyline()
            engraveStaff(staff)
            engraveBeams(staff)
            engrave(groups.filter { $0.staff == staff }, staff)
            if staff == 0 { engraveTexts(label) }
            let own = EngravedLine(
                items: items, width: end, top: items.map(\.box.maxY).max() ?? 4,
                bottom: items.map(\.box.minY).min() ?? 0, hasTopText: staff == 0 && hasTopText)
            if staff > 0 {
                let room = line.staves[staff].isDrum ? max(4.5, own.top + 0.6) : own.ascent
                offset = offset - max(4, offset - result.bottom + 0.6) - room
            }
            result.items += items.map { $0.moved(y: offset) }
            result.top = max(result.top, own.top + offset)
            result.bottom = min(result.bottom, own.bottom + offset)
            result.hasTopText = result.hasTopText || own.hasTopText
            result.stavesDepth = -offset
        }
        if line.staves.count > 1 {
            let (bottom, top) = (
                line.staves[line.staves.count - 1].barHeights.bottom + offset, line.staves[0].barHeights.top
            )
            result.items.append(.box(StaffBox(minX: 0, minY: bottom, maxX: 0.16, maxY: top)))
        }
        return result
    }

    private mutating func placeMeasures() {
        var start = Spaces.zero
        for (column, x) in zip(line.columns, places) {
            if case .bar(let measure, _) = column.content {
                if measure >= 0 { measureEnds.append(x + column.after) }
                start = x + column.after
            } else if case .notes(let measure, _) = column.content {
                while measureStarts.count <= measure { measureStarts.append(start) }
                while measureEnds.count < measure { measureEnds.append(start) }
            } else {
                start = x + column.after
            }
        }
        while measureEnds.count < measureStarts.count { measureEnds.append(end) }
    }

    // MARK: - A staff

    private mutating func engraveStaff(_ staff: Int) {
        let own = line.staves[staff]
        for y in own.lines {
            add(
                .box(
                    StaffBox(
                        minX: 0, minY: y - EngravingRules.staffLine.half, maxX: end,
                        maxY: y + 0.13 - EngravingRules.staffLine.half)))
        }
        for (column, x) in zip(line.columns, places) {
            switch column.content {
            case .clef: add(.glyph(line.clefs[staff], at: StaffPoint(x: x, y: own.isDrum ? 0 : 1)))
            case .key: if !own.isDrum { engraveKey(x) }
            case .time(let time): engrave(time, x, centre: own.isDrum ? 0 : 2)
            case .bar(_, let strokes): engrave(strokes, x, own)
            case .notes(let measure, let starting):
                guard let index = starting[staff] else { continue }
                engrave(own.measures[measure][index], x, staff, measure)
            case .trailing(let measure):
                guard staff == 0, let trailing = line.system.measures[measure].trailing else { continue }
                for item in rules.graces(trailing.graceNotes.map(\.staffStep)).items(left: x) { addAbove(item) }
            }
        }
    }

    mutating func add(_ item: EngravedItem) { items.append(item) }

    /// Adds something that others may not stand on.
    mutating func addAbove(_ item: EngravedItem) {
        items.append(item)
        above.add(item.box)
    }

    private mutating func engraveKey(_ x: Spaces) {
        var x = x
        for sign in line.system.keySignature {
            let glyph = sign.accidental.glyph
            add(.glyph(glyph, at: StaffPoint(x: x, y: Spaces(steps: sign.pitch.staffStep * 512))))
            x = x + glyph.advance
        }
    }

    /// Figures above each other, or a sign; 3 above 4 when the middle is that of the staff.
    private mutating func engrave(_ time: TimeSignature, _ x: Spaces, centre: Spaces) {
        let rows = LineColumns.timeFigures(time)
        let width = rows.map(LineColumns.width).max() ?? 0
        for (index, row) in rows.enumerated() {
            var x = x + (width - LineColumns.width(row)).half
            let y = rows.count == 1 ? centre : centre + (index == 0 ? 1 : -1)
            for glyph in row {
                add(.glyph(glyph, at: StaffPoint(x: x, y: y)))
                x = x + glyph.advance
            }
        }
    }

    private mutating func engrave(_ strokes: [BarStroke], _ x: Spaces, _ staff: StaffLine) {
        var x = x
        let (bottom, top) = staff.barHeights
        for (index, stroke) in strokes.enumerated() {
            if index > 0 { x = x + BarStroke.gap(strokes[index - 1], stroke) }
            if stroke == .dots {
                let centre = (bottom + top).half
                for y: Spaces in [centre - 0.5, centre + 0.5] {
                    add(.glyph(.repeatDot, at: StaffPoint(x: x, y: y)))
                }
            } else {
                add(.box(StaffBox(minX: x, minY: bottom, maxX: x + stroke.width, maxY: top)))
            }
            x = x + stroke.width
        }
    }

    // MARK: - Notes

    /// - Parameter x: the left edge of the head.
    private mutating func engrave(_ note: StaffNote, _ x: Spaces, _ staff: Int, _ measure: Int) {
        let left = x - rules.room(before: note)
        for item in rules.graces(note.graces, before: note).items(left: left) { addAbove(item) }
        if let accidental = note.accidental {
            addAbove(.glyph(accidental, at: StaffPoint(x: x - accidental.advance - 0.2, y: note.y)))
        }
        var place = StaffPoint(x: x, y: note.y)
        if note.isRest { place.y = line.staves[staff].isDrum ? 0 : note.head == .restWhole ? 3 : 2 }
        if !note.isRest, note.step >= 10 { engraveLedgerLine(x, note) }
        addAbove(.glyph(note.head, at: place))
        for dot in 0..<note.duration.dots {
            let x = x + note.head.advance + EngravingRules.dotGap + EngravingRules.dotStep * dot
            // The dot of a note on a line stands in the space above.
            let isOnLine = !note.isRest && note.step.isMultiple(of: 2) && !line.staves[staff].isDrum
            let y = note.isRest ? 2.5 : note.y + (isOnLine ? 0.5 : 0)
            add(.glyph(.augmentationDot, at: StaffPoint(x: x, y: y)))
        }
        let hasStem = !note.isRest && note.duration.noteType.requiresStem
        notes[staff].append(
            PlacedNote(
                note: note, staff: staff, measure: measure, x: x, left: left,
                stemEnd: hasStem ? note.y - EngravingRules.stemLength : (note.isRest ? place.y : note.y) - 0.5))
        for articulation in note.articulation { engrave(articulation, of: note, x + note.head.advance.half) }
    }

    private mutating func engraveLedgerLine(_ x: Spaces, _ note: StaffNote) {
        let half = EngravingRules.ledgerLine.half
        add(
            .box(
                StaffBox(
                    minX: x - EngravingRules.ledgerReach, minY: 5 - half,
                    maxX: x + note.head.advance + EngravingRules.ledgerReach, maxY: 5 + half)))
    }

    private mutating func engrave(_ articulation: Articulation, of note: StaffNote, _ centre: Spaces) {
        let glyph: ScoreGlyph = articulation == .fermata ? .fermataAbove : .articAccentAbove
        let x = centre - glyph.advance.half
        let box = glyph.box.moved(x: x)
        let lowest: Spaces = note.isDrum ? 1.6 : articulation == .fermata ? 7.6 : 4.6
        let y = above.height(of: box, from: lowest, gap: 0.25)
        addAbove(.glyph(glyph, at: StaffPoint(x: x, y: y)))
    }

    /// Sets where stems end that reach a beam.
    mutating func setStemEnds(_ staff: Int, _ ends: [Int: Spaces]) {
        for (index, end) in ends { notes[staff][index].stemEnd = end }
    }

    // MARK: - Texts above the first staff

    private mutating func engraveTexts(_ label: String?) {
        for (index, measure) in line.system.measures.enumerated() where index < measureEnds.count {
            for mark in measure.marks { engrave(mark, right: measureEnds[index]) }
        }
        for text in line.system.texts where !text.text.isEmpty { engraveTop(text.text, rules.italic, text.alignment) }
        if let label { engraveTop(label, rules.bold, .left) }
    }

    private mutating func engrave(_ mark: MeasureMark, right: Spaces) {
        hasTopText = true
        if let text = mark.text {
            var item = EngravedText(text: text, face: rules.italic, size: 1.8, place: StaffPoint(x: 0, y: 0))
            item.place.x = max(right - item.width, 0)
            item.place.y = above.height(of: item.box, from: 7.6, gap: 0.4)
            return addAbove(.text(item))
        }
        let (glyph, scale) = (mark == .segno ? ScoreGlyph.segno : .coda, 0.8)
        let x = max(right - glyph.advance * scale, 0)
        let item = EngravedItem.glyph(glyph, at: StaffPoint(x: x, y: 0), scale: scale)
        addAbove(item.moved(y: above.height(of: item.box, from: 7.4, gap: 0.4)))
    }

    private mutating func engraveTop(_ text: String, _ face: ScoreFace, _ alignment: ScoreText.Alignment) {
        hasTopText = true
        var item = EngravedText(text: text, face: face, size: 1.8, place: StaffPoint(x: 0, y: 0))
            .fitted(width)
        let room = max(end, item.width)
        item.place.x =
            switch alignment {
            case .left: 0
            case .center: (room - item.width).half
            case .right: room - item.width
            }
        item.place.y = above.height(of: item.box, from: 7.8, gap: 0.4)
        addAbove(.text(item))
    }

    mutating func setHasTopText() { hasTopText = true }
}

/// What stands above a staff, on which nothing else may stand.
struct Skyline {
    private var boxes: [StaffBox] = []

    mutating func add(_ box: StaffBox) { boxes.append(box) }

    /// The least height from `from` on to which a box can be lifted so that it touches nothing.
    ///
    /// - Parameters:
    ///   - box: its y counts from the height that is sought.
    ///   - gap: between it and others.
    func height(of box: StaffBox, from: Spaces, gap: Spaces) -> Spaces {
        var height = from
        while let other = boxes.first(where: { $0.overlaps(box.moved(y: height), gap: gap) }) {
            // The other's top is above the box's bottom here, so each step goes up.
            height = max(other.maxY + gap - box.minY, height + Spaces(steps: 1))
        }
        return height
    }
}

extension EngravedText {
    /// The text in a smaller size, at least 60%, where it is wider than `width`; then cut, with an ellipsis.
    func fitted(_ width: Spaces) -> EngravedText {
        var fitted = self
        guard self.width > width, width > 0 else { return self }
        let share = max(width.value / self.width.value, 0.6)
        fitted.size = size * share
        while fitted.width > width, !fitted.text.isEmpty {
            let kept = fitted.text.hasSuffix("…") ? fitted.text.dropLast(2) : fitted.text.dropLast()
            fitted.text = kept.isEmpty ? "" : kept.trimmingBlanks + "…"
        }
        return fitted
    }
}
