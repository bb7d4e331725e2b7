/// Writes a score as BWW, in UTF-8.
struct BWWWriter {
    private var lines: [String] = []
    /// What the format cannot say, each once.
    private var losses: [String] = []
    /// The groups by the notes that they begin and end at.
    private var starts: [ScoreID: [NoteGroup]] = [:]
    private var ends: [ScoreID: [NoteGroup]] = [:]
    private var time: TimeSignature?

    /// The text of a file, and what of the score it does not hold.
    static func text(of document: ScoreDocument) -> (text: String, losses: [String]) {
        var writer = BWWWriter()
        for group in joinedTies(document.noteGroups) {
            guard let first = group.members.first, let last = group.members.last else { continue }
            guard writer.canWrite(group) else { continue }
            writer.starts[first, default: []].append(group)
            writer.ends[last, default: []].append(group)
        }
        writer.lines.append("Bagpipe Reader:1.0")
        for tune in document.tunes { writer.write(tune) }
        return (writer.lines.joined(separator: "\n") + "\n", writer.losses)
    }

    private mutating func lose(_ what: String) {
        if !losses.contains(what) { losses.append(what) }
    }

    private mutating func canWrite(_ group: NoteGroup) -> Bool {
        switch group.kind {
        case .tie, .timeLine: return true
        case .tuplet(let ratio):
            if BWWToken.tuplets.contains(where: { $0.ratio == ratio }) { return true }
            lose("tuplets of \(ratio.actual) in the time of \(ratio.normal)")
        case .unison, .roll, .hairpin: lose("the line of the drums")
        }
        return false
    }

    /// A tie from note to note over several is one group in the file.
    private static func joinedTies(_ groups: [NoteGroup]) -> [NoteGroup] {
        var joined: [NoteGroup] = []
        var tieEnding: [ScoreID: Int] = [:]
        for group in groups {
            guard group.kind == .tie, let first = group.members.first, let last = group.members.last else {
                joined.append(group)
                continue
            }
            if let before = tieEnding[first] {
                joined[before].members += group.members.dropFirst()
                tieEnding[last] = before
            } else {
                tieEnding[last] = joined.count
                joined.append(group)
            }
        }
        return joined
    }

    // MARK: The head

    private mutating func write(_ tune: Tune) {
        let metadata = tune.metadata
        if let page = tune.filePage {
            let margins = page.margins.map(String.init).joined(separator: ",")
            lines.append("TuneFormat,(1,0,M,L,\(margins),\(page.orientation == .landscape ? "L" : "P"),0,0)")
        }
        if let tempo = metadata.tempo { lines.append("TuneTempo,\(tempo)") }
        // Where the type stands in place of a title, it was written as a type.
        let isTitledByType = metadata.typeText == ""
        write(isTitledByType ? "" : metadata.title, .title, metadata)
        let type = isTitledByType ? metadata.title : metadata.typeText ?? metadata.tuneType.text
        if !type.isEmpty { write(type, .type, metadata) }
        let composers = [metadata.composer ?? (metadata.arranger == nil ? nil : ""), metadata.arranger]
        for composer in composers.compactMap({ $0 }) { write(composer, .composer, metadata) }
        if let footer = metadata.footer { write(footer, .footer, metadata) }
        lines.append("")
        time = nil
        for system in tune.systems { write(system) }
        lines.append("")
    }

    private mutating func write(_ text: String, _ kind: ScoreText.Kind, _ metadata: TuneMetadata) {
        write(
            ScoreText(
                kind: kind, text: text, alignment: metadata.alignments[kind] ?? ScoreText.usualAlignment(of: kind)))
    }

    private mutating func write(_ text: ScoreText) {
        let letter =
            switch text.kind {
            case .title: "T"
            case .type: "Y"
            case .composer, .arranger: "M"
            case .footer: "F"
            case .inline: "I"
            }
        let alignment = text.alignment == .left ? "L" : text.alignment == .center ? "C" : "R"
        let font = text.kind == .title ? "16,700" : text.kind == .inline || text.kind == .footer ? "10,400" : "14,400"
        let line = text.text.split(whereSeparator: \.isNewline).joined(separator: " ")
        lines.append("\"\(line)\",(\(letter),\(alignment),0,0,Times New Roman,\(font),0,0,18,0,0,0)")
    }

