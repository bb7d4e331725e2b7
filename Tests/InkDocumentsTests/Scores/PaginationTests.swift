import InkEngine
import Testing

@testable import InkDocuments

/// Tunes on pages.
@Suite struct PaginationTests {
    /// The tunes and lines of the sections of each page.
    private func sections(_ text: String, height: Spaces, _ fit: DocumentLayoutSettings.Fit = .shrink) throws
        -> [[String]]
    {
        let tunes = try EngravedScores.tunes(text)
        return Pagination(tunes, height: height, fit: fit).pages.map { page in
            page.map { "\($0.tune):\($0.lines.lowerBound)..<\($0.lines.upperBound)" }
        }
    }

    @Test func landscapePageTakesTwoTunesOfFourLines() throws {
        let text = EngravedScores.tune("One", lines: 4) + EngravedScores.tune("Two", lines: 4)
        #expect(try sections(text, height: 102.8) == [["0:0..<4", "1:0..<4"]])
        #expect(try sections(text, height: 102.8, .none).count == 2)
    }

    @Test func noLineStandsAloneOnTheLastPage() throws {
        for lines in 3...20 {
            let pages = try sections(EngravedScores.tune("One", lines: lines), height: 60)
            let counts = pages.map { page in
                page.reduce(0) { sum, section in
                    let ends = section.split(separator: ":")[1].split(separator: ".").map {
                        Int($0.filter(\.isNumber)) ?? 0
                    }
                    return sum + ends[ends.count - 1] - ends[0]
                }
            }
            #expect(counts.reduce(0, +) == lines)
            #expect(counts.allSatisfy { $0 >= 2 }, "\(counts)")
        }
    }

    @Test func headingsKeepTwoLines() throws {
        // The first tune leaves room for a heading and a line.
        let text = EngravedScores.tune("One", lines: 4) + EngravedScores.tune("Two", lines: 6)
        let pages = try sections(text, height: 75)
        #expect(pages.first == ["0:0..<4"])
    }

    @Test func eachTuneHasAPageOfItsOwnWhereThatIsWanted() throws {
        let text = EngravedScores.tune("One", lines: 2) + EngravedScores.tune("Two", lines: 12)
        let (pages, reading) = try EngravedScores.pages(text) { $0.fit = .page }
        #expect(pages.project.viewports.count == 2)
        #expect(reading.problems.isEmpty)
    }

    @Test(arguments: [1, 3, 4, 8, 9, 17, 40]) func everythingStaysOnItsPage(lines: Int) throws {
        let text = EngravedScores.tune("One", lines: lines) + EngravedScores.tune("Two", lines: 4)
        for choice in Self.papers {
            let (pages, _) = try EngravedScores.pages(text, choice)
            let project = pages.project
            #expect(project.viewports.count == project.layers.count)
            for (layer, view) in zip(project.layers, project.viewports) {
                for shape in layer.shapes {
                    let box = shape.path.extent(under: shape.transform)
                    let (left, top) = (view.center.x - view.size.width / 2, view.center.y - view.size.height / 2)
                    #expect(box.minX >= left && box.maxX <= left + view.size.width)
                    #expect(box.minY >= top && box.maxY <= top + view.size.height)
                }
            }
        }
    }

    private static let papers: [PaperChoice] = PaperChoice.Size.allCases.flatMap { size in
        [true, false].map { isLandscape in
            var choice = PaperChoice()
            (choice.size, choice.isLandscape, choice.staffHeight) = (size, isLandscape, 12)
            return choice
        }
    }

    @Test func pagesHaveTheSizeOfTheirPaper() throws {
        let text = EngravedScores.tune("One", lines: 4)
        let own = try EngravedScores.pages(text).pages.project
        #expect(own.viewports.map { "\($0.name) \(PDFSize($0.size))" } == ["p01 841.89x595.28"])
        #expect(own.metadata.unitsPerInch == 72)
        var choice = PaperChoice()
        choice.size = .letter
        let letter = try EngravedScores.pages(text, choice).pages.project
        #expect(letter.viewports.map { "\(PDFSize($0.size))" } == ["612.0x792.0"])
    }

