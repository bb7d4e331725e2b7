import InkEngine

/// Reads pipe music from ABC (standard 2.1), as it is written with `K:HP`: one voice, gracenotes in braces.
///
/// The music goes through the words of BWW, which have the same notes, groups and bar lines. What is not understood is
/// skipped, with a warning that names its place.
struct ABCReader {
    private var score = BWWReader()
    private var unit: (numerator: Int, denominator: Int)?
    private var meter: TimeSignature?
    /// Notes to which a broken rhythm gives or takes time: numerator and denominator for the next note.
    private var broken: (numerator: Int, denominator: Int)?
    /// A tuplet that is open: the notes that it still takes.
    private var tuplet: (ratio: TupletRatio, left: Int)?
    private var isInTune = false
    private var hasLine = false
    /// A time signature for the next line.
    private var newMeter: TimeSignature?
    /// The notes of a beam that goes on, and whether the note before was written to the next.
    private var beamed = false
    private var pendingGrace: [Pitch] = []

    static func read(_ bytes: [UInt8], name: String) throws(EngineError) -> ScoreReading {
        guard bytes.count <= ScoreLimits.fileBytes else {
            throw .overLimit(
                Place(file: name), what: "the size of the score (E_LIMIT)", found: "\(bytes.count) bytes",
                limit: "\(ScoreLimits.fileBytes)")
        }
        var reader = ABCReader()
        for line in BWWText(bytes).lines {
            guard reader.score.document.tunes.count < ScoreLimits.tunes else {
                throw .overLimit(
                    Place(file: name), what: "the number of tunes (E_LIMIT)", found: "more",
                    limit: "\(ScoreLimits.tunes)")
            }
            reader.take(line)
        }
        let reading = reader.score.finish()
        guard !reading.document.tunes.isEmpty else {
            throw .badInput(Place(file: name), reason: "has no music after a line K: of ABC")
        }
        return reading
    }

    /// Whether a text is ABC of pipe music: a reference number, then a key of pipes or the usual fields.
    static func recognizes(_ bytes: [UInt8]) -> Bool {
        let lines = BWWText(Array(bytes.prefix(8192))).lines
        guard let number = lines.firstIndex(where: { $0.text.hasPrefix("X:") }) else { return false }
        let before = lines[..<number].allSatisfy { $0.text.hasPrefix("%") }
        return before && lines[number...].contains { $0.text.hasPrefix("K:") }
    }

    // MARK: Lines

    private mutating func take(_ line: BWWText.Line) {
        var text = line.text
        if let comment = text.firstIndex(of: "%") { text = text[..<comment] }
        guard let first = text.first else { return }
        if first.isASCII, first.isLetter, text.dropFirst().first == ":", text.dropFirst(2).first != "|",
            text.dropFirst(2).first != ":"
        {
            takeField(first, text.dropFirst(2).trimmed, line)
        } else if isInTune {
            takeMusic(text, line)
        }
    }

    private mutating func takeField(_ letter: Character, _ text: Substring, _ line: BWWText.Line) {
        func head(_ kind: ScoreText.Kind) {
            score.take(
                ScoreText(kind: kind, text: String(text), alignment: ScoreText.usualAlignment(of: kind)), at: line)
        }
        switch letter {
        case "X":
            score.useHead()
            score.finishTune()
            (isInTune, unit, meter) = (false, nil, nil)
        case "T": if !isInTune { head(.title) }
        case "C": if !isInTune { head(.composer) }
        case "R": if !isInTune { head(.type) }
        case "M": setMeter(text, line.position(0))
        case "L": unit = Self.fraction(text)
        case "K":
            isInTune = true
            if !text.lowercased().hasPrefix("hp") {
                warn(text, "is no key of pipes (HP); the notes are read as if it were", line.position(0))
            }
        // What does not change the page of a pipe tune.
        case "Q", "P", "N", "Z", "O", "A", "B", "D", "F", "G", "H", "I", "S", "W", "w", "r", "s", "m", "U": break
        default: warn(text, "of the field \(letter): is skipped", line.position(0))
        }
    }