    // MARK: Lines and bars

    private mutating func write(_ system: MusicalSystem) {
        for text in system.texts { write(text) }
        if system.instruments != [.bagpipes] { lose("the lines of seconds and drums") }
        var words = ["&"] + system.keySignature.map { $0.accidental.rawValue + $0.pitch.suffix }
        for (index, measure) in system.measures.enumerated() {
            if let signature = measure.timeSignature, signature != time {
                words.append(signature.bwwName)
                time = signature
            }
            switch measure.start {
            case .none: break
            case .heavy: words.append("I!")
            case .repeat: words.append("I!''")
            }
            for (place, note) in measure.bagpipes.enumerated() {
                if index == 0, place == 0, note.accidental != nil { lose("a sign before the first note of a line") }
                words += self.words(of: note)
            }
            words += measure.marks.map(\.rawValue)
            let next = index + 1 < system.measures.count ? system.measures[index + 1] : nil
            if let trailing = measure.trailing {
                if next == nil {
                    words += EmbellishmentTokens.tokens(of: trailing)
                } else {
                    lose("gracenotes before a bar line within a line")
                }
            }
            if let word = barline(measure.end, before: next) { words.append(word) }
        }
        lines.append(words.joined(separator: " "))
    }

    private mutating func barline(_ end: EndBarline, before next: Measure?) -> String? {
        switch end {
        case .heavy: return "!I"
        case .repeat: return "''!I"
        case .double:
            if next == nil { return "!!t" }
            lose("double bar lines within a line")
            return "!"
        case .single: return next == nil ? "!t" : "!"
        case .none:
            guard let next else { return nil }
            // The start of the next bar parts the two.
            if next.start != .none { return nil }
            lose("bars without a bar line between them")
            return "!"
        }
    }

    // MARK: Notes

    private mutating func words(of note: PipeNote) -> [String] {
        var words: [String] = []
        for group in starts[note.id] ?? [] {
            switch group.kind {
            case .tie: words.append("^ts")
            case .tuplet(let ratio): words += name(of: ratio).map { ["^\($0)s"] } ?? []
            case .timeLine(let label): words.append("'" + label.bwwName)
            case .unison, .roll, .hairpin: break
            }
        }
        if let embellishment = note.embellishment { words += EmbellishmentTokens.tokens(of: embellishment) }
        let type = note.duration.noteType
        if let pitch = note.pitch {
            if let accidental = note.accidental { words.append(accidental.rawValue + pitch.suffix) }
            let side = note.beam == .left ? "l" : note.beam == .right ? "r" : ""
            words.append("\(pitch.name)\(side)_\(type.denominator)")
            if note.duration.dots > 0 {
                words.append(String(repeating: "'", count: note.duration.dots) + pitch.suffix)
            }
            if note.articulation.contains(.fermata) { words.append("fermat" + pitch.suffix) }
            if note.articulation.contains(.accent) { lose("accents") }
        } else {
            // Rests have no dots.
            for dot in 0...note.duration.dots where type.denominator << dot <= 32 {
                words.append("REST_\(type.denominator << dot)")
            }
        }
        // The last to begin ends first.
        for group in (ends[note.id] ?? []).reversed() {
            switch group.kind {
            case .tie: words.append("^te")
            case .tuplet(let ratio): words += name(of: ratio).map { ["^\($0)e"] } ?? []
            case .timeLine: words.append("_'")
            case .unison, .roll, .hairpin: break
            }
        }
        return words
    }

    private func name(of ratio: TupletRatio) -> String? { BWWToken.tuplets.first { $0.ratio == ratio }?.name }
}

extension TimeSignature {
    /// The token of BWW: `6_8`, or `C` and `C_`.
    fileprivate var bwwName: String {
        switch symbol {
        case .common where numerator == 4 && denominator == 4: "C"
        case .cut where numerator == 2 && denominator == 2: "C_"
        default: "\(numerator)_\(denominator)"
        }
    }
}
