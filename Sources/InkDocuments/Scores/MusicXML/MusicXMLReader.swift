import InkCodecs
import InkEngine

/// Reads pipe music from MusicXML: the first voice of the first part, as MuseScore writes it.
///
/// The music goes through the words of BWW, which have the same notes, groups and bar lines. What is not understood is
/// left out, with a warning that names its bar.
struct MusicXMLReader {
    /// Bars of a line where the file says nothing about lines.
    private static let barsOfALine = 4

    private var score = BWWReader()
    private var position = ScoreProblem.Position.path("the score")
    private var key = KeyAccidental.pipes
    private var pendingGrace: [Pitch] = []
    private var openTuplet: TupletRatio?

    /// Whether a text is a score of MusicXML.
    static func recognizes(_ bytes: [UInt8]) -> Bool { bytes.holds("<score-partwise") }

    static func read(_ bytes: [UInt8], name: String) throws(EngineError) -> ScoreReading {
        let place = Place(file: name)
        guard bytes.count <= ScoreLimits.fileBytes else {
            throw .overLimit(
                place, what: "the size of the score (E_LIMIT)", found: "\(bytes.count) bytes",
                limit: "\(ScoreLimits.fileBytes)")
        }
        let root = try XMLNode.read(bytes, "the score", place: place)
        let parts = root.name == "score-partwise" ? root.children("part") : []
        guard let part = parts.first else {
            throw .badInput(place, reason: "is no score of MusicXML with parts (score-partwise)")
        }
        var reader = MusicXMLReader()
        reader.readHead(root)
        if parts.count > 1 { reader.warn("only the first of \(parts.count) parts is read") }
        reader.read(part)
        let reading = reader.score.finish()
        guard !reading.document.tunes.isEmpty else { throw .badInput(place, reason: "has no bars of music") }
        return reading
    }

    private mutating func warn(_ reason: String) {
        score.problems.add(.unknownToken, tune: 0, at: position, "", reason)
    }

    private mutating func add(_ token: BWWToken) { score.take(token, "", at: position) }

    private mutating func readHead(_ root: XMLNode) {
        let line = BWWText.Line(number: 1, column: 1, text: "")
        func head(_ kind: ScoreText.Kind, _ text: String?) {
            guard let text = text?.trimmedOfSpace, !text.isEmpty else { return }
            score.take(
                ScoreText(kind: kind, text: String(text), alignment: ScoreText.usualAlignment(of: kind)), at: line)
        }
        head(.title, root.child("work")?.child("work-title")?.text ?? root.child("movement-title")?.text)
        for creator in root.child("identification")?.children("creator") ?? []
        where creator.attributes["type"] == "composer" {
            head(.composer, creator.text)
        }
    }

    // MARK: Bars

    private mutating func read(_ part: XMLNode) {
        let measures = part.children("measure")
        let saysLines = measures.contains { Self.beginsLine($0) }
        for (index, measure) in measures.enumerated() {
            position = .path("bar \(measure.attributes["number"] ?? "\(index + 1)")")
            let beginsLine = saysLines ? Self.beginsLine(measure) : index % Self.barsOfALine == 0
            let attributes = measure.children("attributes")
            for sign in attributes.compactMap({ $0.child("key") }) { readKey(sign) }
            if beginsLine || index == 0 {
                add(.staff)
                for sign in key { add(.key(sign)) }
            }
            for time in attributes.compactMap({ $0.child("time") }) { readTime(time) }
            let bars = measure.children("barline")
            let left = bars.first { $0.attributes["location"] == "left" }
            let right = bars.first { $0.attributes["location"] ?? "right" == "right" }
            if let left {
                if left.child("repeat")?.attributes["direction"] == "forward" {
                    add(.startBar(.repeat))
                } else if left.child("bar-style")?.text.hasPrefix("heavy") == true {
                    add(.startBar(.heavy))
                }
            }
            readEnding(left)
            readMusic(measure)
            endTuplet()
            readEnding(right)
            add(.endBar(Self.end(right), endsLine: false))
        }
    }

    private static func beginsLine(_ measure: XMLNode) -> Bool {
        measure.children("print").contains {
            $0.attributes["new-system"] == "yes" || $0.attributes["new-page"] == "yes"
        }
    }

    private static func end(_ barline: XMLNode?) -> EndBarline {
        guard let barline else { return .single }
        if barline.child("repeat")?.attributes["direction"] == "backward" { return .repeat }
        return switch barline.child("bar-style")?.text {
        case "light-heavy", "heavy", "heavy-heavy", "heavy-light": .heavy
        case "light-light": .double
        case "none": .none
        default: .single
        }
    }

    private mutating func readEnding(_ barline: XMLNode?) {
        guard let ending = barline?.child("ending") else { return }
        if ending.attributes["type"] == "start" {
            add(.timeLineStart(ending.attributes["number"]?.hasPrefix("1") == true ? .first : .second))
        } else {
            add(.timeLineEnd)
        }
    }

    /// The sharps of a key; the pipes have two.
    private mutating func readKey(_ node: XMLNode) {
        let sharps = node.child("fifths").flatMap { Int($0.text.trimmedOfSpace) } ?? 2
        // Files of other programs leave the signs out, as pipers do.
        key = sharps == 0 ? [] : sharps == 1 ? [KeyAccidental.pipes[0]] : KeyAccidental.pipes
        if !(0...2).contains(sharps) { warn("a key of \(sharps) fifths is drawn as that of the pipes") }
    }

