import InkEngine
import Testing

@testable import InkDocuments

/// Tunes for tests of pages.
enum EngravedScores {
    static func pages(
        _ text: String, _ choice: PaperChoice = PaperChoice(), change: (inout DocumentLayoutSettings) -> Void = { _ in }
    ) throws -> (pages: ScorePages, reading: ScoreReading) {
        var reading = try BWWReader.read(Array(text.utf8), name: "tune.bww")
        change(&reading.document.documentLayout)
        let format = PageFormat(reading.document.documentLayout, file: nil, choice)
        let pages = ScorePages(&reading, format: format)
        return (pages, reading)
    }

    /// The tunes of a text in lines of a width.
    static func tunes(
        _ text: String, width: Spaces = 152, change: (inout DocumentLayoutSettings) -> Void = { _ in }
    ) throws -> [EngravedTune] {
        var document = try BWWReader.read(Array(text.utf8), name: "tune.bww").document
        change(&document.documentLayout)
        return try document.tunes.enumerated().map { index, tune in
            try EngravedTune(
                tune, index: index, groups: document.noteGroups, settings: document.documentLayout, width: width,
                scaleMax: 1)
        }
    }

    static func line(_ music: String, change: (inout DocumentLayoutSettings) -> Void = { _ in }) throws -> EngravedLine
    {
        try #require(try tunes("& sharpf sharpc 4_4 \(music)", change: change).first?.lines.first)
    }

    /// A tune of so many lines.
    static func tune(_ title: String, lines: Int) -> String {
        "\"\(title)\",(T,L,0,0,Times,16,700)\n"
            + (0..<lines).map { _ in "& sharpf sharpc gg LA_4 thrd D_4 dbe E_4 HA_4 !t\n" }.joined()
    }

    /// Lines with each embellishment that the note may have, on each note.
    static let embellished: [String] = {
        let suffixes = ["lg", "la", "b", "c", "d", "e", "f", "hg", "ha"]
        return suffixes.map { suffix in
            let kinds = [
                "gg", "ag", "tg", "eg", "dg", "db\(suffix)", "grp", "tar", "gst\(suffix)", "pel\(suffix)",
                "st3\(suffix)",
            ]
            let notes = kinds.enumerated().map { "\($1) \(suffix.uppercased())_\([4, 8, 16, 2][$0 % 4])" }
            return notes.joined(separator: " ") + " ! dblg !t"
        }
    }()
}

/// Lines of music as lists of what is drawn.
@Suite struct EngravingTests {
    /// Heads with the places of their left edges, in spaces, and what scale they have.
    private func heads(_ line: EngravedLine) -> [(x: Spaces, y: Spaces, scale: Double)] {
        line.items.compactMap { item in
            guard case .glyph(let glyph, let place, let scale) = item, glyph.rawValue.hasPrefix("notehead") else {
                return nil
            }
            return (place.x, place.y, scale)
        }
    }

    @Test func headsStandInReadingOrderOnTheirLines() throws {
        let line = try EngravedScores.line("LG_4 LA_4 B_4 C_4 D_4 E_4 F_4 HG_4 HA_4 !t")
        let found = heads(line)
        #expect(found.map(\.y) == [1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5])
        #expect(found.allSatisfy { $0.scale == 1 })
        #expect(zip(found, found.dropFirst()).allSatisfy { $0.x < $1.x })
    }

    @Test func gracenotesStandBeforeTheirNoteAtTheirScale() throws {
        let found = heads(try EngravedScores.line("thrd D_4 !t"))
        #expect(found.map(\.scale) == [0.6, 0.6, 0.6, 1])
        #expect(found.map(\.y) == [1, 3, 2.5, 3])
        let steps = zip(found, found.dropFirst()).map { $1.x - $0.x }
        #expect(steps[0] == 0.92 && steps[1] == 0.92)
        // The last head is 0.708 wide.
        #expect(steps[2] - 0.708 >= 0.54)
    }

    @Test func beamsOfGracenotesAreLevelAcrossTheLine() throws {
        let line = try EngravedScores.line("thrd D_4 dbf F_4 grp B_4 tar LA_4 !t")
        let beams = line.items.compactMap { item -> StaffBox? in
            guard case .box(let box) = item, box.maxY - box.minY == GraceGroup.beam else { return nil }
            return box
        }
        #expect(beams.count == 12)
        #expect(Set(beams.map(\.maxY)).count == 3)
        #expect(beams.map(\.maxY).max() == GraceGroup.beamTop)
    }

