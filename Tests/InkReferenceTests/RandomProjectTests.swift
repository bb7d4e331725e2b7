import InkDocuments
import InkEngine
import InkReference
import InkTestSupport
import Testing

@Suite("Random projects")
struct RandomProjectTests {
    /// A seed that failed once must stay the same project.
    @Test func seedsStayTheProjectsThatTheyAre() {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for seed in 0..<UInt64(24) {
            let random = RandomProject.make(seed: seed, options: seed < 12 ? .everything : .withoutStrokes)
            for byte in ProjectFileWriter.bytes(of: random.project) + Array("\(random)".utf8) {
                hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
            }
        }
        #expect(hash == 0xEE4C_7096_BD71_863F, "\(String(hash, radix: 16))")
    }

    /// Every element of a tree, groups before their elements.
    private func elements(_ layers: [Layer]) -> [Layer] { layers.flatMap { [$0] + elements($0.children) } }

    @Test func version12HasEverything() {
        let many = (0..<UInt64(60)).map { RandomProject.make(seed: $0, options: .version12) }
        let all = many.flatMap { elements($0.project.layers) }
        func isGroup(_ layer: Layer, passThrough: Bool) -> Bool {
            if case .group(_, passThrough) = layer.kind { true } else { false }
        }
        #expect(all.contains { isGroup($0, passThrough: true) && $0.isClipped && $0.maskImage != nil })
        #expect(all.contains { isGroup($0, passThrough: false) && !$0.children.isEmpty })
        #expect(all.contains { if case .fill = $0.kind { $0.maskPlacement != nil } else { false } })
        #expect(all.contains { $0.contentPlacement?.rotation == 0 } && all.contains { $0.maskOutside > 0 })
        let patterns = all.flatMap(\.strokes).filter(\.brush.isCanvasPattern)
        #expect(Set(patterns.map(\.brush.type)).count == 4)
        #expect(many.contains { $0.viewport == nil } && many.contains { $0.viewport != nil && !$0.project.isInfinite })
        #expect(many.contains { abs($0.viewport?.center.x ?? 0) > 1e8 })
        #expect(many.contains { !ReferenceRenderer.elementsWithoutBase($0.project.layers).isEmpty })
        for random in many {
            #expect(max(random.output.width, random.output.height) <= 240, "\(random)")
            let images = ImageKey.images(of: random.project)
            #expect(Set(images.map(\.key)) == Set(random.images.images.keys), "\(random)")
            #expect(images.allSatisfy { random.images[$0.key]?.size == $0.image.size }, "\(random)")
        }
    }

    /// What the file says is the project: the reader takes it, and what it read is written as the same file.
    @Test(arguments: 0..<UInt64(24))
    func filesSayAllOfVersion12(seed: UInt64) throws {
        let random = RandomProject.make(seed: seed, options: .version12)
        let bytes = ProjectFileWriter.bytes(of: random.project)
        let read = try ProjectReader.read(
            bytes, file: "random.ink", limits: Limits())
        #expect(ProjectFileWriter.bytes(of: read.project) == bytes, "\(random)")
        let unclipped = ReferenceRenderer.elementsWithoutBase(random.project.layers).count
        #expect(read.warnings.count { $0.description.contains("drawn unclipped") } == unclipped, "\(random)")
    }

    /// Any project renders to real colours: every value in 0...1, no colour above its alpha.
    @Test(arguments: 0..<UInt64(12))
    func version12GivesRealColors(seed: UInt64) {
        var options = RandomProject.Options.version12
        options.blendModes = BlendMode.allCases
        options.canvasEdge = 24...40
        options.outputEdgeMax = 40
        options.stampsPerStrokeMax = 4
        options.strokesPerLayer = 0...2
        let random = RandomProject.make(seed: seed, options: options)
        let picture = ReferenceRenderer.render(
            project: random.project, viewport: random.viewport, images: random.images, output: random.output)
        var broken = 0
        for start in stride(from: 0, to: picture.pixels.count, by: 4) {
            let alpha = picture.pixels[start + 3]
            // Doubles stray by a few units in the last place.
            let isReal = alpha >= 0 && alpha <= 1 + 1e-12
            let colors = picture.pixels[start..<(start + 3)].allSatisfy { $0 >= -1e-12 && $0 <= alpha + 1e-12 }
            if !isReal || !colors { broken += 1 }
        }
        #expect(broken == 0, "\(random)")
    }
}
