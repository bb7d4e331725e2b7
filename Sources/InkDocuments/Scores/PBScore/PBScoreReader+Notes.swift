import InkEngine

/// Notes and what belongs to them.
extension PBScoreReader {
    mutating func readPipeNote(_ object: JSONObject, after previous: Pitch?) throws(EngineError) -> PipeNote {
        for key in ["hand", "stickTechnique", "stickHeight"] as [StaticString] where object.value.field(key) != nil {
            throw fault(.noteType, object, key, "belongs to a drum, not to a pipe")
        }
        warnUnknown(
            object,
            [
                "id", "noteType", "durationAdjustment", "pitch", "rest", "accidental", "embellishment",
                "articulation", "noteGroups", "beam",
            ])
        let id = try idOrNew(object)
        let groups = try readGroupIDs(object, of: id)
        var note = PipeNote(id: id, duration: try readDuration(object, groups, of: id))
        if try object.bool("rest") != true {
            guard let pitch = try pitch(object) else {
                throw fault(.pitch, object, "pitch", "is missing; a rest has \"rest\": true")
            }
            note.pitch = pitch
            note.accidental = try object.named("accidental")
        } else if object.value.field("pitch") != nil {
            throw fault(.pitch, object, "pitch", "does not belong to a rest")
        }
        note.articulation = try names(object, "articulation") ?? []
        note.beam = try object.named("beam")
        if let embellishment = try object.object("embellishment") {
            guard let pitch = note.pitch else {
                throw fault(.embellishmentTarget, object, "embellishment", "does not belong to a rest")
            }
            note.embellishment = try readEmbellishment(embellishment, on: pitch, after: previous)
        }
        return note
    }

    mutating func readSnareNote(_ object: JSONObject) throws(EngineError) -> SnareDrumNote {
        if object.value.field("pitch") != nil {
            throw fault(.noteType, object, "pitch", "belongs to a pipe, not to a drum")
        }
        warnUnknown(
            object,
            [
                "id", "noteType", "durationAdjustment", "rest", "hand", "stickTechnique", "stickHeight",
                "embellishment", "articulation", "noteGroups", "beam",
            ])
        let id = try idOrNew(object)
        let groups = try readGroupIDs(object, of: id)
        var note = SnareDrumNote(id: id, duration: try readDuration(object, groups, of: id))
        note.isRest = try object.bool("rest") ?? false
        if !note.isRest {
            guard let hand: SnareDrumNote.Hand = try object.named("hand") else {
                throw object.error("hand", "is missing")
            }
            note.hand = hand
        }
        note.stickTechnique = try object.named("stickTechnique") ?? .tap
        note.stickHeight = try object.named("stickHeight")
        if let embellishment = try object.object("embellishment") {
            warnUnknown(embellishment, ["kind"])
            note.ornament = try embellishment.named("kind")
        }
        note.articulation = try names(object, "articulation") ?? []
        note.beam = try object.named("beam")
        return note
    }

    /// `{"pitchClass": "d", "octave": 4}` or `"D"`; nil where it is absent.
    mutating func pitch(_ object: JSONObject) throws(EngineError) -> Pitch? {
        guard let node = object.value.field("pitch") else { return nil }
        if let name = node.string {
            guard let pitch = Pitch(name: name) else {
                throw fault(
                    .pitch, object, "pitch",
                    "\"\(shownText(name))\" must be one of \(Pitch.allCases.map(\.name).joined(separator: ", "))")
            }
            return pitch
        }
        guard let value = try object.object("pitch") else { return nil }
        guard let name = try value.string("pitchClass"), let octave = try value.number("octave"),
            let pitch = Int(exactly: octave).flatMap({ Pitch(pitchClass: name, octave: $0) })
        else {
            throw fault(
                .pitch, object, "pitch", "must have a pitchClass from a to g and the octave 4 or 5 of the pipes")
        }
        return pitch
    }

    // MARK: Durations

