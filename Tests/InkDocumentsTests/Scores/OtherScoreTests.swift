import InkTestSupport
import Testing

@testable import InkDocuments
@testable import InkEngine

/// ABC of pipe music and MusicXML.
@Suite struct OtherScoreTests {
    private func read(_ text: String, _ name: String) throws(EngineError) -> ScoreReading {
        try ScoreFile.read(Array(text.utf8), name: name)
    }

    /// A note in few letters: gracenotes, pitch, value, dots, beam.
    private func shown(_ note: PipeNote) -> String {
        let grace = note.embellishment.map { "{\($0.graceNotes.map(\.name).joined(separator: " "))}" } ?? ""
        let beam = note.beam == .left ? "l" : note.beam == .right ? "r" : ""
        let dots = String(repeating: ".", count: note.duration.dots)
        return "\(grace)\(note.pitch?.name ?? "z")\(beam)_\(note.duration.noteType.denominator)\(dots)"
    }

    private func shown(_ reading: ScoreReading) -> [String] {
        measures(reading).map { $0.bagpipes.map(shown).joined(separator: " ") }
    }

    // MARK: ABC

    private static let abc = """
        % a comment
        X:1
        T:The Barren Rocks
        C:Trad.
        R:March
        M:2/4
        L:1/8
        K:HP
        |: "Am"e/>d/ | {g}A>B {gcd}c{e}A | (3{g}Ace a2 | {GdGe}A2-Az :|
        [| !fermata!A2 {gde}^d2 |1 {Gdc}d4 |2 f2 z2 |]
        """

