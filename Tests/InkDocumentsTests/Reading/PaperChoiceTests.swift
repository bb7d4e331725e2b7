import InkCodecs
import InkEngine
import Testing

@testable import InkDocuments

/// Documents on pages of paper.
@Suite struct PaperChoiceTests {
    private func read(_ json: String, _ change: (inout PaperChoice) -> Void) throws -> ProjectReading {
        var paper = PaperChoice()
        change(&paper)
        return try ProjectLoader.load(bytes: Array(json.utf8), name: "a.ink", paper: paper)
    }

    private static let wide =
        #"{"version": "1.3", "canvasSize": {"width": 400, "height": 100}, "layers": [{"shapes": [{"path": "M0 0h900v9z"}]}]}"#

    @Test func aDrawingIsFittedAndCentred() throws {
        let project = try read(Self.wide) { $0.size = .a4 }.project
        let view = try #require(project.viewports.first)
        #expect(project.hasPages && project.metadata.unitsPerInch == 72)
        #expect(abs(view.size.width - 595.276) < 0.001 && abs(view.size.height - 841.890) < 0.001)
        // 10 mm at both sides.
        #expect(abs(view.zoom * 400 - (view.size.width - 20 / 25.4 * 72)) < 1e-9)
        #expect(view.center == Point(x: 200, y: 50))
    }

    @Test func aPageThatTravelsKnowsItsPaper() throws {
        let project = try read(Self.wide) { $0.size = .a4 }.project
        let sent = try ProjectLoader.load(bytes: try ProjectWriter.write(project), name: "a.ink")
        #expect(sent.project.metadata.unitsPerInch == 72 && sent.warnings.isEmpty)
        let odd = Self.wide.dropLast() + #", "metadata": {"unitsPerInch": "72"}}"#
        #expect(try read(String(odd)) { _ in }.warnings.map(\.path) == ["metadata.unitsPerInch"])
    }

    @Test func whatLiesBeyondTheDrawingIsHiddenByPaper() throws {
        let project = try read(Self.wide) {
            ($0.size, $0.isLandscape, $0.margin) = (.letter, true, 0)
        }.project
        let view = try #require(project.viewports.first)
        #expect(view.size == CanvasSize(width: 792, height: 612))
        let frame = try #require(project.layers.last?.shapes.first)
        #expect(frame.rule == .evenodd && frame.fill == .color(.white))
        // The hole is the canvas.
        let hole = frame.path.points.suffix(4)
        #expect(abs((hole.map(\.x).min() ?? -1) - 0) < 1e-9 && abs((hole.map(\.x).max() ?? -1) - 400) < 1e-9)
        #expect(abs((hole.map(\.y).min() ?? -1) - 0) < 1e-9 && abs((hole.map(\.y).max() ?? -1) - 100) < 1e-9)
    }

    @Test func cropMarksAreEightLinesInTheMargin() throws {
        let shapes = try read(Self.wide) { ($0.size, $0.hasCropMarks) = (.a5, true) }.project.layers.last?.shapes ?? []
        #expect(shapes.count == 2)
        #expect(shapes.last?.path.verbs.count { $0 == .move } == 8)
    }

    @Test func pagesOfPaperHaveDigestsOfTheirOwn() throws {
        let plain = try read(Self.wide) { _ in }
        let paper = try read(Self.wide) { $0.size = .a4 }
        let other = try read(Self.wide) { ($0.size, $0.margin) = (.a4, 3) }
        #expect(Set([plain, paper, other].map(\.contentDigest)).count == 3)
        #expect(plain.project.viewports.isEmpty && plain.project.metadata.unitsPerInch == nil)
    }

    @Test func aMarginWithoutRoomIsAnError() {
        #expect(throws: EngineError.self) { _ = try read(Self.wide) { ($0.size, $0.margin) = (.a5, 300) } }
    }

    @Test func infiniteCanvasesShowAllThatIsVisible() throws {
        let json =
            #"{"version": "1.3", "canvas": "infinite", "layers": [{"shapes": [{"path": "M0 0h900v90z"}]}]}"#
        let project = try read(json) { $0.size = .a4 }.project
        let view = try #require(project.viewports.first)
        let middle = ViewMap(view).point(Point(x: 450, y: 45))
        #expect(abs(middle.x - view.size.width / 2) < 1e-6 && abs(middle.y - view.size.height / 2) < 1e-6)
    }

    @Test func aPictureOnPaperHasTheSizeOfThePaper() throws {
        let project = try read(Self.wide) { $0.size = .a4 }.project
        var options = PictureOptions()
        options.view = .index(0)
        let density = try #require(options.density(of: project, output: PixelSize(width: 2480, height: 3508)))
        // So many inches.
        #expect(abs(2480 / density.across * 25.4 - 210) < 1e-9)
        #expect(abs(3508 / density.down * 25.4 - 297) < 1e-9)
        options.dotsPerInch = 150
        #expect(options.density(of: project, output: PixelSize(width: 2480, height: 3508))?.across == 150)
    }

    @Test func scoresAreLaidOutForThePaper() throws {
        var paper = PaperChoice()
        (paper.size, paper.staffHeight, paper.margin) = (.a5, 12, 20)
        let bytes = Array(EngravedScores.tune("One", lines: 2).utf8)
        let project = try ProjectLoader.load(bytes: bytes, name: "a.bww", paper: paper).project
        let view = try #require(project.viewports.first)
        #expect(abs(view.size.width - 148 / 25.4 * 72) < 1e-9)
        // A staff space is a quarter of the staff.
        let heads = project.layers[0].shapes.filter { $0.symbol == "noteheadBlack" }
        #expect(Set(heads.map { ($0.transform.a * 1000).rounded() / 1000 }) == [3, 1.8])
    }
}
