import InkTestSupport
import Testing

@testable import InkDocuments
@testable import InkEngine

@Suite struct PBScoreTests {
    /// A score of one bar of 4/4 with these notes.
    private func score(
        _ notes: String, groups: String = "", measure: String = "", title: String = "T", layout: String = "{}",
        voice: String = "bagpipes"
    ) -> String {
        """
        {"format":"pbscore","version":1,"id":"s","metadata":{"title":"Set"},"documentLayout":\(layout),
        "tunes":[{"id":"t","metadata":{"title":"\(title)","tuneType":"march","tempo":80},"parts":[{"partLetter":"A",
        "systems":[{"id":"y","instruments":["\(voice)"],"measures":[{"id":"m",
        "timeSignature":{"numerator":4,"denominator":4},\(measure)"notes":{"\(voice)":[\(notes)]}}]}]}]}],
        "noteGroups":[\(groups)]}
        """
    }

    private func note(_ id: String, _ more: String = "", type: String = "crotchet", pitch: String = "\"LA\"") -> String
    {
        let more = more.isEmpty ? "" : ",\(more)"
        return "{\"id\":\"\(id)\",\"noteType\":\"\(type)\",\"pitch\":\(pitch)\(more)}"
    }

    private func read(_ text: String) throws(EngineError) -> ScoreReading {
        try ScoreFile.read(Array(text.utf8), name: "t.pbscore")
    }

    /// The message of the error that reading ends in.
    private func message(_ text: String) -> String? {
        do throws(EngineError) {
            _ = try read(text)
            return nil
        } catch {
            return error.description
        }
    }

    private static let place = "t.pbscore: tunes[0].parts[0].systems[0].measures[0]"

    @Test func aScoreIsReadByItsNames() throws {
        let reading = try read(
            score(
                note(
                    "a",
                    "\"durationAdjustment\":1.5,\"embellishment\":{\"kind\":\"doubling\"},\"articulation\":[\"accent\"]"
                )
                    + ","
                    + note(
                        "b", "\"accidental\":\"natural\",\"beam\":\"left\"", type: "quaver",
                        pitch: "{\"pitchClass\":\"c\",\"octave\":5}")
                    + ",{\"id\":\"r\",\"noteType\":\"minim\",\"rest\":true}",
                measure: "\"barline\":\"repeatBoth\",\"mark\":\"fine\",",
                layout: "{\"paper\":\"a5\",\"margin\":10,\"graceScale\":0.65,\"fit\":\"page\",\"alignBars\":true}"))
        #expect(reading.problems.isEmpty, "\(lines(reading))")
        let found = notes(reading)
        #expect(found.map(\.pitch) == [.lowA, .c, nil])
        #expect(found[0].duration == NoteDuration(noteType: .crotchet, dots: 1))
        #expect(found[0].embellishment?.graceNotes == [.highG, .lowA, .d] && found[0].articulation == [.accent])
        #expect(found[1].accidental == .natural && found[1].beam == .left)
        #expect(measures(reading)[0].end == .repeat && measures(reading)[0].marks == [.fine])
        let layout = reading.document.documentLayout
        #expect(layout.paper == .a5 && layout.margin == 10 && layout.graceScale == 0.65 && layout.fit == .page)
        #expect(layout.staffSpace == 1.75 && layout.alignBars)
        let tune = reading.document.tunes[0]
        #expect(tune.metadata.tempo == 80 && tune.metadata.texts.map(\.text) == ["T", "March"])
    }

