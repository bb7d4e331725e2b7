import InkBroker
import InkCodecs
import InkDocuments
import InkEngine
import Testing

@testable import InkBench
@testable import InkPlanning

struct BenchSceneTests {
    /// A change of these values is a change of what all earlier times mean: it needs another `BenchScene.version`.
    private static let golden: [(name: String, points: Int, stamps: Int, sha256: String)] = [
        ("light", 5984, 4575, "2ecfd6eb4a8cc1945ec6754db21c33a95d65ea7999e2fde7d94246023dbf56cb"),
        ("medium", 40_011, 34_919, "064a4b0e6ac1ff074b09e450234d7e55d08553c9e8619d40655466dbb5af66a9"),
        ("heavy", 200_619, 170_446, "a75bd68d21e2446e673d085e4ce6b8fe19ef494482c7a568be4a32f2ceb7f00d"),
    ]

    @Test(arguments: golden)
    func scenesAreTheSameEverywhere(name: String, points: Int, stamps: Int, sha256: String) throws {
        let scene = try #require(BenchScene.all.first { $0.name == name })
        let (project, masks) = scene.parts()
        #expect(project.layers.reduce(0) { $0 + $1.strokes.reduce(0) { $0 + $1.points.count } } == points)
        #expect(project.layers.reduce(0) { $0 + StampCount.exact(of: $1) } == stamps)
        let digest = SHA256()
        digest.update(try ProjectWriter.write(project))
        for mask in masks { digest.update(mask) }
        #expect(digest.finish().hexadecimal == sha256)
        #expect(BenchScene.version == 1)
    }

    /// The weights of the scenes S, M and L, by which other figures are given.
    @Test(arguments: [("light", 3, 60, 4613), ("medium", 6, 400, 34_974), ("heavy", 10, 2000, 170_415)])
    func weightsAreThoseOfTheScenesInTheDocuments(name: String, layers: Int, strokes: Int, stamps: Int) throws {
        let project = try #require(BenchScene.all.first { $0.name == name }).parts().project
        #expect(project.layers.count == layers)
        let all = project.layers.flatMap(\.strokes)
        #expect(all.count == strokes)
        let found = all.reduce(0) { $0 + StampCount.exact(of: $1) }
        #expect(abs(Double(found) / Double(stamps) - 1) < 0.02, "\(found)")
        for (type, share) in [(BrushType.parallelLines, 0.46), (.crossHatch, 0.36), (.dots, 0.09), (.waves, 0.09)] {
            let count = all.count { $0.brush.type == type }
            #expect(abs(Double(count) - share * Double(strokes)) <= 2, "\(type): \(count)")
        }
        #expect(all.allSatisfy { (4...12).contains($0.brush.spacing) && $0.brush.lineWidth == 1.5 })
        #expect(all.allSatisfy { (80...120).contains($0.points.count) })
        for point in all.flatMap(\.points) {
            try #require((-60...2108).contains(point.x) && (-60...2108).contains(point.y), "\(point)")
            try #require((0.05...1).contains(point.pressure))
        }
    }

    @Test func aSceneIsAWholeProjectWithItsMasks() throws {
        let scene = BenchScene.all[0]
        let (project, masks) = scene.parts()
        let reading = try ProjectLoader.load(bytes: try scene.file(), name: "light.ink")
        #expect(reading.warnings.isEmpty)
        #expect(reading.project.canvasSize == CanvasSize(width: 2048, height: 2048))
        #expect(reading.project.layers.map(\.strokes) == project.layers.map(\.strokes))
        for (layer, mask) in zip(reading.project.layers, masks) {
            let image = try #require(layer.maskImage)
            let (size, rgba) = try PNGDecoder.decodeRGBA(image.bytes, place: Place(file: "mask"))
            #expect(size == project.canvasSize.pixels)
            #expect(stride(from: 0, to: rgba.count, by: 4).map { rgba[$0] } == mask)
        }
        // A mask that hides nothing, and one that hides some.
        #expect(masks[0].allSatisfy { $0 == 255 })
        let open = Double(masks[1].count { $0 == 255 }) / Double(masks[1].count)
        #expect((0.3...0.9).contains(open) && masks[1].contains(0), "\(open)")
    }

    @Test func numbersAreThoseOfTheAlgorithm() {
        // The published first values of SplitMix64 for the seed 1234567.
        var numbers = SceneNumbers(seed: 1_234_567)
        let first: [UInt64] = [
            6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
            4_593_380_528_125_082_431, 16_408_922_859_458_223_821,
        ]
        #expect(first.map { _ in numbers.next() } == first)
        let shuffled = numbers.shuffled(Array(0..<100))
        #expect(shuffled.sorted() == Array(0..<100) && shuffled != Array(0..<100))
        #expect((0..<1000).allSatisfy { _ in (2.0..<3).contains(numbers.number(in: 2..<3)) })
        var counts = [0, 0]
        for _ in 0..<10_000 { counts[numbers.choice([(value: 0, weight: 3), (value: 1, weight: 1)])] += 1 }
        #expect((7200...7800).contains(counts[0]), "\(counts)")
    }
}
