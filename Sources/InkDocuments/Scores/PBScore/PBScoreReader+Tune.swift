import InkEngine

/// Tunes, parts, lines and bars.
extension PBScoreReader {
    mutating func readTune(_ object: JSONObject) throws(EngineError) -> Tune {
        warnUnknown(object, ["id", "metadata", "tuneLayoutPreference", "filePage", "parts"])
        var tune = Tune(id: try idOrNew(object))
        guard let metadata = try object.object("metadata") else { throw object.error("metadata", "is missing") }
        tune.metadata = try readTuneMetadata(metadata)
        if let layout = try object.object("tuneLayoutPreference") {
            warnUnknown(layout, ["newPage", "staffSpace"])
            tune.layoutPreference = TuneLayoutPreference(
                newPage: try layout.bool("newPage") ?? false,
                staffSpace: try number(layout, "staffSpace", 0.5...10))
        }
        if let page = try object.object("filePage") {
            guard let margins = try page.numbers("margins", count: 4) else { throw page.error("margins", "is missing") }
            tune.filePage = FilePage(
                orientation: try page.named("orientation") ?? .portrait,
                margins: margins.map { Int(max(min($0, 20_000), 0)) })
        }
        var context = TuneContext()
        for part in try objects(object, "parts") {
            tune.parts.append(try readPart(part, tune.parts.count, &context))
            guard context.systemCount <= ScoreLimits.systems else {
                throw overLimit(part, "systems", "the number of lines", context.systemCount, ScoreLimits.systems)
            }
        }
        guard context.systemCount > 0 else { throw object.error("parts", "has no line of music") }
        return tune
    }

    /// What reading a bar has to know of the bars before.
    struct TuneContext {
        var systemCount = 0
        /// The note before the next one of each instrument; nil after a rest.
        var previous: [InstrumentType: Pitch] = [:]
        var time: TimeSignature?
        /// What the bar line before says about the start of the next bar.
        var start: StartBarline = .none
    }

    private mutating func readTuneMetadata(_ object: JSONObject) throws(EngineError) -> TuneMetadata {
        warnUnknown(
            object,
            ["title", "tuneType", "tuneTypeText", "tempo", "composer", "arranger", "footer", "alignment"])
        var metadata = TuneMetadata()
        metadata.title = try text(object, "title") ?? ""
        guard !metadata.title.trimmedOfSpace.isEmpty else {
            throw fault(.title, object, "title", "must not be empty")
        }
        metadata.tuneType = try object.named("tuneType") ?? .other
        metadata.typeText = try text(object, "tuneTypeText")
        metadata.tempo = try integer(object, "tempo", 1...999)
        metadata.composer = try text(object, "composer")
        metadata.arranger = try text(object, "arranger")
        metadata.footer = try text(object, "footer")
        if let alignment = try object.object("alignment") {
            warnUnknown(alignment, ["title", "type", "composer", "arranger", "footer"])
            func set(_ kind: ScoreText.Kind, _ key: StaticString) throws(EngineError) {
                if let found: ScoreText.Alignment = try alignment.named(key),
                    found != ScoreText.usualAlignment(of: kind)
                {
                    metadata.alignments[kind] = found
                }
            }
            try set(.title, "title")
            try set(.type, "type")
            try set(.composer, "composer")
            try set(.arranger, "arranger")
            try set(.footer, "footer")
        }
        return metadata
    }

    /// The objects of an array; none where it is absent.
    func objects(_ object: JSONObject, _ key: StaticString) throws(EngineError) -> [JSONObject] {
        guard let array = try object.array(key) else { return [] }
        var objects: [JSONObject] = []
        for (index, node) in array.elements.enumerated() {
            objects.append(try JSONObject(node, path: .element(object.path(key), index), file: name))
        }
        return objects
    }