    @Test func gAndASoundInTwoOctavesAndTheOthersInOne() throws {
        #expect(Pitch(pitchClass: "g", octave: 4) == .lowG && Pitch(pitchClass: "g", octave: 5) == .highG)
        #expect(Pitch(pitchClass: "a", octave: 4) == .lowA && Pitch(pitchClass: "a", octave: 5) == .highA)
        for octave in 4...5 {
            #expect(Pitch(pitchClass: "d", octave: octave) == .d && Pitch(pitchClass: "b", octave: octave) == .b)
        }
        #expect(Pitch(pitchClass: "d", octave: 3) == nil && Pitch(pitchClass: "h", octave: 4) == nil)
        for pitch in Pitch.allCases {
            #expect(
                Pitch(pitchClass: pitch.pitchClass, octave: pitch.octave) == pitch && Pitch(name: pitch.name) == pitch)
        }
    }

    @Test(
        "An error has its code and its path",
        arguments: [
            ("{\"id\":\"a\",\"noteType\":\"breve\",\"pitch\":\"LA\"}", ".notes.bagpipes[0].noteType: ", "E_JSON"),
            ("{\"id\":\"a\",\"noteType\":\"minim\",\"pitch\":\"X\"}", ".notes.bagpipes[0].pitch: ", "E_PITCH"),
            ("{\"id\":\"a\",\"noteType\":\"minim\"}", ".notes.bagpipes[0].pitch: ", "E_PITCH"),
            (
                "{\"id\":\"a\",\"noteType\":\"minim\",\"pitch\":{\"pitchClass\":\"g\",\"octave\":6}}",
                ".notes.bagpipes[0].pitch: ", "E_PITCH"
            ),
            (
                "{\"id\":\"a\",\"noteType\":\"minim\",\"pitch\":\"LA\",\"durationAdjustment\":1.3}",
                ".notes.bagpipes[0].durationAdjustment: ", "E_DURATION"
            ),
            (
                "{\"id\":\"a\",\"noteType\":\"minim\",\"pitch\":\"LA\",\"hand\":\"left\"}",
                ".notes.bagpipes[0].hand: ", "E_NOTE_TYPE"
            ),
            (
                "{\"id\":\"a\",\"noteType\":\"minim\",\"pitch\":\"C\",\"embellishment\":{\"kind\":\"throw\"}}",
                ".notes.bagpipes[0].embellishment.kind: ", "E_EMB_TARGET"
            ),
            (
                "{\"id\":\"t\",\"noteType\":\"minim\",\"pitch\":\"C\"}", ".notes.bagpipes[0].id: ", "E_ID_DUPLICATE"
            ),
            (
                "{\"id\":\"a\",\"noteType\":\"semibreve\",\"durationAdjustment\":1.5,\"pitch\":\"C\"}",
                ".notes.bagpipes: ", "E_MEASURE_OVERFULL"
            ),
            (
                "{\"id\":\"a\",\"noteType\":\"minim\",\"pitch\":\"C\",\"noteGroups\":[\"x\"]}",
                ".notes.bagpipes[0].noteGroups: ", "E_GROUP"
            ),
            (
                "{\"id\":\"a\",\"noteType\":\"minim\",\"pitch\":\"C\",\"beam\":1}", ".notes.bagpipes[0].beam: ",
                "E_JSON"
            ),
        ])
    func errors(note: String, path: String, code: String) throws {
        let found = try #require(message(score(note)))
        #expect(found.hasPrefix(Self.place + path) && found.hasSuffix("(\(code))"), "\(found)")
    }

    @Test func threeMinimsDoNotFitIntoFourCrotchets() {
        let minims = ["a", "b", "c"].map { note($0, type: "minim") }.joined(separator: ",")
        #expect(
            message(score(minims)) == Self.place
                + ".notes.bagpipes: the notes are longer than the bar of 4/4 (E_MEASURE_OVERFULL)")
    }

    @Test func theFileIsOfOneFormatAndVersion() {
        #expect(
            message("{\"format\":\"pbscore\",\"version\":2,\"tunes\":[]}")
                == "t.pbscore: version: must be 1, the version that ink reads (E_VERSION)")
        #expect(message("{\"format\":\"x\",\"version\":1}") == "t.pbscore: format: must be \"pbscore\" (E_JSON)")
        #expect(message("{\"format\":\"pbscore\",\"version\":1}") == "t.pbscore: tunes: is missing (E_JSON)")
        #expect(message("{\"format\":\"pbscore\",")?.hasPrefix("t.pbscore: ") == true)
        #expect(
            message(score(note("a"), layout: "{\"paper\":\"a3\"}"))?.hasPrefix(
                "t.pbscore: documentLayout.paper: unknown value \"a3\"") == true)
        #expect(
            message(score(note("a"), layout: "{\"graceScale\":0.8}"))
                == "t.pbscore: documentLayout.graceScale: is 0.8, must be from 0.5 to 0.7 (E_JSON)")
        #expect(
            message(score(note("a"), title: " ")) == "t.pbscore: tunes[0].metadata.title: must not be empty (E_TITLE)")
    }

    @Test func unknownKeysAreWarnings() throws {
        let reading = try read(score(note("a", "\"pich\":1,\"x-app\":2"), measure: "\"color\":3,"))
        #expect(
            lines(reading) == [
                "tunes[0].parts[0].systems[0].measures[0].color: unknown key, ignored (W_UNKNOWN_KEY)",
                "tunes[0].parts[0].systems[0].measures[0].notes.bagpipes[0].pich: unknown key, ignored "
                    + "(did you mean pitch?) (W_UNKNOWN_KEY)",
            ])
    }

    @Test func theTunesAfterABadOneAreRead() throws {
        let good = score(note("a"))
        let tunes = good.firstRange(of: "\"tunes\":[")!.upperBound
        let bad =
            "{\"id\":\"bad\",\"metadata\":{\"title\":\"Bad\"},\"parts\":[{\"systems\":[{\"measures\":[{\"notes\":{\"bagpipes\":[{}]}}]}]}]},"
        let reading = try read(good[..<tunes] + bad + good[tunes...])
        #expect(reading.document.tunes.map(\.metadata.title) == ["Bad", "T"])
        #expect(
            reading.error(ofTune: 0)?.position
                == .path("tunes[0].parts[0].systems[0].measures[0].notes.bagpipes[0].noteType"))
        #expect(reading.error(ofTune: 1) == nil)
    }

    // MARK: Groups

    @Test func tupletsTakeTheirNotesTime() throws {
        let quavers = ["a", "b", "c"].map { note($0, "\"durationAdjustment\":0.6666667", type: "quaver") }
        let group = "{\"id\":\"g\",\"kind\":\"tuplet\",\"actual\":3,\"normal\":2,\"members\":[\"a\",\"b\",\"c\"]}"
        let reading = try read(score(quavers.joined(separator: ","), groups: group))
        #expect(notes(reading).map(\.duration.tuplet) == Array(repeating: TupletRatio(actual: 3, normal: 2), count: 3))
        #expect(notes(reading).map(\.noteGroups) == Array(repeating: [.text("g")], count: 3))
        // The group may name its notes, or the notes their group.
        let named = ["a", "b", "c"].map {
            note($0, "\"durationAdjustment\":0.6666667,\"noteGroups\":[\"g\"]", type: "quaver")
        }
        let other = try read(
            score(named.joined(separator: ","), groups: "{\"id\":\"g\",\"kind\":\"tuplet\",\"actual\":3,\"normal\":2}"))
        #expect(other.document == reading.document)
    }

    @Test(
        "A group that cannot be is an error of its tune",
        arguments: [
            ("{\"id\":\"g\",\"kind\":\"tie\",\"members\":[\"a\",\"b\"]}", "ties notes of two pitches"),
            ("{\"id\":\"g\",\"kind\":\"tie\",\"members\":[\"a\"]}", "must have two notes or more to be a tie"),
            (
                "{\"id\":\"g\",\"kind\":\"timeLine\",\"label\":\"1\",\"members\":[\"a\",\"c\"]}",
                "has notes that are not next to each other, or one twice"
            ),
            ("{\"id\":\"g\",\"kind\":\"unison\",\"members\":[\"a\",\"x\"]}", "names a note that there is not"),
        ])
    func badGroups(group: String, reason: String) {
        let three = [note("a"), note("b", pitch: "\"B\""), note("c")].joined(separator: ",")
        #expect(message(score(three, groups: group)) == "t.pbscore: noteGroups[0]: the group \(reason) (E_GROUP)")
    }

    @Test func aDrumLineHasStrokes() throws {
        let stroke =
            "{\"id\":\"a\",\"noteType\":\"quaver\",\"hand\":\"left\",\"stickTechnique\":\"buzz\",\"stickHeight\":\"high\","
            + "\"embellishment\":{\"kind\":\"flam\"}},{\"id\":\"b\",\"noteType\":\"quaver\",\"rest\":true}"
        let reading = try read(
            score(
                stroke, groups: "{\"id\":\"g\",\"kind\":\"hairpin\",\"opens\":\"crescendo\",\"members\":[\"a\",\"b\"]}",
                voice: "snareDrum"))
        #expect(reading.problems.isEmpty, "\(lines(reading))")
        let drum = measures(reading)[0].snareDrum
        #expect(drum.map(\.isRest) == [false, true] && drum[0].hand == .left && drum[0].stickTechnique == .buzz)
        #expect(drum[0].stickHeight == .high && drum[0].ornament == .flam && drum[0].noteGroups == [.text("g")])
        #expect(message(score(note("a"), voice: "snareDrum"))?.hasSuffix("(E_NOTE_TYPE)") == true)
    }

    // MARK: Round trips

    @Test("What is written is read as the same score", arguments: 1...40 as ClosedRange<UInt64>)
    func roundTrip(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let text = randomBWW(using: &random)
        let first = try readBWW(text)
        #expect(!first.problems.contains { $0.code.isError }, "seed \(seed): \(lines(first))")
        let json = ScoreFile.pbscore(first.document)
        let second = try ScoreFile.read(json, name: "t.pbscore")
        #expect(!second.problems.contains { $0.code.isError }, "seed \(seed): \(lines(second))")
        #expect(second.document == first.document, "seed \(seed)")
        let (bww, losses) = ScoreFile.bww(first.document)
        let third = try ScoreFile.read(bww, name: "t.bww")
        #expect(third.document.tunes.count == first.document.tunes.count, "seed \(seed)")
        if losses.isEmpty { #expect(third.document.music == first.document.music, "seed \(seed)") }
    }
}