    private mutating func readTime(_ node: XMLNode) {
        let beats = node.child("beats").flatMap { Int($0.text.trimmedOfSpace) } ?? 0
        let type = node.child("beat-type").flatMap { Int($0.text.trimmedOfSpace) } ?? 0
        guard TimeSignature.numerators.contains(beats), [1, 2, 4, 8, 16].contains(type) else {
            return warn("a time signature that pipes do not have is left out")
        }
        let symbol = node.attributes["symbol"].flatMap { TimeSignature.Symbol(rawValue: $0) } ?? .none
        add(.time(TimeSignature(numerator: beats, denominator: type, symbol: symbol)))
    }

    // MARK: Notes

    private mutating func readMusic(_ measure: XMLNode) {
        let voice = measure.children("note").first?.child("voice")?.text
        for node in measure.children {
            switch node.name {
            case "note":
                if node.child("voice")?.text ?? voice == voice {
                    readNote(node)
                } else {
                    warn("the notes of another voice are left out")
                }
            case "direction":
                for words in node.children("direction-type") { readDirection(words) }
            default: break
            }
        }
    }

    private mutating func readDirection(_ node: XMLNode) {
        if node.child("segno") != nil { add(.mark(.segno)) }
        if node.child("coda") != nil { add(.mark(.coda)) }
        guard let words = node.child("words")?.text.lowercased() else { return }
        let marks: [(String, MeasureMark)] = [
            ("d.c. al fine", .dacapoalfine), ("d.c. al coda", .dacapoalcoda), ("d.c.", .dacapo),
            ("d.s.", .dalsegno), ("fine", .fine),
        ]
        if let mark = marks.first(where: { words.contains($0.0) }) { add(.mark(mark.1)) }
    }

    private static let types: [String: NoteType] = [
        "whole": .semibreve, "half": .minim, "quarter": .crotchet, "eighth": .quaver, "16th": .semiquaver,
        "32nd": .demisemiquaver,
    ]

    private mutating func readNote(_ node: XMLNode) {
        guard node.child("chord") == nil else { return warn("a note of a chord is left out") }
        var pitch: Pitch?
        if let place = node.child("pitch") {
            pitch = Self.pitch(place)
            guard pitch != nil else { return warn("a note that the pipes do not have is left out") }
        }
        if node.child("grace") != nil {
            if let pitch, pendingGrace.count <= ScoreLimits.graceNotes { pendingGrace.append(pitch) }
            return
        }
        let isWholeBar = node.child("rest")?.attributes["measure"] == "yes"
        let type = node.child("type").flatMap { Self.types[String($0.text.trimmedOfSpace)] }
        guard let type = type ?? (isWholeBar ? .semibreve : nil) else {
            return warn("a note without a type that can be drawn is left out")
        }
        let notations = node.children("notations")
        beginTuplet(node.child("time-modification"), notations)
        if let pitch {
            addGraces()
            if let name = node.child("accidental")?.text, let sign = Accidental(rawValue: name) {
                add(.accidental(KeyAccidental(pitch: pitch, accidental: sign)))
            }
            add(.note(pitch, type, beam(of: node)))
            if notations.contains(where: { $0.child("fermata") != nil }) { add(.fermata(pitch)) }
        } else {
            add(.rest(type))
        }
        let dots = node.children("dot").count
        if dots > 2 { warn("a note has more than two dots") }
        if dots > 0 { add(.dotted(min(dots, 2))) }
        if let pitch, node.children("tie").contains(where: { $0.attributes["type"] == "start" }) {
            add(.oldTie(pitch))
        }
        let ends = notations.flatMap { $0.children("tuplet") }.contains { $0.attributes["type"] == "stop" }
        if ends { endTuplet() }
    }

    /// The note of a step and an octave: G4 to A5.
    private static func pitch(_ node: XMLNode) -> Pitch? {
        guard let step = node.child("step")?.text.lowercased(),
            let octave = node.child("octave").flatMap({ Int($0.text.trimmedOfSpace) })
        else { return nil }
        // Octaves of other music begin at C.
        switch (step, octave) {
        case ("g", 4), ("a", 4), ("b", 4): return Pitch(pitchClass: step, octave: 4)
        case ("c", 5), ("d", 5), ("e", 5), ("f", 5), ("g", 5), ("a", 5): return Pitch(pitchClass: step, octave: 5)
        default: return nil
        }
    }

    private mutating func addGraces() {
        guard !pendingGrace.isEmpty else { return }
        let listed = Embellishment(kind: .gracenotes, graceNotes: pendingGrace)
        for token in EmbellishmentTokens.tokens(of: listed) { add(.embellishment(token)) }
        pendingGrace = []
    }

    private func beam(of node: XMLNode) -> Beam {
        let first = node.children("beam").first { $0.attributes["number"] ?? "1" == "1" }
        return switch first?.text {
        case "begin": .right
        case "continue", "end": .left
        default: .alone
        }
    }

    private mutating func beginTuplet(_ node: XMLNode?, _ notations: [XMLNode]) {
        let starts = notations.flatMap { $0.children("tuplet") }.contains { $0.attributes["type"] == "start" }
        guard let node else { return endTuplet() }
        guard starts || openTuplet == nil else { return }
        endTuplet()
        let actual = node.child("actual-notes").flatMap { Int($0.text.trimmedOfSpace) } ?? 0
        let normal = node.child("normal-notes").flatMap { Int($0.text.trimmedOfSpace) } ?? 0
        guard TupletRatio.range.contains(actual), TupletRatio.range.contains(normal) else {
            return warn("a tuplet that cannot be drawn is left out")
        }
        let ratio = TupletRatio(actual: actual, normal: normal)
        openTuplet = ratio
        add(.tupletStart(ratio))
    }

    private mutating func endTuplet() {
        guard let ratio = openTuplet else { return }
        openTuplet = nil
        add(.tupletEnd(ratio))
    }
}