    private mutating func readPart(
        _ object: JSONObject, _ index: Int, _ context: inout TuneContext
    ) throws(EngineError) -> Part {
        warnUnknown(object, ["partLetter", "start", "end", "systems"])
        var part = Part(partLetter: try text(object, "partLetter") ?? Part.letter(index))
        for system in try objects(object, "systems") {
            context.systemCount += 1
            // The limit is checked before the next line is read.
            guard context.systemCount <= ScoreLimits.systems else { break }
            part.systems.append(try readSystem(system, &context))
        }
        if let start: StartBarline = try object.named("start"), start != .none, !part.systems.isEmpty {
            part.systems[0].measures[0].start = start
        }
        let end: StartBarline? = try object.named("end")
        if let last = part.systems.indices.last, let bar = part.systems[last].measures.indices.last {
            switch end {
            case .heavy: part.systems[last].measures[bar].end = .heavy
            case .repeat: part.systems[last].measures[bar].end = .repeat
            case StartBarline.none?, nil: break
            }
        }
        return part
    }

    private mutating func readSystem(
        _ object: JSONObject, _ context: inout TuneContext
    ) throws(EngineError) -> MusicalSystem {
        warnUnknown(object, ["id", "instruments", "keySignature", "texts", "measures"])
        var system = MusicalSystem(id: try idOrNew(object), keySignature: KeyAccidental.pipes)
        if let instruments: [InstrumentType] = try names(object, "instruments") {
            guard !instruments.isEmpty, Set(instruments).count == instruments.count else {
                throw object.error("instruments", "must name one or more instruments, each once")
            }
            system.instruments = instruments
        }
        if object.value.field("keySignature") != nil {
            system.keySignature = []
            for sign in try objects(object, "keySignature") {
                guard let accidental: Accidental = try sign.named("accidental"), let pitch = try pitch(sign) else {
                    throw object.error("keySignature", "must have a pitch and an accidental for each sign")
                }
                system.keySignature.append(KeyAccidental(pitch: pitch, accidental: accidental))
            }
        }
        for line in try objects(object, "texts") {
            guard let text = try text(line, "text") else { throw line.error("text", "is missing") }
            system.texts.append(
                ScoreText(kind: .inline, text: text, alignment: try line.named("alignment") ?? .left))
        }
        for measure in try objects(object, "measures") {
            try readMeasure(measure, of: &system, &context)
        }
        guard !system.measures.isEmpty else { throw object.error("measures", "must have one bar or more") }
        for instrument in system.instruments {
            let count = system.measures.reduce(system.measures.count) { $0 + $1.noteCount(of: instrument) }
            guard count <= ScoreLimits.columns else {
                throw overLimit(
                    object, "measures", "the number of notes and bars in a line", count, ScoreLimits.columns)
            }
        }
        return system
    }

    /// Values of an array by their names; nil where it is absent.
    func names<Value: RawRepresentable<String> & CaseIterable>(
        _ object: JSONObject, _ key: StaticString
    ) throws(EngineError) -> [Value]? {
        guard let array = try object.array(key) else { return nil }
        var values: [Value] = []
        for node in array.elements {
            guard let name = node.string, let value = Value(rawValue: name) else {
                throw object.error(
                    key, "must be an array of \(Value.allCases.map(\.rawValue).joined(separator: ", "))")
            }
            values.append(value)
        }
        return values
    }