    private mutating func setMeter(_ text: Substring, _ position: ScoreProblem.Position) {
        switch text {
        case "C": meter = .common
        case "C|": meter = .cut
        case "none", "": meter = nil
        default:
            guard let (numerator, denominator) = Self.fraction(text), TimeSignature.numerators.contains(numerator),
                [1, 2, 4, 8, 16].contains(denominator)
            else { return warn(text, "is no time signature that pipes have", position) }
            meter = TimeSignature(numerator: numerator, denominator: denominator)
        }
        newMeter = meter
    }

    private static func fraction(_ text: Substring) -> (numerator: Int, denominator: Int)? {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0.trimmed) }
        guard parts.count == 2, let numerator = parts[0], let denominator = parts[1], (1...64).contains(numerator),
            (1...64).contains(denominator)
        else { return nil }
        return (numerator, denominator)
    }

    private mutating func warn(_ text: some StringProtocol, _ reason: String, _ position: ScoreProblem.Position) {
        score.problems.add(
            .unknownToken, tune: score.tune, at: position, text,
            "\"\(shownText(String(text.prefix(80)), limit: 40))\" \(reason)")
    }

    private mutating func add(_ token: BWWToken, _ position: ScoreProblem.Position) {
        score.take(token, "", at: position)
    }

    // MARK: Music

    private mutating func takeMusic(_ text: Substring, _ line: BWWText.Line) {
        var scanner = ABCScanner(text: Array(text), line: line.number, column: line.column)
        // A line that ends in a backslash goes on.
        if !hasLine {
            add(.staff, scanner.position)
            for sign in KeyAccidental.pipes { add(.key(sign), scanner.position) }
        }
        if let newMeter { add(.time(newMeter), scanner.position) }
        newMeter = nil
        hasLine = text.last == "\\"
        while let next = scanner.peek {
            let position = scanner.position
            if takeBar(&scanner, position) { continue }
            switch next {
            case " ", "\t", "\\", "`", "y", "$":
                if next != "`" { beamed = false }
                scanner.skip()
            case "{": takeGrace(&scanner)
            case "\"": scanner.skip(to: "\"")
            case "!", "+": takeDecoration(scanner.between(next), position)
            case "(": takeTuplet(&scanner)
            case ")", ".", "~", "u", "v", "T", "M", "P", "J", "R", "L": scanner.skip()
            case "-":
                scanner.skip()
                if let pitch = score.music?.notes.last?.pitch { add(.oldTie(pitch), position) }
            case ">", "<": takeBrokenRhythm(next, &scanner)
            case "[" where scanner.peek(2) == ":":
                let field = scanner.between("[", to: "]")
                if let letter = field.first { takeInlineField(letter, field.dropFirst(2), position) }
            default:
                if !takeNote(&scanner, position) {
                    warn(String(next), "is skipped", position)
                    scanner.skip()
                }
            }
        }
        beamed = false
        endTuplet(scanner.position)
    }

    private mutating func takeInlineField(
        _ letter: Character, _ text: Substring, _ position: ScoreProblem.Position
    ) {
        switch letter {
        case "M":
            setMeter(text.trimmed, position)
            if let newMeter { add(.time(newMeter), position) }
            newMeter = nil
        case "L": unit = Self.fraction(text)
        default: break
        }
    }

    /// The signs of bar lines, the longest first.
    private static let bars: [(String, [BWWToken])] = [
        (":|:", [.endBar(.repeat, endsLine: false), .startBar(.repeat)]),
        ("::", [.endBar(.repeat, endsLine: false), .startBar(.repeat)]),
        (":||:", [.endBar(.repeat, endsLine: false), .startBar(.repeat)]),
        ("[|:", [.startBar(.repeat)]), ("||:", [.startBar(.repeat)]), ("|:", [.startBar(.repeat)]),
        (":|]", [.endBar(.repeat, endsLine: false)]), (":||", [.endBar(.repeat, endsLine: false)]),
        (":|", [.endBar(.repeat, endsLine: false)]), ("|]", [.endBar(.heavy, endsLine: false)]),
        ("[|]", [.endBar(.none, endsLine: false)]), ("[|", [.startBar(.heavy)]),
        ("||", [.endBar(.double, endsLine: false)]), ("|", [.endBar(.single, endsLine: false)]),
    ].sorted { $0.0.count > $1.0.count }

    private mutating func takeBar(_ scanner: inout ABCScanner, _ position: ScoreProblem.Position) -> Bool {
        let found = Self.bars.first { scanner.has($0.0) }
        if let (text, tokens) = found {
            scanner.skip(text.count)
            endTuplet(position)
            // A time line ends at a sign that is more than a bar line.
            if score.music?.openTimeLine != nil, tokens != [.endBar(.single, endsLine: false)] {
                add(.timeLineEnd, position)
            }
            for token in tokens { add(token, position) }
            beamed = false
        }
        let isNumbered = found != nil || scanner.peek == "["
        let number = scanner.peek == "[" ? scanner.peek(1) : scanner.peek
        guard isNumbered, let number, number == "1" || number == "2" else { return found != nil }
        scanner.skip(scanner.peek == "[" ? 2 : 1)
        add(.timeLineStart(number == "1" ? .first : .second), position)
        return true
    }

    private mutating func takeGrace(_ scanner: inout ABCScanner) {
        let position = scanner.position
        var inside = ABCScanner(
            text: Array(scanner.between("{", to: "}")), line: scanner.line, column: scanner.column)
        while let next = inside.peek {
            if let pitch = inside.pitch() {
                pendingGrace.append(pitch)
                _ = inside.length()
            } else {
                if !"/ ()-".contains(next) { warn(String(next), "is no gracenote of the pipes", position) }
                inside.skip()
            }
            guard pendingGrace.count <= ScoreLimits.graceNotes + 1 else { break }
        }
    }

    private static let decorations: [Substring: MeasureMark] = [
        "fine": .fine, "segno": .segno, "coda": .coda, "D.C.": .dacapo, "D.S.": .dalsegno,
        "D.C.alfine": .dacapoalfine, "D.C.alcoda": .dacapoalcoda, "dacapo": .dacapo,
    ]
    private var hasFermata = false

    private mutating func takeDecoration(_ name: Substring, _ position: ScoreProblem.Position) {
        if let mark = Self.decorations[name] {
            add(.mark(mark), position)
        } else if name == "fermata" {
            hasFermata = true
        } else if !name.isEmpty {
            warn(name, "is skipped", position)
        }
    }

    /// The notes in whose time a tuplet of 2 to 9 stands, where it does not say so itself.
    private func usualNormal(_ actual: Int) -> Int {
        switch actual {
        case 2, 4, 8: 3
        case 3, 6: 2
        default: meter.map { $0.denominator == 8 && $0.numerator % 3 == 0 } == true ? 3 : 2
        }
    }

    private mutating func takeTuplet(_ scanner: inout ABCScanner) {
        let position = scanner.position
        scanner.skip()
        // Without a number it is a slur.
        guard let actual = scanner.number() else { return }
        var normal: Int?
        var count: Int?
        if scanner.peek == ":" {
            scanner.skip()
            normal = scanner.number()
            if scanner.peek == ":" {
                scanner.skip()
                count = scanner.number()
            }
        }
        let ratio = TupletRatio(actual: actual, normal: normal ?? usualNormal(actual))
        guard TupletRatio.range.contains(ratio.actual), TupletRatio.range.contains(ratio.normal) else {
            return warn("\(actual)", "is no tuplet", position)
        }
        endTuplet(position)
        tuplet = (ratio, min(count ?? actual, ScoreLimits.columns))
        add(.tupletStart(ratio), position)
    }

    private mutating func endTuplet(_ position: ScoreProblem.Position) {
        guard let (ratio, _) = tuplet else { return }
        tuplet = nil
        add(.tupletEnd(ratio), position)
    }

    /// `>` takes half of the time of the note after and gives it to the note before.
    private mutating func takeBrokenRhythm(_ sign: Character, _ scanner: inout ABCScanner) {
        var count = 0
        while scanner.peek == sign {
            count += 1
            scanner.skip()
        }
        guard count <= 2, let last = score.music?.notes.last else { return }
        let power = 1 << count
        let before = sign == ">" ? (2 * power - 1, power) : (1, power)
        broken = sign == ">" ? (1, power) : (2 * power - 1, power)
        let whole = NoteDuration(noteType: last.duration.noteType, dots: last.duration.dots).ticks
        if let duration = NoteDuration(ticks: Ticks(count: whole.count * before.0 / before.1)) {
            score.music?.setLastDuration(duration)
        }
    }

    /// Takes a note or a rest; false where there is none.
    private mutating func takeNote(_ scanner: inout ABCScanner, _ position: ScoreProblem.Position) -> Bool {
        if scanner.peek == "H" {
            hasFermata = true
            scanner.skip()
            return true
        }
        let accidental = scanner.accidental()
        let isRest = scanner.peek == "z" || scanner.peek == "x"
        let letter = scanner.peek
        guard let letter, isRest || letter.isNoteLetter else { return false }
        var pitch: Pitch?
        if isRest {
            scanner.skip()
        } else {
            pitch = scanner.pitch()
            if pitch == nil {
                warn(String(letter), "is no note of the pipes", position)
                scanner.skip()
            }
        }
        let (numerator, denominator) = scanner.length()
        let unit = unit ?? (1, 8)
        var count = Ticks.semibreve.count * unit.numerator * numerator / (unit.denominator * denominator)
        if let broken { count = count * broken.numerator / broken.denominator }
        broken = nil
        guard isRest || pitch != nil else { return true }
        guard let duration = NoteDuration(ticks: Ticks(count: count)) else {
            warn(String(letter), "has a length that cannot be written as one note", position)
            return true
        }
        add(pitch, duration, accidental, beamsOn: scanner.isBeamedOn, position)
        return true
    }

    private mutating func add(
        _ pitch: Pitch?, _ duration: NoteDuration, _ accidental: Accidental?, beamsOn: Bool,
        _ position: ScoreProblem.Position
    ) {
        if let pitch {
            if !pendingGrace.isEmpty {
                let listed = Embellishment(kind: .gracenotes, graceNotes: pendingGrace)
                for token in EmbellishmentTokens.tokens(of: listed) { add(.embellishment(token), position) }
                pendingGrace = []
            }
            if let accidental { add(.accidental(KeyAccidental(pitch: pitch, accidental: accidental)), position) }
            let canBeam = duration.noteType.flagCount > 0
            let beam: Beam = canBeam ? (beamed ? .left : beamsOn ? .right : .alone) : .alone
            beamed = canBeam && beamsOn
            add(.note(pitch, duration.noteType, beam), position)
            if hasFermata { add(.fermata(pitch), position) }
        } else {
            beamed = false
            add(.rest(duration.noteType), position)
        }
        hasFermata = false
        if duration.dots > 0 { add(.dotted(duration.dots), position) }
        if let (ratio, left) = tuplet {
            tuplet = (ratio, left - 1)
            if left <= 1 { endTuplet(position) }
        }
    }
}

extension BWWText.Line {
    /// The place of a character of the line.
    func position(_ offset: Int) -> ScoreProblem.Position { .line(number, column: column + offset) }
}

extension NoteDuration {
    /// The note that takes a time; nil where that needs several.
    init?(ticks: Ticks) {
        for type in NoteType.allCases {
            for dots in 0...2 {
                let duration = NoteDuration(noteType: type, dots: dots)
                if duration.ticks == ticks {
                    self = duration
                    return
                }
            }
        }
        return nil
    }
}