extension ScoreDocument {
    /// The score without its ids, which another file numbers otherwise, and with gracenotes as they are played.
    var music: ScoreDocument {
        var copy = self
        var number: [ScoreID: Int] = [:]
        copy.mapNotes(pipe: { number[$0.id] = number.count + 1 }, snare: { number[$0.id] = number.count + 1 })
        let groupNumber = Dictionary(
            uniqueKeysWithValues: noteGroups.enumerated().map { ($1.id, ScoreID.number($0)) })
        copy.mapNotes(
            pipe: { note in
                note.id = .number(number[note.id] ?? 0)
                note.noteGroups = note.noteGroups.compactMap { groupNumber[$0] }
                note.embellishment = note.embellishment?.played
            }, snare: { _ in })
        copy.noteGroups = noteGroups.enumerated().map { index, group in
            NoteGroup(
                id: .number(index), kind: group.kind, members: group.members.map { .number(number[$0] ?? 0) })
        }
        copy.id = .number(0)
        for tune in copy.tunes.indices {
            copy.tunes[tune].id = .number(0)
            for part in copy.tunes[tune].parts.indices {
                for system in copy.tunes[tune].parts[part].systems.indices {
                    copy.tunes[tune].parts[part].systems[system].id = .number(0)
                    for bar in copy.tunes[tune].parts[part].systems[system].measures.indices {
                        copy.tunes[tune].parts[part].systems[system].measures[bar].id = .number(0)
                    }
                }
            }
        }
        return copy
    }
}

extension Embellishment {
    fileprivate var played: Embellishment { Embellishment(kind: .gracenotes, graceNotes: graceNotes) }
}
