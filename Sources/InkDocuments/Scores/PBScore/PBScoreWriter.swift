import InkEngine

/// Writes a score as the JSON of `.pbscore`, version 1. What has its default value is left out.
struct PBScoreWriter {
    private var text = JSONText()

    /// The bytes of a file in UTF-8; reading them gives the same score.
    static func bytes(of document: ScoreDocument) -> [UInt8] {
        var writer = PBScoreWriter()
        writer.write(document)
        return writer.text.bytes + [UInt8(ascii: "\n")]
    }

    private mutating func write(_ document: ScoreDocument) {
        text.beginObject()
        text.field("format", "pbscore")
        text.field("version", Double(PBScoreReader.version))
        text.field("id", document.id.description)
        text.key("metadata")
        text.beginObject()
        text.field("title", document.metadata.title)
        write("composer", document.metadata.composer)
        write("arranger", document.metadata.arranger)
        write("copyright", document.metadata.copyright)
        write("created", document.metadata.created)
        write("modified", document.metadata.modified)
        text.endObject()
        write(document.documentLayout)
        array("tunes", document.tunes) { $0.write($1) }
        array("noteGroups", document.noteGroups) { $0.write($1) }
        text.endObject()
    }

    private mutating func write(_ key: String, _ value: String?) {
        if let value { text.field(key, value) }
    }

    private mutating func write<Value: RawRepresentable<String> & Equatable>(
        _ key: String, _ value: Value, unless usual: Value
    ) {
        if value != usual { text.field(key, value.rawValue) }
    }

    private mutating func array<Element>(
        _ key: String, _ elements: [Element], _ write: (inout PBScoreWriter, Element) -> Void
    ) {
        text.key(key)
        text.beginArray()
        for element in elements { write(&self, element) }
        text.endArray()
    }

    private mutating func names<Value: RawRepresentable<String>>(_ key: String, _ values: [Value]) {
        array(key, values) { $0.text.element($1.rawValue) }
    }

    private mutating func write(_ layout: DocumentLayoutSettings) {
        let usual = DocumentLayoutSettings()
        func changed<Value: Equatable>(_ field: KeyPath<DocumentLayoutSettings, Value>) -> Value? {
            layout[keyPath: field] == usual[keyPath: field] ? nil : layout[keyPath: field]
        }
        text.key("documentLayout")
        text.beginObject()
        write("paper", layout.paper, unless: usual.paper)
        write("orientation", layout.orientation, unless: usual.orientation)
        if let margin = changed(\.margin) { text.field("margin", margin) }
        if let staffSpace = changed(\.staffSpace) { text.field("staffSpace", staffSpace) }
        write("keySignature", layout.keySignature, unless: usual.keySignature)
        write("fit", layout.fit, unless: usual.fit)
        if let justifies = changed(\.justifyLastLine) { text.field("justifyLastLine", justifies) }
        if let aligns = changed(\.alignBars) { text.field("alignBars", aligns) }
        if let scale = changed(\.graceScale) { text.field("graceScale", scale) }
        write("graceBeams", layout.graceBeams, unless: usual.graceBeams)
        write("melodyBeams", layout.melodyBeams, unless: usual.melodyBeams)
        if let numbers = changed(\.pageNumbers) { text.field("pageNumbers", numbers) }
        if let labels = changed(\.partLabels) { text.field("partLabels", labels) }
        write("page", layout.page, unless: usual.page)
        write("textFamily", layout.textFamily, unless: usual.textFamily)
        text.endObject()
    }

    private mutating func write(_ tune: Tune) {
        text.beginObject()
        text.field("id", tune.id.description)
        text.key("metadata")
        text.beginObject()
        text.field("title", tune.metadata.title)
        text.field("tuneType", tune.metadata.tuneType.rawValue)
        write("tuneTypeText", tune.metadata.typeText)
        if let tempo = tune.metadata.tempo { text.field("tempo", Double(tempo)) }
        write("composer", tune.metadata.composer)
        write("arranger", tune.metadata.arranger)
        write("footer", tune.metadata.footer)
        if !tune.metadata.alignments.isEmpty {
            text.key("alignment")
            text.beginObject()
            for kind in ScoreText.Kind.allCases { write(kind.rawValue, tune.metadata.alignments[kind]?.rawValue) }
            text.endObject()
        }
        text.endObject()
        if let layout = tune.layoutPreference {
            text.key("tuneLayoutPreference")
            text.beginObject()
            text.field("newPage", layout.newPage)
            if let staffSpace = layout.staffSpace { text.field("staffSpace", staffSpace) }
            text.endObject()
        }
        if let page = tune.filePage {
            text.key("filePage")
            text.beginObject()
            text.field("orientation", page.orientation.rawValue)
            text.field("margins", page.margins.map(Double.init))
            text.endObject()
        }
        array("parts", tune.parts) { $0.write($1) }
        text.endObject()
    }

    private mutating func write(_ part: Part) {
        text.beginObject()
        text.field("partLetter", part.partLetter)
        if let start = part.systems.first?.measures.first?.start { write("start", start, unless: .none) }
        if let end = part.systems.last?.measures.last?.end, end == .heavy || end == .repeat {
            text.field("end", end.rawValue)
        }
        array("systems", part.systems) { $0.write($1) }
        text.endObject()
    }

