import InkEngine

/// The music of one tune while its BWW file is read.
///
/// Notes are kept in one row, so that ties, groups and dots find the notes before them; bars are ranges of it.
struct BWWMusic {
    /// Without its parts until it is finished.
    var tune: Tune
    /// The groups of the finished tune.
    var groups: [NoteGroup] = []
    var notes: [PipeNote] = []
    /// Where each note stands in the file.
    var positions: [ScoreProblem.Position] = []
    /// The groups found so far, each with the place of its first note in `notes`.
    var drafts: [(kind: NoteGroup.Kind, members: Range<Int>)] = []
    /// An open tie, irregular group or time line, and its first note.
    var openTie: (start: Int, position: ScoreProblem.Position)?
    var openTuplet: (ratio: TupletRatio, start: Int, position: ScoreProblem.Position)?
    var openTimeLine: (label: TimeLineLabel, start: Int)?
    /// The first note of a tie in the old form.
    var oldTie: (note: Int, position: ScoreProblem.Position)?

    private var systems: [MusicalSystem] = []
    /// The notes of each bar of each line.
    private var ranges: [[Range<Int>]] = []
    /// The line that is being read; nil after its end.
    private var system: MusicalSystem?
    private var systemRanges: [Range<Int>] = []
    private var measure = Measure(id: .number(0))
    private(set) var measureStart = 0
    /// The first note of the line that is being read.
    private(set) var lineStart = 0
    /// The texts above the next line.
    private var texts: [ScoreText] = []
    private var time: TimeSignature?
    /// A time signature in the middle of a bar, for the next.
    private var nextTime: TimeSignature?
    private var pendingTokens: [(word: String, position: ScoreProblem.Position)] = []
    private var pendingAccidentals: [KeyAccidental] = []

    init(id: ScoreID, time: TimeSignature?) {
        tune = Tune(id: id)
        self.time = time
    }

    var hasLines: Bool { system != nil || !systems.isEmpty }

    mutating func add(_ text: ScoreText) { texts.append(text) }

    mutating func take(
        _ token: BWWToken, _ word: Substring, at position: ScoreProblem.Position, _ reader: inout BWWReader
    ) {
        switch token {
        case .space: break
        case .staff:
            endLine(isOpen: true, position, &reader)
            beginLine(position, &reader)
        case .key(let key): take(key, position, &reader)
        case .time(let signature):
            ensureLine(position, &reader)
            if notes.count == measureStart {
                (time, nextTime) = (signature, nil)
                measure.timeSignature = signature
            } else {
                nextTime = signature
            }
        case .note(let pitch, let type, let beam):
            ensureLine(position, &reader)
            let duration = NoteDuration(noteType: type)
            var note = PipeNote(id: reader.nextID(), duration: duration, pitch: pitch)
            if type.flagCount > 0 { note.beam = beam }
            note.embellishment = takeEmbellishment(on: pitch, position, &reader)
            if let index = pendingAccidentals.lastIndex(where: { $0.pitch == pitch }) {
                note.accidental = pendingAccidentals[index].accidental
                pendingAccidentals.removeAll { $0.pitch == pitch }
            }
            append(note, position, &reader)
            endOldTie(&reader)
        case .rest(let type):
            ensureLine(position, &reader)
            append(PipeNote(id: reader.nextID(), duration: NoteDuration(noteType: type)), position, &reader)
        case .embellishment(let token):
            ensureLine(position, &reader)
            pendingTokens.append((token, position))
            if pendingTokens.count > ScoreLimits.graceNotes { refuse("gracenotes before a note", position, &reader) }
        case .dots(let pitch, let count):
            if let note = lastNote(of: pitch, word, position, &reader) { notes[note].duration.dots = count }
        case .fermata(let pitch):
            if let note = lastNote(of: pitch, word, position, &reader), notes[note].articulation.isEmpty {
                notes[note].articulation = [.fermata]
            }
        case .dotted(let count):
            if notes.count > lineStart { notes[notes.count - 1].duration.dots = count }
        case .accidental(let sign): addAccidental(sign)
        case .tieStart, .tieEnd, .oldTie, .tupletStart, .tupletEnd, .oldTriplet, .timeLineStart, .timeLineEnd:
            takeGroup(token, position, &reader)
        case .startBar(let bar):
            guard system != nil else { return warn(word, "stands outside of a line", position, &reader) }
            if notes.count > measureStart {
                endMeasure(.none, &reader)
            } else if let last = system?.measures.indices.last, system?.measures[last].end == .single {
                // One sign is drawn where two bars meet.
                system?.measures[last].end = .none
            }
            measure.start = bar
        case .endBar(let bar, let endsLine):
            guard system != nil else { return warn(word, "stands outside of a line", position, &reader) }
            if endsLine { takeTrailing(&reader) }
            endMeasure(bar, &reader)
            if endsLine { endLine(isOpen: false, position, &reader) }
        case .mark(let mark): take(mark)
        }
    }