    @Test func abcHasNotesGracesAndRhythms() throws {
        let reading = try read(Self.abc, "t.abc")
        #expect(reading.problems.isEmpty, "\(lines(reading))")
        #expect(
            shown(reading) == [
                "Er_16. Dl_32", "{HG}LAr_8. Bl_16 {HG C D}Cr_8 {E}LAl_8", "{HG}LAr_8 Cl_8 El_8 HA_4",
                "{LG D LG E}LA_4 LA_8 z_8", "LA_4 {HG D E}D_4", "{LG D C}D_2", "F_4 z_4",
            ])
        let tune = reading.document.tunes[0]
        #expect(tune.metadata.texts.map(\.text) == ["The Barren Rocks", "March", "Trad."])
        #expect(tune.systems.map(\.keySignature) == [KeyAccidental.pipes, KeyAccidental.pipes])
        #expect(measures(reading).map(\.start) == [.repeat, .none, .none, .none, .heavy, .none, .none])
        #expect(measures(reading).map(\.end) == [.single, .single, .single, .repeat, .single, .single, .heavy])
        #expect(notes(reading).compactMap(\.accidental) == [.sharp])
        #expect(
            reading.document.noteGroups.map(\.kind) == [
                .tuplet(TupletRatio(actual: 3, normal: 2)), .tie, .timeLine(.first), .timeLine(.second),
            ])
        // The gracenotes have their names.
        let kinds = notes(reading).compactMap { $0.embellishment?.kind }
        #expect(kinds.contains(.dThrow))
    }

    @Test func whatABCSaysOtherwiseIsAWarningWithItsPlace() throws {
        let reading = try read("X:1\nT:T\nM:4/4\nL:1/4\nK:D\nA C, b A | ? B4 |]\n", "t.abc")
        #expect(
            lines(reading) == [
                "line 5, column 1: \"D\" is no key of pipes (HP); the notes are read as if it were (W_UNKNOWN_TOKEN)",
                "line 6, column 3: \"C\" is no note of the pipes (W_UNKNOWN_TOKEN)",
                "line 6, column 4: \",\" is skipped (W_UNKNOWN_TOKEN)",
                "line 6, column 6: \"b\" is no note of the pipes (W_UNKNOWN_TOKEN)",
                "line 6, column 12: \"?\" is skipped (W_UNKNOWN_TOKEN)",
            ])
        #expect(shown(reading) == ["LA_4 LA_4", "B_1"])
    }

    @Test func abcHasSeveralTunes() throws {
        let tunes = try read(Self.abc + "\n\n" + Self.abc.replacing("The Barren", with: "Other"), "t.abc").document
            .tunes
        #expect(tunes.map(\.metadata.title) == ["The Barren Rocks", "Other Rocks"])
    }

    // MARK: MusicXML

    private static func xml(_ measures: String) -> String {
        """
        <?xml version="1.0"?>
        <!DOCTYPE score-partwise PUBLIC "-//Recordare//DTD MusicXML 3.1 Partwise//EN" "http://www.musicxml.org/dtds/partwise.dtd">
        <score-partwise version="3.1"><work><work-title>Tune</work-title></work>
        <identification><creator type="composer">Trad.</creator></identification>
        <part-list><score-part id="P1"><part-name>Pipes</part-name></score-part></part-list>
        <part id="P1">\(measures)</part></score-partwise>
        """
    }

    private static func note(_ step: String, _ octave: Int, _ type: String, _ more: String = "") -> String {
        "<note>\(more.contains("<grace/>") ? "<grace/>" : "")<pitch><step>\(step)</step><octave>\(octave)</octave></pitch>"
            + "<type>\(type)</type>\(more.replacing("<grace/>", with: ""))</note>"
    }

    @Test func musicXMLHasNotesGracesAndBars() throws {
        let first =
            "<measure number=\"1\"><attributes><key><fifths>2</fifths></key><time symbol=\"common\"><beats>4</beats>"
            + "<beat-type>4</beat-type></time></attributes><barline location=\"left\"><repeat direction=\"forward\"/></barline>"
            + Self.note("G", 5, "32nd", "<grace/>") + Self.note("A", 4, "quarter", "<tie type=\"start\"/>")
            + Self.note("A", 4, "eighth", "<dot/><beam number=\"1\">begin</beam>")
            + Self.note("E", 5, "16th", "<beam number=\"1\">end</beam>") + Self.note("D", 4, "half") + "</measure>"
        let second =
            "<measure number=\"2\"><print new-system=\"yes\"/>"
            + ["C", "D", "E"].map {
                Self.note(
                    $0, 5, "eighth",
                    "<time-modification><actual-notes>3</actual-notes><normal-notes>2</normal-notes></time-modification>"
                )
            }.joined()
            + "<note><rest/><type>quarter</type></note>"
            + "<barline location=\"right\"><bar-style>light-heavy</bar-style></barline></measure>"
        let reading = try read(Self.xml(first + second), "t.musicxml")
        #expect(shown(reading) == ["{HG}LA_4 LAr_8. El_16", "C_8 D_8 E_8 z_4"])
        #expect(lines(reading) == ["bar 1: a note that the pipes do not have is left out (W_UNKNOWN_TOKEN)"])
        #expect(
            measures(reading).map(\.start) == [.repeat, .none] && measures(reading).map(\.end) == [.single, .heavy])
        #expect(measures(reading)[0].timeSignature == .common)
        #expect(
            reading.document.noteGroups.map(\.kind) == [.tie, .tuplet(TupletRatio(actual: 3, normal: 2))])
        let tune = reading.document.tunes[0]
        #expect(tune.systems.count == 2 && tune.metadata.texts.map(\.text) == ["Tune", "Trad."])
    }

    @Test("Any change to a file gives a reading or an error", arguments: 1...15 as ClosedRange<UInt64>)
    func mutations(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let xml = Self.xml("<measure>" + Self.note("B", 4, "half") + "</measure>")
        for (text, name) in [(Self.abc, "t.abc"), (xml, "t.musicxml")] {
            let bytes = Array(text.utf8)
            for _ in 0..<20 {
                var changed = bytes
                for _ in 0...(random.next() % 4) {
                    let place = Int(random.next() % UInt64(changed.count))
                    if random.next() % 2 == 0 {
                        changed[place] = UInt8(truncatingIfNeeded: random.next())
                    } else {
                        changed.insert(contentsOf: bytes.suffix(Int(random.next() % 50)), at: place)
                    }
                }
                do throws(EngineError) {
                    _ = ScoreFile.pbscore(try ScoreFile.read(changed, name: name).document)
                } catch {
                    #expect(!error.description.contains("\n"), "seed \(seed)")
                }
            }
        }
    }
}
