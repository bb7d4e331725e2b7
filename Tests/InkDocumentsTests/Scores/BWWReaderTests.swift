import InkTestSupport
import Testing

@testable import InkDocuments
@testable import InkEngine

@Suite struct BWWReaderTests {
    @Test func aTuneHasItsHeadAndItsMusic() throws {
        let reading = try readBWW(
            """
            Bagpipe Reader:1.0
            MIDINoteMappings,(54,56)
            TuneFormat,(1,0,M,L,500,600,700,800,L,0,0)
            TuneTempo,80

            "just a comment"
            "The Tune",(T,C,0,0,Times New Roman,16,700,0,0,18,0,0,0)
            "6/8 March",(Y,C,0,0,Times New Roman,14,400,0,0,18,0,0,0)
            "A. Piper",(M,R,0,0,Times New Roman,14,400,0,0,18,0,0,0)
            "Band, 2026",(F,R,0,0,Times New Roman,10,400,0,0,18,0,0,0)
            & sharpf sharpc 6_8 I! gg LAr_8 'la dbb Bl_16 thrd D_4 ! HA_2 'ha !I
            """)
        #expect(reading.problems.isEmpty, "\(lines(reading))")
        let tune = reading.document.tunes[0]
        #expect(
            tune.metadata.texts.map { "\($0.kind) \($0.text) \($0.alignment)" } == [
                "title The Tune center", "type 6/8 March center", "composer A. Piper right", "footer Band, 2026 right",
            ])
        #expect(tune.metadata.tuneType == .march && tune.metadata.tempo == 80)
        #expect(tune.filePage == FilePage(orientation: .landscape, margins: [500, 600, 700, 800]))
        #expect(tune.systems[0].keySignature == KeyAccidental.pipes)
        let bars = measures(reading)
        #expect(bars.map(\.start) == [.heavy, .none] && bars.map(\.end) == [.single, .heavy])
        #expect(bars[0].timeSignature == TimeSignature(numerator: 6, denominator: 8))
        #expect(bars[0].bagpipes.map(\.pitch) == [.lowA, .b, .d])
        #expect(bars[0].bagpipes.map(\.beam) == [.right, .left, nil])
        #expect(bars[0].bagpipes.map(\.duration.dots) == [1, 0, 0])
        #expect(
            bars[0].bagpipes.map { $0.embellishment?.graceNotes ?? [] }
                == [[.highG], [.highG, .b, .d], [.lowG, .d, .c]])
        #expect(bars[1].bagpipes[0].duration.ticks == bars[0].timeSignature?.ticks)
    }

    @Test(
        "Bar lines that are written to other words are split off",
        arguments: [
            ("LA_4 !B_4 !t", 2), ("LA_4 I!''B_4 ''!I", 2), ("LA_4! B_4 !It", 2), ("LA_4 ''!II!''B_4 !t", 2),
            ("LA_4 !I!B_4 !t", 2), ("I!''LA_4 ''!It", 1),
        ])
    func gluedBars(music: String, count: Int) throws {
        let reading = try readBWW(bww("& \(music)"))
        #expect(reading.problems.isEmpty, "\(lines(reading))")
        #expect(measures(reading).count == count)
    }

    @Test func twoRepeatsMeetInALine() throws {
        let bars = measures(try readBWW(bww("& I!'' LA_4 ''!I I!'' B_4 ''!I")))
        #expect(bars.map(\.start) == [.repeat, .repeat] && bars.map(\.end) == [.repeat, .repeat])
        // A single line before a sign is not drawn beside it.
        let others = measures(try readBWW(bww("& LA_4 ! I! B_4 ! !t")))
        #expect(others.map(\.end) == [.none, .single] && others[1].start == .heavy)
    }

    @Test func signsBeforeTheFirstNoteAreTheKey() throws {
        let reading = try readBWW(bww("& sharpf sharpc naturalf LA_4 naturalc C_4 C_4 ! C_4 !t"))
        #expect(
            reading.document.tunes[0].systems[0].keySignature == [
                KeyAccidental(pitch: .c, accidental: .sharp), KeyAccidental(pitch: .f, accidental: .natural),
            ])
        #expect(notes(reading).map(\.accidental) == [nil, .natural, nil, nil])
    }

    @Test func dotsAndFermatasBelongToTheLastNoteOfTheirPitch() throws {
        let reading = try readBWW(bww("& LA_4 B_8 '1 'la ''b fermatb C_4 _' 'd !t"))
        #expect(notes(reading).map(\.duration.dots) == [1, 2, 0])
        #expect(notes(reading).map(\.articulation) == [[], [.fermata], []])
        #expect(
            lines(reading) == ["line 3, column 38: \"'d\" has no note D before it in the line (W_UNKNOWN_TOKEN)"])
    }

    // MARK: Groups

    private func groups(_ reading: ScoreReading) -> [String] {
        let number = Dictionary(uniqueKeysWithValues: notes(reading).enumerated().map { ($1.id, $0) })
        return reading.document.noteGroups.map { group in
            let members = group.members.map { number[$0].map(String.init) ?? "?" }.joined(separator: " ")
            return switch group.kind {
            case .tie: "tie \(members)"
            case .tuplet(let ratio): "\(ratio.actual):\(ratio.normal) \(members)"
            case .timeLine(let label): "\(label.text): \(members)"
            default: "?"
            }
        }
    }

    @Test(
        "Ties of both forms join notes",
        arguments: [
            ("^ts LA_4 ! LA_8 ^te B_4 !t", ["tie 0 1"]), ("LA_4 ^tla LA_8 B_4 !t", ["tie 0 1"]),
            ("^ts LA_4 LA_8 LA_8 ^te !t", ["tie 0 1 2"]), ("LA_4 ^tla LA_8 ^tla LA_8 !t", ["tie 0 1 2"]),
            // Without an open tie, ^te is the old tie on E.
            ("E_4 ^te E_4 !t", ["tie 0 1"]), ("LA_4 !t\n& ^tla LA_4 !t", ["tie 0 1"]),
        ])
    func ties(music: String, wanted: [String]) throws {
        let reading = try readBWW(bww("& \(music)"))
        #expect(reading.problems.isEmpty, "\(lines(reading))")
        #expect(groups(reading) == wanted)
        #expect(notes(reading)[0].noteGroups.count == 1)
    }

    @Test(
        "A tie that joins nothing is a warning",
        arguments: ["^ts LA_4 B_4 ^te !t", "LA_4 ^tla B_4 !t", "^tla LA_4 !t", "^ts LA_4 !t", "LA_4 ^tla !t"])
    func badTies(music: String) throws {
        let reading = try readBWW(bww("& \(music)"))
        #expect(reading.problems.map(\.code) == [.tieEnd])
        #expect(reading.document.noteGroups.isEmpty)
    }

    @Test func irregularGroupsChangeDurations() throws {
        let reading = try readBWW(
            bww("& 2_4 ^3s LA_8 B_8 C_8 ^3e ^43s D_8 E_8 F_8 HG_8 ^43e ! LA_8 B_8 C_8 ^3c D_4 !t"))
        #expect(groups(reading) == ["3:2 0 1 2", "4:3 3 4 5 6", "3:2 7 8 9"])
        let quaver = Ticks.semibreve.count / 8
        #expect(
            notes(reading).map(\.duration.ticks.count).prefix(4) == [
                quaver * 2 / 3, quaver * 2 / 3, quaver * 2 / 3, quaver * 3 / 4,
            ])
        #expect(reading.problems.map(\.code) == [.barLength])
        // Without an open group, ^3e is the old triplet on E.
        #expect(groups(try readBWW(bww("& C_8 D_8 E_8 ^3e !t"))) == ["3:2 0 1 2"])
    }

    @Test func timeLinesMayEndAfterTheLine() throws {
        let reading = try readBWW(bww("& LA_4 ! '1 B_4 ''!I _'\n& '224 C_4 ! D_4 !I bis_'\n& 'intro E_4 !t"))
        #expect(reading.problems.isEmpty, "\(lines(reading))")
        #expect(groups(reading) == ["1: 1", "2 of 2 & 4: 2 3", "Intro: 4"])
    }

    // MARK: Tunes and lines

    @Test func joinedFilesAreTunes() throws {
        let text = bww("& LA_4 !I", title: "One") + bww("& B_4 !t\n& C_4 !I", title: "Two")
        let tunes = try readBWW(text).document.tunes
        #expect(tunes.map(\.metadata.title) == ["One", "Two"])
        #expect(tunes.map { $0.systems.count } == [1, 2])
    }

    @Test func theTypeStandsInForAMissingTitle() throws {
        let tune = try readBWW("\"Jig of Slurs\",(Y,C,0,0,Arial,1)\n& LA_4 !t").document.tunes[0]
        #expect(tune.metadata.title == "Jig of Slurs" && tune.metadata.tuneType == .jig)
        #expect(tune.metadata.texts.map(\.text) == ["Jig of Slurs"])
    }

    @Test func partsBeginAtHeavyBarLines() throws {
        let tune = try readBWW(bww("& I! LA_4 !t\n& B_4 !I\n& I!'' C_4 ''!I\n& D_4 !t")).document.tunes[0]
        #expect(tune.parts.map(\.partLetter) == ["A", "B", "C"])
        #expect(tune.parts.map(\.systems.count) == [2, 1, 1])
        #expect(Part.letter(25) == "Z" && Part.letter(26) == "AA" && Part.letter(52) == "BA")
    }

    @Test func aLineWithoutItsEndIsAWarning() throws {
        let reading = try readBWW(bww("& LA_4 ! B_4\n& C_4 !t"))
        #expect(lines(reading) == ["line 4, column 1: the line before has no bar line at its end (W_NO_LINE_END)"])
        #expect(measures(reading).map(\.end) == [.single, .none, .single])
    }

    @Test func gracenotesWithoutANoteStandAtTheEndOfTheLine() throws {
        let reading = try readBWW(bww("& LA_4 ! gg !t\n& B_4 dbc !t"))
        #expect(reading.problems.map(\.code) == [.embellishmentWithoutNote, .embellishmentWithoutNote])
        #expect(measures(reading).compactMap { $0.trailing?.graceNotes } == [[.highG], [.highG, .c, .d]])
        // Before a bar line they belong to the note after it.
        #expect(notes(try readBWW(bww("& LA_4 gg ! B_4 !t")))[1].embellishment?.kind == .single)
    }

    @Test func embellishmentsInARowAreJoined() throws {
        let reading = try readBWW(bww("& LA_4 gg strd D_4 !t"))
        let joined = try #require(notes(reading)[1].embellishment)
        #expect(joined.kind == .gracenotes && joined.isListed && joined.graceNotes == [.highG, .d])
    }

    @Test func warningsNameTheirPlace() throws {
        let reading = try readBWW(bww("&\tLA_4 foo  B_4 <bar> thrd E_4 ! HG_4 gg E_4 !t"))
        #expect(
            lines(reading) == [
                "line 3, column 8: unknown: \"foo\", skipped (W_UNKNOWN_TOKEN)",
                "line 3, column 17: unknown: \"<bar>\", skipped (W_UNKNOWN_TOKEN)",
                "line 3, column 23: \"thrd\" is played on D, not on E (W_EMB_TARGET)",
                "line 3, column 39: \"gg\" repeats the note before a gracenote (W_EMB_REPEATED)",
            ])
        #expect(reading.problems.map(\.token) == ["foo", "<bar>", "thrd", "gg"])
        #expect(notes(reading).count == 5)
    }

    @Test func onlyBarsWithinALineMustBeFull() throws {
        let reading = try readBWW(bww("& 2_4 LA_8 ! B_4 ! C_4 D_4 ! E_2 F_4 ! HG_4 !t"))
        #expect(reading.problems.map(\.code) == [.barLength, .barLength])
        #expect(
            reading.problems.map(\.reason) == [
                "the bar is shorter than its time signature says", "the bar is longer than its time signature says",
            ])
    }

    // MARK: Bytes

    @Test func textIsUTF8OrWindows1252() throws {
        let head = Array("\"Caf".utf8)
        let tail = Array("\",(T,L,0,0)\r\n& LA_4 !t\r\n".utf8)
        let latin = try ScoreFile.read(head + [0xE9, 0x96] + tail + [0x1A], name: "t.bww")
        #expect(latin.document.tunes[0].metadata.title == "Caf\u{E9}\u{2013}" && latin.problems.isEmpty)
        let utf8 = try ScoreFile.read(head + Array("é–".utf8) + tail, name: "t.bww")
        #expect(utf8.document.tunes == latin.document.tunes)
        // One that is no character.
        let bad = try ScoreFile.read(head + [0xE9, 0x81] + tail, name: "t.bww")
        #expect(bad.problems.map(\.code) == [.encoding])
        for ending in ["\r", "\n", "\r\n"] {
            let text = bww("& LA_4 foo !t").split(separator: "\n").joined(separator: ending)
            #expect(lines(try readBWW(text)) == ["line 3, column 8: unknown: \"foo\", skipped (W_UNKNOWN_TOKEN)"])
        }
    }

    @Test(
        "What is no BWW is refused",
        arguments: [
            ("hello world, this is a letter and no music at all", "t.bww: is no BWW score: 11 of its 11 words"),
            ("Bagpipe Reader:1.0\n", "t.bww: has no line of music, which begins with & (E_NOT_BWW)"),
            ("", "t.bww: is no BWW score (E_NOT_BWW)"),
        ])
    func notBWW(text: String, message: String) {
        let error = #expect(throws: EngineError.self) { _ = try readBWW(text) }
        #expect(error?.description.hasPrefix(message) == true, "\(error?.description ?? "")")
    }

    @Test func piobaireachdThatCannotBeDrawnIsAnErrorOfItsTune() throws {
        let text = bww("& LA_4 embari E_4 !t", title: "One") + bww("& crunl E_4 !t", title: "Two")
        let reading = try readBWW(text)
        #expect(reading.error(ofTune: 0)?.code == .piobaireachd && reading.error(ofTune: 1) == nil)
        #expect(reading.error(ofTune: 0)?.token == "embari")
        #expect(reading.document.tunes.map(\.metadata.title) == ["One", "Two"])
        let skipped = try readBWW(text, skipsPiobaireachd: true)
        #expect(skipped.problems.map(\.code) == [.unknownToken] && notes(skipped).count == 2)
    }
}
