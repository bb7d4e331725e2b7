import InkEngine

/// Groups of notes.
extension PBScoreReader {
    mutating func readGroups(_ array: JSONNode, _ path: JSONPath) throws(EngineError) {
        for (index, node) in array.elements.enumerated() {
            let object = try JSONObject(node, path: .element(path, index), file: name)
            warnUnknown(object, ["id", "kind", "members", "actual", "normal", "label", "opens"])
            let id = try idOrNew(object)
            let kind = try readGroupKind(object)
            var members: [ScoreID] = []
            if let list = try object.array("members") {
                for node in list.elements {
                    guard let text = node.string else { throw object.error("members", "must be an array of ids") }
                    members.append(ScoreID(text))
                }
            }
            if case .tuplet(let ratio) = kind {
                for member in members {
                    guard ratios.updateValue(ratio, forKey: member) == nil else {
                        throw fault(.limit, object, "members", "a note is in two tuplets")
                    }
                }
            }
            groupPlaces[id] = document.noteGroups.count
            document.noteGroups.append(NoteGroup(id: id, kind: kind, members: members))
        }
    }

    /// The names of kinds in the file.
    private enum KindName: String, CaseIterable {
        case tie, tuplet, timeLine, unison, roll, hairpin
    }

    private mutating func readGroupKind(_ object: JSONObject) throws(EngineError) -> NoteGroup.Kind {
        guard let kind: KindName = try object.named("kind") else { throw object.error("kind", "is missing") }
        switch kind {
        case .tie: return .tie
        case .unison: return .unison
        case .roll: return .roll
        case .tuplet:
            guard let actual = try integer(object, "actual", TupletRatio.range),
                let normal = try integer(object, "normal", TupletRatio.range)
            else { throw object.error("actual", "and \"normal\" must say the ratio of the tuplet") }
            return .tuplet(TupletRatio(actual: actual, normal: normal))
        case .timeLine:
            guard let label: TimeLineLabel = try object.named("label") else {
                throw object.error("label", "is missing")
            }
            return .timeLine(label)
        case .hairpin:
            guard let hairpin: NoteGroup.Hairpin = try object.named("opens") else {
                throw object.error("opens", "is missing")
            }
            return .hairpin(hairpin)
        }
    }

    /// The place of a note in the music.
    private struct NotePlace {
        var tune: Int
        var instrument: InstrumentType
        /// The number of the note in its voice.
        var index: Int
        var pitch: Pitch?
    }

    /// Joins the members that groups list with the groups that notes name, and checks them.
    mutating func finishGroups() {
        let places = notePlaces()
        let listed = document.noteGroups.map { Set($0.members) }
        for (note, groups) in namedGroups {
            for group in Set(groups) {
                guard let index = groupPlaces[group], !listed[index].contains(note) else { continue }
                document.noteGroups[index].members.append(note)
            }
        }
        let hasFailedTune = document.tunes.indices.contains { problems.hasError(inTune: $0) }
        var kept: [NoteGroup] = []
        var groupsOfNote: [ScoreID: [ScoreID]] = [:]
        for (index, var group) in document.noteGroups.enumerated() {
            let found = group.members.compactMap { id in places[id].map { (id, $0) } }
                .sorted { ($0.1.tune, $0.1.index) < ($1.1.tune, $1.1.index) }
            if found.count < group.members.count || found.isEmpty {
                // The other notes may be those of a tune that could not be read.
                if !hasFailedTune || !found.isEmpty {
                    addFault("names a note that there is not", index, found.first?.1.tune)
                }
                continue
            }
            if let fault = Self.fault(of: group, found.map(\.1)) {
                addFault(fault, index, found.first?.1.tune)
                continue
            }
            group.members = found.map(\.0)
            for member in group.members { groupsOfNote[member, default: []].append(group.id) }
            kept.append(group)
        }
        document.noteGroups = kept
        document.mapNotes(
            pipe: { $0.noteGroups = groupsOfNote[$0.id] ?? [] }, snare: { $0.noteGroups = groupsOfNote[$0.id] ?? [] })
    }

    private mutating func addFault(_ reason: String, _ index: Int, _ tune: Int?) {
        problems.add(.group, tune: tune, at: .path("noteGroups[\(index)]"), "", "the group \(reason)")
    }

    private static func fault(of group: NoteGroup, _ members: [NotePlace]) -> String? {
        guard let first = members.first else { return "has no notes" }
        guard members.allSatisfy({ $0.tune == first.tune && $0.instrument == first.instrument }) else {
            return "has notes of two instruments or tunes"
        }
        guard members.enumerated().allSatisfy({ $0.element.index == first.index + $0.offset }) else {
            return "has notes that are not next to each other, or one twice"
        }
        guard group.kind == .tie else { return nil }
        guard members.count >= 2 else { return "must have two notes or more to be a tie" }
        guard members.allSatisfy({ $0.pitch == first.pitch }) else { return "ties notes of two pitches" }
        guard first.pitch != nil || first.instrument == .snareDrum else { return "ties a rest" }
        return nil
    }

    private func notePlaces() -> [ScoreID: NotePlace] {
        var places: [ScoreID: NotePlace] = [:]
        for (tune, music) in document.tunes.enumerated() {
            var counts: [InstrumentType: Int] = [:]
            func add(_ id: ScoreID, _ instrument: InstrumentType, _ pitch: Pitch?) {
                let index = counts[instrument, default: 0]
                counts[instrument] = index + 1
                places[id] = NotePlace(tune: tune, instrument: instrument, index: index, pitch: pitch)
            }
            for measure in music.systems.flatMap(\.measures) {
                for note in measure.bagpipes { add(note.id, .bagpipes, note.pitch) }
                for note in measure.bagpipesSeconds { add(note.id, .bagpipesSeconds, note.pitch) }
                for note in measure.snareDrum { add(note.id, .snareDrum, nil) }
            }
        }
        return places
    }
}

extension ScoreDocument {
    /// Changes each note, in the order of the music.
    mutating func mapNotes(pipe: (inout PipeNote) -> Void, snare: (inout SnareDrumNote) -> Void) {
        for tune in tunes.indices {
            for part in tunes[tune].parts.indices {
                for system in tunes[tune].parts[part].systems.indices {
                    for bar in tunes[tune].parts[part].systems[system].measures.indices {
                        tunes[tune].parts[part].systems[system].measures[bar].mapNotes(pipe: pipe, snare: snare)
                    }
                }
            }
        }
    }
}

extension Measure {
    fileprivate mutating func mapNotes(pipe: (inout PipeNote) -> Void, snare: (inout SnareDrumNote) -> Void) {
        for index in bagpipes.indices { pipe(&bagpipes[index]) }
        for index in bagpipesSeconds.indices { pipe(&bagpipesSeconds[index]) }
        for index in snareDrum.indices { snare(&snareDrum[index]) }
    }
}