    private mutating func readMeasure(
        _ object: JSONObject, of system: inout MusicalSystem, _ context: inout TuneContext
    ) throws(EngineError) {
        warnUnknown(
            object, ["id", "timeSignature", "notes", "start", "barline", "mark", "overfull", "gracenotesAtEnd"])
        if let time = try object.object("timeSignature") { context.time = try readTime(time) }
        var measure = Measure(id: try idOrNew(object), timeSignature: context.time)
        measure.start = try object.named("start") ?? context.start
        context.start = .none
        if let barline: WrittenBarline = try object.named("barline") {
            measure.end = barline.end
            // A repeat that begins here begins the next bar.
            context.start = barline.start
        }
        if object.value.field("mark")?.kind == .array {
            measure.marks = try names(object, "mark") ?? []
        } else if let mark: MeasureMark = try object.named("mark") {
            measure.marks = [mark]
        }
        let mayBeOverfull = try object.bool("overfull") ?? false
        if let notes = try object.object("notes") {
            warnUnknown(notes, ["bagpipes", "bagpipesSeconds", "snareDrum"])
            let voices: [(InstrumentType, StaticString)] = [
                (.bagpipes, "bagpipes"), (.bagpipesSeconds, "bagpipesSeconds"), (.snareDrum, "snareDrum"),
            ]
            for (instrument, key) in voices {
                let length = try readVoice(instrument, key, notes, system, &measure, &context)
                guard let time = measure.timeSignature, length > time.ticks else { continue }
                let reason = "the notes are longer than the bar of \(time.numerator)/\(time.denominator)"
                guard mayBeOverfull else { throw fault(.measureOverfull, notes, key, reason) }
                problems.add(.barLength, tune: tune, at: object.path.text.map { .path($0) }, "", reason)
            }
        }
        if let end = try object.object("gracenotesAtEnd") {
            measure.trailing = try readEmbellishment(end, on: nil, after: context.previous[.bagpipes])
        }
        system.measures.append(measure)
    }

    private func readTime(_ object: JSONObject) throws(EngineError) -> TimeSignature {
        let range = TimeSignature.numerators
        guard let numerator = try integer(object, "numerator", range) else {
            throw object.error("numerator", "is missing")
        }
        guard let denominator = try integer(object, "denominator", 1...16) else {
            throw object.error("denominator", "is missing")
        }
        guard [1, 2, 4, 8, 16].contains(denominator) else {
            throw object.error("denominator", "must be 1, 2, 4, 8 or 16")
        }
        return TimeSignature(
            numerator: numerator, denominator: denominator, symbol: try object.named("symbol") ?? .none)
    }

    /// Reads the notes of an instrument, and gives the time that they take.
    private mutating func readVoice(
        _ instrument: InstrumentType, _ key: StaticString, _ notes: JSONObject, _ system: MusicalSystem,
        _ measure: inout Measure, _ context: inout TuneContext
    ) throws(EngineError) -> Ticks {
        guard let array = try notes.array(key) else { return .zero }
        guard system.instruments.contains(instrument) || array.count == 0 else {
            throw notes.error(key, "is not among the instruments of the line")
        }
        guard array.count <= ScoreLimits.columns else {
            throw overLimit(notes, key, "the number of notes in a line", array.count, ScoreLimits.columns)
        }
        var length = Ticks.zero
        for (index, node) in array.elements.enumerated() {
            let object = try JSONObject(node, path: .element(notes.path(key), index), file: name)
            if instrument == .snareDrum {
                let note = try readSnareNote(object)
                length += note.duration.ticks
                measure.snareDrum.append(note)
            } else {
                let note = try readPipeNote(object, after: context.previous[instrument])
                length += note.duration.ticks
                context.previous[instrument] = note.pitch
                if instrument == .bagpipes {
                    measure.bagpipes.append(note)
                } else {
                    measure.bagpipesSeconds.append(note)
                }
            }
        }
        return length
    }
}

/// The bar line after a bar as the file writes it: where two signs meet, both.
enum WrittenBarline: String, CaseIterable {
    case single, double, heavy, `repeat`, repeatEnd, repeatStart, repeatBoth, none

    fileprivate var end: EndBarline {
        switch self {
        case .single: .single
        case .double: .double
        case .heavy: .heavy
        case .repeat, .repeatEnd, .repeatBoth: .repeat
        case .repeatStart, .none: .none
        }
    }

    fileprivate var start: StartBarline { self == .repeatStart || self == .repeatBoth ? .repeat : .none }
}

extension Measure {
    func noteCount(of instrument: InstrumentType) -> Int {
        switch instrument {
        case .bagpipes: bagpipes.count
        case .bagpipesSeconds: bagpipesSeconds.count
        case .snareDrum: snareDrum.count
        }
    }
}

extension String {
    /// Without white space at both ends.
    var trimmedOfSpace: Substring { self[...].trimmed }
}
