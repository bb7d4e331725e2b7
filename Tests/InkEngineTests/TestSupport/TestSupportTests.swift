import Foundation
import InkEngine
import InkReference
import InkTestSupport
import Testing

@Suite("What the tests lean on")
struct TestSupportTests {
    /// Values of the PNG specification (IEND) and of RFC 1950's definition (worked by hand for "abc").
    @Test func chunksCarryTheirChecksums() {
        #expect(MinimalPNGWriter.chunk("IEND", []) == [0, 0, 0, 0, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82])
        let png = MinimalPNGWriter.png(gray: [97, 98, 99], size: PixelSize(width: 3, height: 1))
        // 00 61 62 63: a = 1 + 294 = 295, b = 1 + 98 + 196 + 295 = 590 after bytes 0, 97, 98, 99.
        let adler: [UInt8] = [0x02, 0x4E, 0x01, 0x27]
        #expect(png.count == 8 + 25 + 12 + 2 + 5 + 4 + 4 + 12)
        #expect(Array(png[(8 + 25 + 8 + 7)...].prefix(8)) == [0, 97, 98, 99] + adler)
    }

    @Test func blocksOfLargeImagesAreSplit() {
        let size = PixelSize(width: 200, height: 100)
        let png = MinimalPNGWriter.png(rgba: [UInt8](repeating: 7, count: size.area * 4), size: size)
        // 80,100 bytes in two stored blocks of five bytes of header each.
        #expect(png.count == 8 + 25 + 12 + 2 + 2 * 5 + 80_100 + 4 + 12)
    }

    @Test func comparisonCountsAndPointsOut() {
        let size = PixelSize(width: 2, height: 2)
        let expected: [UInt8] = [0, 0, 0, 255, 10, 10, 10, 255, 9, 9, 9, 0, 100, 100, 100, 255]
        var actual = expected
        actual[4] = 12
        actual[8] = 200  // under alpha 0: not seen
        actual[13] = 90
        let found = PictureComparison(actual: actual, expected: expected, size: size, channels: 4)
        #expect(found.meanError == 12.0 / 16)
        #expect(found.maxError == 10)
        #expect(found.shareBeyond1 == 0.5)
        #expect(found.shareBeyond6 == 0.25)
        #expect(found.worst == (1, 1))
        #expect(found.worstActual == [100, 90, 100, 255])
        #expect(!found.isWithinSpecification)
        #expect(PictureComparison(actual: expected, expected: expected, size: size, channels: 4).isWithinSpecification)
    }

    @Test func randomProjectsRepeatAndVary() {
        let first = RandomProject.make(seed: 3)
        let again = RandomProject.make(seed: 3)
        #expect(first.description == again.description)
        #expect(first.images.images == again.images.images)
        #expect(first.project.layers.map(\.strokes) == again.project.layers.map(\.strokes))
        let many = (0..<UInt64(60)).map { RandomProject.make(seed: $0) }
        let strokes = many.flatMap { $0.project.layers.flatMap(\.strokes) }
        #expect(Set(strokes.map(\.brush.type)).count == BrushType.allCases.count)
        #expect(Set(strokes.map(\.mode)).count == 2)
        #expect(many.contains { $0.project.baseImage != nil } && many.contains { !$0.project.background.isOpaque })
        #expect(strokes.contains { $0.brush.lineWidth > $0.brush.spacing } && strokes.contains { $0.points.count == 1 })
        for stroke in strokes {
            #expect(stroke.brush.spacing > 0 && stroke.brush.lineWidth > 0 && stroke.brush.scale > 0)
            #expect((0...1).contains(stroke.brush.opacity))
            #expect(stroke.points.allSatisfy { (0...1).contains($0.pressure) && $0.x.isFinite && $0.y.isFinite })
        }
    }

    @Test func temporaryFoldersComeAndGo() throws {
        var folder: TemporaryFolder? = try TemporaryFolder()
        let path = try #require(folder?.path)
        try folder?.write("hello", to: "a/b.txt")
        #expect(try folder?.read("a/b.txt") == Array("hello".utf8))
        #expect(try folder?.contents() == ["a", "a/b.txt"])
        folder = nil
        #expect(!FileManager.default.fileExists(atPath: path))
    }
}

@Suite("Project files that tests write")
struct ProjectFileWriterTests {
    @Test func aProjectBecomesItsJSON() throws {
        var project = RandomProject.make(seed: 8).project
        project.name = "a \"quoted\"\n name\\ é"
        project.metadata.author = nil
        let parsed = try JSONSerialization.jsonObject(with: Data(ProjectFileWriter.bytes(of: project)))
        let root = try #require(parsed as? [String: Any])
        #expect(root["name"] as? String == project.name)
        #expect(root["background"] as? String == project.background.description)
        let layers = try #require(root["layers"] as? [[String: Any]])
        #expect(layers.count == project.layers.count)
        for (written, layer) in zip(layers, project.layers) {
            #expect(written["blendMode"] as? String == layer.blendMode.rawValue)
            #expect(isNear([try #require(written["opacity"] as? Double)], [layer.opacity]))
            let mask = (written["maskImage"] as? String).flatMap { Data(base64Encoded: $0) }
            #expect(mask.map(Array.init) == layer.maskImage?.bytes)
            let strokes = try #require(written["strokes"] as? [[String: Any]])
            #expect(strokes.count == layer.strokes.count)
            for (written, stroke) in zip(strokes, layer.strokes) {
                let brush = try #require(written["brush"] as? [String: Any])
                #expect(isNear([try #require(brush["spacing"] as? Double)], [stroke.brush.spacing]))
                #expect(written["mode"] as? String == stroke.mode.rawValue)
                let points = stroke.points.map { [$0.x, $0.y, $0.pressure, $0.timestamp, $0.altitude, $0.azimuth] }
                let writtenPoints = try #require(written["points"] as? [[Double]])
                #expect(isNear(writtenPoints.flatMap { $0 }, points.flatMap { $0 }))
            }
        }
    }

    /// JSONSerialization's numbers may be off in the last place.
    private func isNear(_ a: [Double], _ b: [Double]) -> Bool {
        a.count == b.count && zip(a, b).allSatisfy { abs($0 - $1) <= 1e-15 * max(1, abs($1)) }
    }
}