    @Test func beamsAreFlatAndStemsEndInThem() throws {
        let line = try EngravedScores.line("LAr_8 Bl_8 Cr_16 El_16 Fr_8 'f HAl_16 !t")
        let boxes = line.items.compactMap { item -> StaffBox? in if case .box(let box) = item { box } else { nil } }
        let stems = boxes.filter { $0.width == EngravingRules.stem }
        let beams = boxes.filter { $0.maxY - $0.minY == LineEngraver.beam && $0.width > 0.5 }
        #expect(stems.count == 6)
        for stem in stems {
            #expect(
                beams.contains { $0.minY == stem.minY && $0.minX <= stem.minX && $0.maxX >= stem.maxX },
                "the stem at \(stem.minX.value) ends at \(stem.minY.value)")
        }
        // Three groups; the second has two beams, the third a partial one.
        #expect(beams.count == 5)
    }

    @Test func slantedBeamsRiseBySpaceAtMost() throws {
        let line = try EngravedScores.line("LGr_8 HAl_8 !t") { $0.melodyBeams = .slanted }
        let corners = line.items.compactMap { item -> [StaffPoint]? in
            if case .polygon(let corners) = item { corners } else { nil }
        }
        for beam in corners { #expect(beam[1].y - beam[0].y <= 1.05) }
    }

    @Test(arguments: ["!", "!t", "''!I", "!!t"]) func linesAreAsWideAsThePage(end: String) throws {
        let line = try EngravedScores.line("LA_4 B_4 C_4 E_4 ! E_4 F_4 HG_4 HA_4 \(end)")
        #expect(abs(line.width.steps - Spaces(152).steps) <= 1)
        #expect(line.items.map(\.box.maxX).max().map { abs($0.steps - line.width.steps) <= 1 } == true)
    }

    @Test func twoRepeatsInTheMiddleShareTheHeavyStroke() {
        #expect(BarStroke.strokes(.repeat, .repeat) == [.dots, .thin, .heavy, .thin, .dots])
        #expect(abs(BarStroke.strokes(.repeat, .none).width.value - 1.9) < 0.01)
        #expect(abs(BarStroke.strokes(.none, .heavy).width.value - 1.06) < 0.01)
    }

    @Test func barsOfAPartStandBelowEachOtherWhereThatIsWanted() throws {
        let text = "& sharpf sharpc 4_4 LA_4 B_4 ! E_8 F_8 E_8 F_8 HG_4 !t\n& gg C_8 thrd D_8 E_8 E_8 ! E_4 F_4 !I"
        func bars(_ isAligned: Bool) throws -> [[Spaces]] {
            let tune = try #require(try EngravedScores.tunes(text) { $0.alignBars = isAligned }.first)
            return tune.lines.map { line in
                line.items.compactMap { item in
                    guard case .box(let box) = item, box.maxY - box.minY == 4, box.width < 1 else { return nil }
                    return box.maxX
                }
            }
        }
        let (plain, aligned) = (try bars(false), try bars(true))
        #expect(plain[0][0] != plain[1][0])
        #expect(abs(aligned[0][0].steps - aligned[1][0].steps) <= 1)
        #expect(abs((aligned[0].last ?? 0).steps - Spaces(152).steps) <= 4)
    }

    // MARK: - Gaps

    /// What may not touch: heads, accidentals, flags, clefs, texts; with the gap that they keep.
    private func solids(_ line: EngravedLine) -> [StaffBox] {
        line.items.compactMap { item in
            guard case .glyph(let glyph, _, _) = item else { return nil }
            let name = glyph.rawValue
            return name.hasPrefix("notehead") || name.hasPrefix("rest") || name.hasPrefix("accidental") ? item.box : nil
        }
    }

    @Test(arguments: EngravedScores.embellished) func headsKeepTheirDistance(music: String) throws {
        for width: Spaces in [100, 152] {
            for tune in try EngravedScores.tunes("& 4_4 \(music)", width: width) {
                let boxes = solids(tune.lines[0])
                for (index, box) in boxes.enumerated() {
                    for other in boxes[(index + 1)...] {
                        #expect(!box.overlaps(other, gap: 0.14), "\(box) and \(other)")
                    }
                }
            }
        }
    }

    @Test(arguments: EngravedScores.embellished) func flagsOfGracenotesDoNotTouchTheNote(music: String) throws {
        let line = try #require(try EngravedScores.tunes("& 4_4 \(music)", width: 100).first?.lines.first)
        var flags: [StaffBox] = []
        for item in line.items {
            guard case .glyph(let glyph, _, let scale) = item else { continue }
            if glyph == GraceGroup.flag { flags.append(item.box) }
            if glyph.rawValue.hasPrefix("notehead"), scale == 1 {
                #expect(!flags.contains { $0.overlaps(item.box, gap: 0.1) }, "\(item.box)")
            }
        }
    }

    @Test(
        arguments: [
            "'1 gg HG_4 tg HA_4 LA_4 _' !", "gg LA_4 fermatla '22 tg HA_4 tdbf F_4 _' fine !",
            "'intro ag HG_4 gg HA_4 _' dacapoalfine ! segno !",
        ]) func textsTouchNothing(music: String) throws
    {
        let line = try EngravedScores.line("\(music) '2 dbha HA_4 E_4 _' dalsegno !t") { $0.partLabels = true }
        let texts = line.items.filter { if case .text = $0 { true } else { false } }
        #expect(texts.count >= 3)
        for text in texts {
            for item in line.items where item != text {
                #expect(!text.box.overlaps(item.box, gap: 0.1), "\(text) and \(item)")
            }
        }
    }

    // MARK: - Ties, tuplets, time lines

    @Test func tiesOverLineEndsAreInBothLines() throws {
        let tune = try #require(
            try EngravedScores.tunes("& 4_4 LA_4 B_4 C_4 ^ts E_4 !t\n& E_4 ^te C_4 B_4 LA_4 !t").first)
        let ties = tune.lines.map { line in line.items.count { if case .tie = $0 { true } else { false } } }
        #expect(ties == [1, 1])
    }

    @Test func tupletsShowTheirNumber() throws {
        let line = try EngravedScores.line("^43s LAr_8 B_8 C_8 Dl_8 ^43e LA_4 !t")
        let numbers = line.items.compactMap { item -> ScoreGlyph? in
            if case .glyph(let glyph, _, _) = item, glyph.rawValue.hasPrefix("tuplet") { glyph } else { nil }
        }
        #expect(numbers == [.tuplet4])
    }

    @Test func timeLinesSayWhichTimesTheyAreFor() throws {
        let line = try EngravedScores.line("LA_4 ! '224 B_4 _' ''!I")
        let texts = line.items.compactMap { item -> String? in if case .text(let text) = item { text.text } else { nil }
        }
        #expect(texts == ["2 of 2 & 4"])
        #expect(line.hasTopText)
        #expect(line.ascent >= 11)
    }

    // MARK: - Drums

    /// A bar of pipes above a bar of a drum.
    private func drumLine(change: (inout [SnareDrumNote]) -> Void = { _ in }) throws -> EngravedLine {
        var tune = try #require(try BWWReader.read(Array("& 2_4 LA_4 B_8 C_8 !t".utf8), name: "t").document.tunes.first)
        let eighth = NoteDuration(noteType: .quaver)
        var strokes = (1...4).map { SnareDrumNote(id: .number(1000 + $0), duration: eighth) }
        strokes[1].hand = .left
        strokes[2].ornament = .flam
        strokes[3].ornament = .drag
        strokes[3].articulation = [.accent]
        change(&strokes)
        tune.parts[0].systems[0].instruments = [.bagpipes, .snareDrum]
        tune.parts[0].systems[0].measures[0].snareDrum = strokes
        let engraved = try EngravedTune(
            tune, index: 0, groups: [], settings: DocumentLayoutSettings(), width: 100, scaleMax: 1)
        return try #require(engraved.lines.first)
    }

    @Test func drumsStandBelowThePipesAtTheSameTimes() throws {
        let line = try drumLine()
        let found = heads(line).filter { $0.scale == 1 }
        #expect(found.count == 7)
        let (pipes, drum) = (found.prefix(3), found.suffix(4))
        // The first and third stroke sound with the first and second note.
        #expect(pipes.map(\.x) == [drum[3].x, drum[5].x, drum[6].x])
        #expect(drum.allSatisfy { $0.y < -6 })
        // Right above the line, left below.
        #expect(drum[3].y - drum[4].y == 1)
        #expect(line.descent > 12)
    }

    @Test func smallNotesOfDrumsAreOfTheOtherHand() throws {
        let small = heads(try drumLine()).filter { $0.scale < 1 }
        let large = heads(try drumLine()).filter { $0.scale == 1 }
        #expect(small.count == 3)
        #expect(Set(small.map { large[5].y - $0.y }) == [1])
    }

    @Test(arguments: [NoteType.quaver, .semiquaver, .demisemiquaver], [SnareDrumNote.StickTechnique.roll, .buzz])
    func strokesOnStemsTouchNeitherBeamsNorHeads(type: NoteType, technique: SnareDrumNote.StickTechnique) throws {
        for isBeamed in [true, false] {
            let line = try drumLine { strokes in
                for index in strokes.indices {
                    strokes[index].duration.noteType = type
                    strokes[index].stickTechnique = technique
                    strokes[index].beam = isBeamed ? nil : .alone
                    strokes[index].articulation = []
                    strokes[index].ornament = nil
                }
            }
            let glyphs = line.items.filter { $0.box.maxY < -5 }.compactMap { item -> (ScoreGlyph, StaffBox)? in
                if case .glyph(let glyph, _, _) = item { (glyph, item.box) } else { nil }
            }
            let strokes = glyphs.filter { $0.0 == .buzzRoll || $0.0.rawValue.hasPrefix("tremolo") }.map(\.1)
            let others = glyphs.filter { $0.0.rawValue.hasPrefix("notehead") }.map(\.1)
            let beams = line.items.compactMap { item -> StaffBox? in
                guard case .box(let box) = item, box.maxY - box.minY == LineEngraver.beam, box.maxY < -5 else {
                    return nil
                }
                return box
            }
            #expect(strokes.count == 4 && others.count == 4 && beams.isEmpty != isBeamed)
            for stroke in strokes {
                #expect((beams + others).allSatisfy { !$0.overlaps(stroke, gap: 0.1) }, "at \(stroke.minX.value)")
            }
        }
    }

    @Test func textsOfShortLinesAreNotShrunk() throws {
        let text = "A text that is longer than the line of music below it"
        let short = try EngravedScores.tunes("\"\(text)\",(I,L,0,0,Times,12,0)\n& LA_4 !t")
        let line = try #require(short.first?.lines.first)
        let found = line.items.compactMap { item -> EngravedText? in
            if case .text(let text) = item { text } else { nil }
        }
        #expect(found.map(\.text) == [text])
        #expect(found[0].size == 1.8 && found[0].width > line.width)
    }

    /// A stored list: what a change of the rules moves shows here.
    @Test func barAsList() throws {
        let line = try EngravedScores.line("gg LA_4 'la thrd D_8 !t") { $0.justifyLastLine = false }
        let list = line.items.map { item in
            func shown(_ value: Spaces) -> String { "\((value.value * 100).rounded() / 100)" }
            let box = item.box
            let what =
                switch item {
                case .glyph(let glyph, _, _): glyph.rawValue
                case .box: "box"
                case .polygon: "polygon"
                case .tie: "tie"
                case .text(let text): text.text
                }
            return "\(what) \([box.minX, box.minY, box.maxX, box.maxY].map(shown).joined(separator: " "))"
        }
        #expect(list == Self.bar)
    }

    private static let bar = [
        "box 0.0 -0.06 23.04 0.07",
        "box 0.0 0.94 23.04 1.07",
        "box 0.0 1.94 23.04 2.07",
        "box 0.0 2.94 23.04 3.07",
        "box 0.0 3.94 23.04 4.07",
        "gClef 0.4 -1.63 3.08 5.39",
        "accidentalSharp 3.53 2.61 4.53 5.4",
        "accidentalSharp 4.53 1.11 5.53 3.9",
        "timeSig4 6.21 2.0 7.93 4.0",
        "timeSig4 6.21 0.0 7.93 2.0",
        "noteheadBlack 9.01 4.2 9.71 4.8",
        "box 9.62 4.6 9.71 7.4",
        "flag32ndUp 9.62 5.55 10.22 7.74",
        "noteheadBlack 10.26 1.0 11.44 2.0",
        "augmentationDot 11.69 1.3 12.09 1.7",
        "noteheadBlack 16.3 0.7 17.01 1.3",
        "box 16.92 1.1 17.01 7.1",
        "noteheadBlack 17.22 2.7 17.93 3.3",
        "box 17.84 3.1 17.93 7.1",
        "noteheadBlack 18.14 2.2 18.85 2.8",
        "box 18.76 2.6 18.85 7.1",
        "box 16.92 6.82 18.85 7.1",
        "box 16.92 6.38 18.85 6.66",
        "box 16.92 5.94 18.85 6.22",
        "noteheadBlack 19.4 2.5 20.58 3.5",
        "box 22.88 0.0 23.04 4.0",
        "box 10.26 -2.0 10.38 1.33",
        "box 19.4 -0.5 19.52 2.83",
        "flag8thDown 19.4 -0.56 20.63 2.73",
    ]
}