    /// A size to hundredths of a point.
    private struct PDFSize: CustomStringConvertible {
        let size: CanvasSize

        init(_ size: CanvasSize) { self.size = size }

        var description: String {
            [size.width, size.height].map { "\(($0 * 100).rounded() / 100)" }.joined(separator: "x")
        }
    }

    // MARK: - Headings

    private func heading(_ texts: [(String, String, String)], width: Spaces) throws -> EngravedHeading {
        let head = texts.map { "\"\($0.1)\",(\($0.0),\($0.2),0,0,Times,16,700)\n" }.joined()
        let tune = try #require(try EngravedScores.tunes(head + "& 4_4 LA_4 B_4 !t", width: width).first)
        return tune.heading
    }

    @Test func textsOfAHeadingNeverTouch() throws {
        let long = "The 79th's Farewell to Gibraltar and to all Stations of the Mediterranean"
        for width: Spaces in [60, 90, 152] {
            let heading = try heading(
                [("T", long, "L"), ("Y", "6/8 March", "C"), ("M", "Pipe Major J. MacDonald", "R")], width: width)
            for (index, text) in heading.texts.enumerated() {
                #expect(text.box.minX >= 0 && text.box.maxX <= width + 0.01)
                for other in heading.texts[(index + 1)...] { #expect(!text.box.overlaps(other.box, gap: 0.3)) }
            }
        }
    }

    @Test func titlesTooLongForThePageAreCut() throws {
        let long = String(repeating: "Farewell ", count: 30)
        let heading = try heading([("T", long, "L")], width: 100)
        #expect(heading.texts.first?.text.hasSuffix("…") == true)
        #expect(heading.cut.count == 1)
        let (_, reading) = try EngravedScores.pages("\"\(long)\",(T,L,0,0,Times,16,700)\n& 4_4 LA_4 !t")
        #expect(reading.problems.map(\.code) == [.titleCut])
    }

    @Test func textsAreShapesThatSayTheirText() throws {
        let (pages, _) = try EngravedScores.pages(EngravedScores.tune("Mairi’s Wedding é", lines: 1))
        #expect(pages.project.layers[0].shapes.compactMap(\.text) == ["Mairi’s Wedding é"])
    }

    @Test func lettersThatAreMissingAreReported() throws {
        let (_, reading) = try EngravedScores.pages(EngravedScores.tune("Горы", lines: 1))
        #expect(reading.problems.map(\.code) == [.encoding])
    }

    // MARK: - Tunes that cannot be drawn

    @Test func fullLinesMakeTheirTuneSmaller() throws {
        let bar = String(repeating: "grp LA_8 ", count: 8) + "! "
        let (_, scaled) = try EngravedScores.pages("& 4_4 " + String(repeating: bar, count: 4))
        #expect(scaled.problems.map(\.code) == [.noLineEnd, .scaled] || scaled.problems.map(\.code) == [.scaled])
        let (pages, full) = try EngravedScores.pages(
            "& 4_4 " + String(repeating: bar, count: 9) + "!t\n" + EngravedScores.tune("Two", lines: 2))
        #expect(full.problems.contains { $0.code == .lineTooFull })
        // The other tune has its page; that of the full one says why it has none.
        #expect(pages.project.viewports.count == 2)
        #expect(pages.project.pageContents.map { $0.fault != nil } == [false, true])
        #expect(pages.project.layers.count == 1)
    }

    @Test func aChangeOfANoteChangesTheDigestOfItsPageOnly() throws {
        let text = (0..<8).map { EngravedScores.tune("Tune \($0)", lines: 4) }.joined()
        let changed =
            EngravedScores.tune("Tune 0", lines: 3) + "& sharpf sharpc gg LA_4 thrd D_4 dbe E_4 HG_4 !t\n"
            + (1..<8).map { EngravedScores.tune("Tune \($0)", lines: 4) }.joined()
        let (before, after) = (
            try EngravedScores.pages(text).pages.project.pageContents,
            try EngravedScores.pages(changed).pages.project.pageContents
        )
        #expect(before.count == 4)
        #expect(zip(before, after).map { $0.digest == $1.digest } == [false, true, true, true])
        #expect(Set(before.map(\.digest)).count == 4)
        #expect(before.map(\.layer) == [0, 1, 2, 3])
    }

    @Test func linesWithTooManySignsAreRefused() throws {
        let texts = String(repeating: "\"A\",(I,L,0,0,Times,9,400)\n", count: 1000)
        let (pages, reading) = try EngravedScores.pages(
            texts + "& 4_4 LA_4 !t\n" + EngravedScores.tune("Two", lines: 2))
        #expect(reading.problems.map(\.code) == [.limit])
        #expect(pages.project.pageContents.map { $0.fault != nil } == [false, true])
    }

    @Test func symbolsAreThoseThatAreUsed() throws {
        let project = try EngravedScores.pages(EngravedScores.tune("One", lines: 1)).pages.project
        #expect(
            project.symbols.map(\.id).sorted() == ["accidentalSharp", "flag32ndUp", "gClef", "noteheadBlack"])
        let used = Set(project.layers.flatMap { $0.shapes.compactMap(\.symbol) })
        #expect(used == Set(project.symbols.map(\.id)))
    }

