import Testing

@testable import InkDocuments
@testable import InkEngine

/// Notes and ink of other programs, against what is known of the files (`Data/notes/SOURCES.md`).
@Suite struct NoteConformanceTests {
    private func reading(_ name: String) throws -> ProjectReading {
        try ProjectLoader.load(bytes: try Material.bytes("notes/\(name)"), name: name)
    }

    private func strokes(_ layers: [Layer]) -> [Stroke] { layers.flatMap { $0.strokes + strokes($0.children) } }

    @Test(
        "Files of ink have the strokes and points that they are known to have",
        arguments: [
            ("inkmljs-ink1.inkml", 13, 623), ("tika-ppt-ink1.inkml", 1, 166), ("livescribe-3-dots.inkml", 3, 62),
            ("livescribe-2-pages.inkml", 136, 4236), ("poi-stress013-ink5.inkml", 9, 9),
            // A comma after the last point of each begins no other.
            ("handspy-sample-filled.inkml", 2, 20), ("usr0-000003t01.unipen.txt", 1, 37),
            ("usr2-000005t01.unipen.txt", 2, 108),
        ])
    func counts(name: String, strokeCount: Int, pointCount: Int) throws {
        let reading = try reading(name)
        let found = strokes(reading.project.layers)
        #expect(found.count == strokeCount && found.reduce(0) { $0 + $1.points.count } == pointCount)
        #expect(reading.warnings.isEmpty, "\(reading.warnings)")
    }

    @Test func inkmlKeepsWidthsColorsPressuresAndTimes() throws {
        let office = strokes(try reading("inkmljs-ink1.inkml").project.layers)
        // 0.06667 cm and 0.46667 cm at 96 pixels an inch.
        #expect(Set(office.map { ($0.brush.lineWidth * 100).rounded() }) == [252, 1764])
        #expect(Set(office.map(\.brush.color.description)) == ["#ed1c24", "#3165bb"])
        #expect(office.allSatisfy { $0.brush.dynamics.pressureAffectsSize })
        let pressures = office.flatMap(\.points).map(\.pressure)
        #expect(pressures.allSatisfy { (0...1).contains($0) } && Set(pressures).count > 10)
        let plain = strokes(try reading("handspy-sample-filled.inkml").project.layers)
        #expect(plain[0].points.map(\.timestamp).prefix(3) == [500, 1000, 1500])
        #expect(plain[0].points[1].x == 4 && plain[0].points[1].y == 7)
    }

    @Test func anExcalidrawDrawingIsOnAnInfiniteCanvas() throws {
        let reading = try reading("kubekey-ha-harbor.excalidraw")
        let project = reading.project
        #expect(project.isInfinite && project.viewports.isEmpty && !project.hasPages)
        #expect(project.background == .white)
        // Areas and letters are shapes, lines and outlines strokes.
        let shapes = project.layers.flatMap(\.shapes)
        #expect(shapes.contains { $0.text != nil } && shapes.contains { $0.text == nil })
        #expect(strokes(project.layers).count >= 5 * 16)
        #expect(reading.warnings.isEmpty, "\(reading.warnings)")
    }

    @Test func itemsOfALibraryArePages() throws {
        let project = try reading("fixture_library.excalidrawlib").project
        #expect(project.hasPages && project.viewports.count == 1)
        #expect(!strokes(project.layers).isEmpty)
    }
}