    private mutating func write(_ system: MusicalSystem) {
        text.beginObject()
        text.field("id", system.id.description)
        names("instruments", system.instruments)
        if system.keySignature != KeyAccidental.pipes {
            array("keySignature", system.keySignature) { writer, sign in
                writer.text.beginObject()
                writer.text.field("pitch", sign.pitch.name)
                writer.text.field("accidental", sign.accidental.rawValue)
                writer.text.endObject()
            }
        }
        if !system.texts.isEmpty {
            array("texts", system.texts) { writer, line in
                writer.text.beginObject()
                writer.text.field("text", line.text)
                writer.text.field("alignment", line.alignment.rawValue)
                writer.text.endObject()
            }
        }
        array("measures", system.measures) { $0.write($1, system.instruments) }
        text.endObject()
    }

    private mutating func write(_ measure: Measure, _ instruments: [InstrumentType]) {
        text.beginObject()
        text.field("id", measure.id.description)
        if let time = measure.timeSignature {
            text.key("timeSignature")
            text.beginObject()
            text.field("numerator", Double(time.numerator))
            text.field("denominator", Double(time.denominator))
            write("symbol", time.symbol, unless: .none)
            text.endObject()
        }
        text.key("notes")
        text.beginObject()
        for instrument in instruments where measure.noteCount(of: instrument) > 0 {
            switch instrument {
            case .bagpipes: array(instrument.rawValue, measure.bagpipes) { $0.write($1) }
            case .bagpipesSeconds: array(instrument.rawValue, measure.bagpipesSeconds) { $0.write($1) }
            case .snareDrum: array(instrument.rawValue, measure.snareDrum) { $0.write($1) }
            }
        }
        text.endObject()
        write("start", measure.start, unless: .none)
        write("barline", measure.end, unless: .single)
        if let mark = measure.marks.first {
            if measure.marks.count == 1 { text.field("mark", mark.rawValue) } else { names("mark", measure.marks) }
        }
        // So that a bar is kept that is too long in its file.
        if measure.isOverfull { text.field("overfull", true) }
        if let trailing = measure.trailing {
            text.key("gracenotesAtEnd")
            write(trailing)
        }
        text.endObject()
    }

    private mutating func write(_ note: PipeNote) {
        text.beginObject()
        text.field("id", note.id.description)
        write(note.duration)
        if let pitch = note.pitch {
            text.key("pitch")
            text.beginObject()
            text.field("pitchClass", pitch.pitchClass)
            text.field("octave", Double(pitch.octave))
            text.endObject()
        } else {
            text.field("rest", true)
        }
        write("accidental", note.accidental?.rawValue)
        if let embellishment = note.embellishment {
            text.key("embellishment")
            write(embellishment)
        }
        writeRest(note.articulation, note.noteGroups, note.beam)
    }

    private mutating func write(_ note: SnareDrumNote) {
        text.beginObject()
        text.field("id", note.id.description)
        write(note.duration)
        if note.isRest { text.field("rest", true) } else { text.field("hand", note.hand.rawValue) }
        write("stickTechnique", note.stickTechnique, unless: .tap)
        write("stickHeight", note.stickHeight?.rawValue)
        if let ornament = note.ornament {
            text.key("embellishment")
            text.beginObject()
            text.field("kind", ornament.rawValue)
            text.endObject()
        }
        writeRest(note.articulation, note.noteGroups, note.beam)
    }

    private mutating func write(_ duration: NoteDuration) {
        text.field("noteType", duration.noteType.rawValue)
        text.field("durationAdjustment", duration.adjustment)
    }

    private mutating func writeRest(_ articulation: [Articulation], _ groups: [ScoreID], _ beam: Beam?) {
        if !articulation.isEmpty { names("articulation", articulation) }
        if !groups.isEmpty { array("noteGroups", groups) { $0.text.element($1.description) } }
        write("beam", beam?.rawValue)
        text.endObject()
    }

    private mutating func write(_ embellishment: Embellishment) {
        text.beginObject()
        text.field("kind", embellishment.kind.rawValue)
        write("variant", embellishment.variant, unless: .auto)
        if embellishment.isListed { array("notes", embellishment.graceNotes) { $0.text.element($1.name) } }
        text.endObject()
    }

    private mutating func write(_ group: NoteGroup) {
        text.beginObject()
        text.field("id", group.id.description)
        switch group.kind {
        case .tie: text.field("kind", "tie")
        case .unison: text.field("kind", "unison")
        case .roll: text.field("kind", "roll")
        case .tuplet(let ratio):
            text.field("kind", "tuplet")
            text.field("actual", Double(ratio.actual))
            text.field("normal", Double(ratio.normal))
        case .timeLine(let label):
            text.field("kind", "timeLine")
            text.field("label", label.rawValue)
        case .hairpin(let hairpin):
            text.field("kind", "hairpin")
            text.field("opens", hairpin.rawValue)
        }
        array("members", group.members) { $0.text.element($1.description) }
        text.endObject()
    }
}