    // MARK: - Any music

    /// Music of tokens in any order, from a seed.
    private func anyMusic(_ seed: UInt64) -> String {
        var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
        func next(_ count: Int) -> Int {
            // Knuth's constants (MMIX).
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % count
        }
        let notes = ["LG", "LA", "B", "C", "D", "E", "F", "HG", "HA"]
        let others = [
            "gg", "thrd", "tar", "dbf", "tpelhg", "gbr", "!", "!", "! ", "'1", "'22", "_'", "'intro", "^ts", "^te",
            "^3s",
            "^3e", "^43s", "^43e", "REST_4", "REST_1", "fine", "segno", "dacapoalcoda", "sharpc", "flathg", "6_8", "C_",
            "'la", "''hg", "fermatd", "''!I I!''", "!!t", "!t\n& sharpf", "\n\"Text\",(I,C,0,0,T,9,400)\n&", "!I\n&",
        ]
        var text = "\"T\",(T,L,0,0,Times,16,700)\n& sharpf sharpc 4_4 "
        for _ in 0..<next(150) {
            let note = "\(notes[next(9)])\(["", "r", "l"][next(3)])_\([1, 2, 4, 8, 8, 16, 16, 32][next(8)])"
            text += (next(3) == 0 ? others[next(others.count)] : note) + " "
        }
        return text + ["!t", "''!I", "", "_'"][next(4)]
    }

    @Test func anyMusicStaysOnItsPages() throws {
        for seed in 1...150 as ClosedRange<UInt64> {
            let text = anyMusic(seed)
            let found = try EngravedScores.pages(text) { settings in
                settings.partLabels = seed % 2 == 0
                settings.melodyBeams = seed % 3 == 0 ? .slanted : .flat
                settings.graceBeams = seed % 5 == 0 ? .slanted : .flat
            }
            let project = found.pages.project
            #expect(project.pageContents.count == project.viewports.count)
            for (page, view) in zip(project.pageContents, project.viewports) {
                guard let layer = page.layer else { continue }
                for shape in project.layers[layer].shapes {
                    let box = shape.path.extent(under: shape.transform)
                    let (left, top) = (view.center.x - view.size.width / 2, view.center.y - view.size.height / 2)
                    let page = Rect(
                        minX: left, minY: top, maxX: left + view.size.width, maxY: top + view.size.height)
                    #expect(page.intersection(box) == box, "seed \(seed): \(text)")
                }
            }
        }
    }

    @Test func everySymbolHasAnOutline() {
        for glyph in ScoreGlyph.allCases {
            #expect(!glyph.outline.path.isEmpty, "\(glyph)")
            #expect(glyph.advance > 0)
        }
    }
}