    private mutating func readDuration(
        _ object: JSONObject, _ groups: [ScoreID], of id: ScoreID
    ) throws(EngineError) -> NoteDuration {
        guard let type: NoteType = try object.named("noteType") else { throw object.error("noteType", "is missing") }
        var duration = NoteDuration(noteType: type, tuplet: ratios[id])
        for group in groups {
            guard let place = groupPlaces[group], case .tuplet(let ratio) = document.noteGroups[place].kind else {
                continue
            }
            duration.tuplet = ratio
        }
        guard let wanted = try object.number("durationAdjustment") else { return duration }
        for dots in 0...2 {
            duration.dots = dots
            // The app keeps the factor as a Float.
            if abs(duration.adjustment - wanted) <= 1e-4 { return duration }
        }
        let ratio = duration.tuplet.map { " times \($0.normal)/\($0.actual) of its tuplet" } ?? ""
        throw fault(
            .duration, object, "durationAdjustment",
            "is \(shownNumber(wanted)), must be 1, 1.5 for a dot or 1.75 for two dots\(ratio)")
    }

    /// The groups that a note names.
    private mutating func readGroupIDs(_ object: JSONObject, of id: ScoreID) throws(EngineError) -> [ScoreID] {
        guard let array = try object.array("noteGroups") else { return [] }
        var groups: [ScoreID] = []
        for node in array.elements {
            guard let text = node.string else { throw object.error("noteGroups", "must be an array of ids") }
            let group = ScoreID(text)
            guard groupPlaces[group] != nil else {
                throw fault(.group, object, "noteGroups", "there is no group \"\(shownText(text))\"")
            }
            groups.append(group)
        }
        namedGroups[id] = groups
        return groups
    }

    // MARK: Embellishments

    /// The gracenotes of an object: those that it lists, else those of its kind.
    ///
    /// - Parameter pitch: the note that they stand before; nil where there is none.
    mutating func readEmbellishment(
        _ object: JSONObject, on pitch: Pitch?, after previous: Pitch?
    ) throws(EngineError) -> Embellishment {
        warnUnknown(object, ["kind", "variant", "notes"])
        let alias = try object.string("kind").flatMap { EmbellishmentKind.aliases[$0] }
        let named: EmbellishmentKind? = if let alias { alias } else { try object.named("kind") }
        guard let kind = named else { throw object.error("kind", "is missing") }
        let variant: EmbellishmentVariant = try object.named("variant") ?? .auto
        let usual = pitch.flatMap { EmbellishmentRules.graceNotes(kind, variant, on: $0, after: previous) }
        let target = EmbellishmentRules.target(of: kind)
        guard let list = try object.array("notes") else {
            if let pitch, let target, target != pitch {
                throw fault(
                    .embellishmentTarget, object, "kind",
                    "\(kind.rawValue) is played on \(target.name), not on \(pitch.name)")
            }
            guard let usual else {
                throw fault(
                    .embellishmentTarget, object, "kind",
                    "\(kind.rawValue) \(variant.rawValue) cannot be played"
                        + (pitch.map { " on \($0.name)" } ?? " without a note") + "; list its notes")
            }
            warnRepeats(usual, object, after: previous)
            return Embellishment(kind: kind, variant: variant, graceNotes: usual)
        }
        guard list.count <= ScoreLimits.graceNotes else {
            throw overLimit(object, "notes", "the number of gracenotes", list.count, ScoreLimits.graceNotes)
        }
        var notes: [Pitch] = []
        for node in list.elements {
            guard let name = node.string, let pitch = Pitch(name: name) else {
                throw fault(
                    .pitch, object, "notes",
                    "must be an array of \(Pitch.allCases.map(\.name).joined(separator: ", "))")
            }
            notes.append(pitch)
        }
        if let pitch, let target, target != pitch {
            problems.add(
                .embellishmentUnusual, tune: tune, at: object.path.text.map { .path($0) }, "",
                "\(kind.rawValue) is played on \(target.name), not on \(pitch.name)")
        }
        warnRepeats(notes, object, after: previous)
        return Embellishment(kind: kind, variant: variant, graceNotes: notes, isListed: notes != usual)
    }

    private mutating func warnRepeats(_ notes: [Pitch], _ object: JSONObject, after previous: Pitch?) {
        guard EmbellishmentRules.repeats(notes, after: previous) else { return }
        problems.add(
            .embellishmentRepeated, tune: tune, at: object.path.text.map { .path($0) }, "",
            "a gracenote repeats the note before it")
    }
}

extension EmbellishmentKind {
    /// Other names of the same movements.
    fileprivate static let aliases: [String: EmbellishmentKind] = [
        "leumluath": .grip, "shake": .pele, "bubbly": .bubblyNote, "dThrow": .dThrow, "throwOnD": .dThrow,
    ]
}