    func warn(
        _ word: some StringProtocol, _ reason: String, _ position: ScoreProblem.Position, _ reader: inout BWWReader,
        _ code: ScoreProblem.Code = .unknownToken
    ) {
        let shown = shownText(String(word), limit: 40)
        reader.problems.add(code, tune: reader.tune, at: position, word, "\"\(shown)\" \(reason)")
    }

    private func refuse(_ what: String, _ position: ScoreProblem.Position, _ reader: inout BWWReader) {
        reader.problems.add(.limit, tune: reader.tune, at: position, "", "there are too many \(what)")
    }

    // MARK: Lines and bars

    private mutating func beginLine(_ position: ScoreProblem.Position, _ reader: inout BWWReader) {
        if systems.count >= ScoreLimits.systems { refuse("lines in a tune", position, &reader) }
        var line = MusicalSystem(id: reader.nextID())
        line.texts = texts
        texts = []
        system = line
        systemRanges = []
        lineStart = notes.count
        beginMeasure()
    }

    /// Begins a line for music that no `&` stands before.
    private mutating func ensureLine(_ position: ScoreProblem.Position, _ reader: inout BWWReader) {
        guard system == nil else { return }
        reader.problems.add(
            .unknownToken, tune: reader.tune, at: position, "", "music without the & of a line; a new line begins here")
        beginLine(position, &reader)
    }

    private mutating func beginMeasure() {
        measureStart = notes.count
        time = nextTime ?? time
        nextTime = nil
        measure = Measure(id: .number(0), timeSignature: time)
        pendingAccidentals = []
    }

    private mutating func endMeasure(_ end: EndBarline, _ reader: inout BWWReader) {
        let range = measureStart..<notes.count
        if range.isEmpty, measure.marks.isEmpty, measure.trailing == nil {
            // A second bar line makes the first one stronger.
            if let last = system?.measures.indices.last {
                if measure.start == .none, let old = system?.measures[last].end, end.strength > old.strength {
                    system?.measures[last].end = end
                }
                measure.start = .none
            }
            return
        }
        appendMeasure(end, range, &reader)
    }

    private mutating func appendMeasure(_ end: EndBarline, _ range: Range<Int>, _ reader: inout BWWReader) {
        measure.id = reader.nextID()
        measure.end = end
        system?.measures.append(measure)
        systemRanges.append(range)
        beginMeasure()
    }

    /// Ends the line; where it is still open, the file does not say that it ends.
    private mutating func endLine(isOpen: Bool, _ position: ScoreProblem.Position, _ reader: inout BWWReader) {
        guard system != nil else { return }
        takeTrailing(&reader)
        if notes.count > measureStart || measure.trailing != nil {
            endMeasure(.none, &reader)
            if isOpen {
                reader.problems.add(
                    .noLineEnd, tune: reader.tune, at: position, "", "the line before has no bar line at its end")
            }
        } else if system?.measures.isEmpty == true {
            appendMeasure(.none, measureStart..<measureStart, &reader)
        }
        if openTuplet != nil { dropTuplet(&reader) }
        guard let line = system else { return }
        checkBars(of: line, &reader)
        systems.append(line)
        ranges.append(systemRanges)
        system = nil
    }

    private func checkBars(of line: MusicalSystem, _ reader: inout BWWReader) {
        for (index, (measure, range)) in zip(line.measures, systemRanges).enumerated() {
            guard let wanted = measure.timeSignature?.ticks, !range.isEmpty else { continue }
            let found = notes[range].reduce(Ticks.zero) { $0 + $1.duration.ticks }
            // Upbeats, and bars that are split at a line's end or a repeat, are short.
            let mayBeShort =
                index == 0 || index == line.measures.count - 1 || measure.end != .single || measure.start != .none
                || line.measures[index - 1].end != .single
            guard found > wanted || (found < wanted && !mayBeShort) else { continue }
            reader.problems.add(
                .barLength, tune: reader.tune, at: positions[range.lowerBound], "",
                "the bar is \(found > wanted ? "longer" : "shorter") than its time signature says")
        }
    }

    // MARK: Notes

    private mutating func take(_ key: KeyAccidental, _ position: ScoreProblem.Position, _ reader: inout BWWReader) {
        ensureLine(position, &reader)
        if notes.count == lineStart {
            system?.keySignature.removeAll { $0.pitch == key.pitch }
            system?.keySignature.append(key)
        } else {
            addAccidental(key)
        }
    }

    private mutating func addAccidental(_ sign: KeyAccidental) {
        pendingAccidentals.removeAll { $0.pitch == sign.pitch }
        pendingAccidentals.append(sign)
    }

    private mutating func append(
        _ note: PipeNote, _ position: ScoreProblem.Position, _ reader: inout BWWReader
    ) {
        notes.append(note)
        positions.append(position)
        if notes.count - lineStart + systemRanges.count > ScoreLimits.columns {
            refuse("notes in a line", position, &reader)
        }
    }

    /// Changes the length of the last note, as a broken rhythm does.
    mutating func setLastDuration(_ duration: NoteDuration) {
        guard let last = notes.indices.last else { return }
        (notes[last].duration.noteType, notes[last].duration.dots) = (duration.noteType, duration.dots)
    }

    /// The last note of a pitch in the line, for a sign that stands after its note.
    private func lastNote(
        of pitch: Pitch, _ word: Substring, _ position: ScoreProblem.Position, _ reader: inout BWWReader
    ) -> Int? {
        if let index = notes[lineStart...].lastIndex(where: { $0.pitch == pitch }) { return index }
        warn(word, "has no note \(pitch.name) before it in the line", position, &reader)
        return nil
    }

    /// The pitch of the note before the next one; nil after a rest.
    private var previousPitch: Pitch? { notes.last?.pitch }

    private mutating func takeEmbellishment(
        on pitch: Pitch, _ position: ScoreProblem.Position, _ reader: inout BWWReader
    ) -> Embellishment? {
        guard let embellishment = pendingEmbellishment(on: pitch) else { return nil }
        if embellishment.graceNotes.count > ScoreLimits.graceNotes {
            refuse("gracenotes before a note", position, &reader)
        }
        let words = pendingTokens.map(\.word).joined(separator: " ")
        let position = pendingTokens.first?.position ?? position
        if let target = EmbellishmentRules.target(of: embellishment.kind), target != pitch {
            warn(words, "is played on \(target.name), not on \(pitch.name)", position, &reader, .embellishmentUnusual)
        }
        if EmbellishmentRules.repeats(embellishment.graceNotes, after: previousPitch) {
            warn(words, "repeats the note before a gracenote", position, &reader, .embellishmentRepeated)
        }
        pendingTokens = []
        return embellishment
    }

    private func pendingEmbellishment(on pitch: Pitch?) -> Embellishment? {
        let entries = pendingTokens.compactMap { EmbellishmentTokens.entry(of: $0.word) }
        guard let first = entries.first else { return nil }
        guard entries.count == 1 else {
            return Embellishment(
                kind: .gracenotes, graceNotes: entries.flatMap(\.graceNotes), isListed: true)
        }
        let usual = pitch.flatMap {
            EmbellishmentRules.graceNotes(first.kind, first.variant, on: $0, after: previousPitch)
        }
        return Embellishment(
            kind: first.kind, variant: first.variant, graceNotes: first.graceNotes,
            isListed: usual != first.graceNotes)
    }

    /// Leaves gracenotes with no note after them at the end of the line.
    private mutating func takeTrailing(_ reader: inout BWWReader) {
        guard let position = pendingTokens.first?.position else { return }
        let embellishment = pendingEmbellishment(on: nil)
        let words = pendingTokens.map(\.word).joined(separator: " ")
        warn(words, "has no note after it in the line", position, &reader, .embellishmentWithoutNote)
        pendingTokens = []
        if notes.count == measureStart, let last = system?.measures.indices.last {
            system?.measures[last].trailing = embellishment
        } else {
            measure.trailing = embellishment
        }
    }

    private mutating func take(_ mark: MeasureMark) {
        let isStart = mark == .segno || mark == .coda || mark == .codasection
        let isEmpty = notes.count == measureStart
        if system != nil, !isEmpty || isStart || system?.measures.isEmpty == true {
            if !measure.marks.contains(mark) { measure.marks.append(mark) }
        } else if let last = system?.measures.indices.last {
            if system?.measures[last].marks.contains(mark) == false { system?.measures[last].marks.append(mark) }
        } else if let line = systems.indices.last, let last = systems[line].measures.indices.last {
            if !systems[line].measures[last].marks.contains(mark) { systems[line].measures[last].marks.append(mark) }
        }
    }

    // MARK: The end

    /// Gives the tune its parts, and its notes their groups.
    mutating func finish(_ reader: inout BWWReader) {
        endLine(isOpen: true, positions.last ?? .line(1, column: 1), &reader)
        finishGroups(&reader)
        for line in systems.indices {
            for bar in systems[line].measures.indices {
                systems[line].measures[bar].bagpipes = Array(notes[ranges[line][bar]])
            }
        }
        tune.parts = Part.parts(of: systems)
        (notes, positions, systems, ranges) = ([], [], [], [])
    }
}

extension EndBarline {
    /// Which of two bar lines at one place is drawn.
    fileprivate var strength: Int {
        switch self {
        case .none: 0
        case .single: 1
        case .double: 2
        case .heavy: 3
        case .repeat: 4
        }
    }
}

extension Part {
    /// The parts of a tune: one begins where the line before ends with a heavy bar line, or where a line begins with one.
    static func parts(of systems: [MusicalSystem]) -> [Part] {
        var parts: [Part] = []
        var isEnded = true
        for system in systems {
            if isEnded || system.measures.first.map({ $0.start != .none }) == true {
                parts.append(Part(partLetter: letter(parts.count)))
            }
            parts[parts.count - 1].systems.append(system)
            isEnded = system.measures.last.map { $0.end == .heavy || $0.end == .repeat } ?? false
        }
        return parts
    }

    /// `A` to `Z`, then `AA`.
    static func letter(_ index: Int) -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
        return (index >= letters.count ? letter(index / letters.count - 1) : "")
            + String(letters[index % letters.count])
    }
}
