import InkCodecs
import InkEngine
import InkProtocol
import InkTestSupport
import Testing

@testable import InkPlanning

/// A worker's draft that is not what was asked for, or does not hold together.
struct DraftLie: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let tell: @Sendable (inout PictureDraft) throws -> Void

    init(_ name: String, _ tell: @escaping @Sendable (inout PictureDraft) throws -> Void) {
        testDescription = name
        self.tell = tell
    }

    /// About files and the pictures that they consist of.
    static let files: [DraftLie] = [
        DraftLie("no picture") { $0.pictures = [] },
        DraftLie("a first picture that is not the picture itself") { $0.pictures.swapAt(0, 1) },
        DraftLie("a picture twice") { $0.pictures.append($0.pictures[$0.pictures.count - 1]) },
        DraftLie("a layer that is missing") { draft in
            let index = try draft.index { if case .element = $0 { true } else { false } }
            draft.pictures.remove(at: index)
        },
        DraftLie("images of a drawing before layers") { draft in
            draft.pictures.insert(draft.pictures.removeLast(), at: 1)
        },
        DraftLie("a picture of no file") { $0.pictures[1].uses = [] },
        DraftLie("a file that is not asked for") { $0.pictures[0].uses[0].file = 7 },
        DraftLie("a file twice") { $0.pictures[0].uses.append($0.pictures[0].uses[0]) },
        DraftLie("a file without its first picture") { $0.pictures[0].uses.removeLast() },
        DraftLie("numbers with a gap") { $0.pictures[1].uses[0].picture = 1000 },
        DraftLie("a number twice") { $0.pictures[1].uses[0].picture = 0 },
        DraftLie("another quality") { $0.pictures[0].uses[0].encoding.quality = 5 },
        DraftLie("another format") { $0.pictures[0].uses[0].encoding.format = .jpeg },
        DraftLie("an unknown format") { $0.pictures[0].uses[0].encoding.format = PictureFormat(rawValue: 250) },
        DraftLie("a layer in a format without parts") { $0.pictures[1].uses[0].encoding.format = .avif },
        DraftLie("a file without its drawing") { $0.pictures[0].uses[3].drawing = nil },
        DraftLie("a drawing of a file of pixels") { $0.pictures[0].uses[0].drawing = $0.pictures[0].uses[3].drawing },
        DraftLie("an image of a drawing that is encoded as a whole") { draft in
            draft.pictures[try draft.index(\.isDrawn)].uses[0].encoding.format = .webp
        },
        DraftLie("an image of a drawing of another format") { draft in
            draft.pictures[try draft.index(\.isDrawn)].source = .drawn(.vectorPDF, 0)
        },
        DraftLie("fewer files") { $0.layers.removeLast() },
        DraftLie("layers of a file without layers") { $0.layers[0] = $0.layers[1] },
        DraftLie("a layered file without layers") { $0.layers[1] = nil },
        DraftLie("an element too few") { $0.layers[1]?.removeLast() },
        DraftLie("an element that is another picture") { $0.layers[1]?[0].kind = .picture(.whole) },
        DraftLie("more elements than a project may have") { draft in
            let node = LayeredNode(name: "", kind: .group([], isPassThrough: true, mask: nil))
            draft.layers[1]? += Array(repeating: node, count: draft.limits.layers + 67)
        },
        DraftLie("elements in elements, without end") { draft in
            for _ in 0..<200 {
                let inside = LayeredNode.Kind.group(draft.layers[1] ?? [], isPassThrough: true, mask: nil)
                draft.layers[1] = [LayeredNode(name: "", kind: inside)]
            }
        },
    ]

    /// About what the pictures show.
    static let scenes: [DraftLie] = [
        DraftLie("another size") { $0.pictures[0].scene.output.width -= 1 },
        DraftLie("another canvas") { $0.pictures[1].scene.canvas.width += 1 },
        DraftLie("a canvas of no size") { draft in
            for index in draft.pictures.indices { draft.pictures[index].scene.canvas.width = 1e-300 }
        },
        DraftLie("patterns that begin beyond numbers") { $0.pictures[0].scene.patternOrigin.x = 1e300 },
        DraftLie("other channels") { $0.pictures[0].format = .rgba },
        DraftLie("a layer without alpha") { $0.pictures[1].format = .rgb },
        DraftLie("a layer that is wider than the picture") { draft in
            draft.pictures[1].resize(PixelSize(width: 301, height: 600))
        },
        DraftLie("a large thumbnail") { draft in
            draft.pictures[try draft.index { $0 == .thumbnail }].resize(PixelSize(width: 300, height: 600))
        },
        DraftLie("an image of a drawing that is larger than any") { draft in
            draft.pictures[try draft.index(\.isDrawn)].resize(PixelSize(width: 3000, height: 10))
        },
        DraftLie("strokes beside the picture") { draft in
            try draft.changeBlock { $0 = MarkBlockIndex(id: $0.id, extents: $0.extents.map(\.movedAside)) }
        },
        DraftLie("a block that did not come") { draft in
            try draft.changeBlock { $0.id = FakeBlocks.id(of: [1, 2, 3]) }
        },
        DraftLie("more marks than a project may have") { draft in
            let count = draft.limits.strokes + draft.limits.shapes + draft.limits.layers + 65
            try draft.changeBlock { block in
                let extents = Array(repeating: block.extents[0], count: count)
                block = MarkBlockIndex(id: block.id, extents: extents)
            }
        },
        DraftLie("a mask of shapes beyond the picture") { draft in
            try draft.changeBlock { $0.extents[0].maxX = 100_000 }
            let layers = draft.pictures[0].scene.layers
            draft.pictures[0].scene.layers = [
                SceneLayer(maskShapes: layers.flatMap(\.marks), kind: .fill(.color(.white)))
            ]
        },
        DraftLie("a mask of shapes that did not come") { draft in
            try draft.changeBlock { $0.id = FakeBlocks.id(of: [1, 2, 3]) }
            let layers = draft.pictures[0].scene.layers
            draft.pictures[0].scene.layers = [
                SceneLayer(maskShapes: layers.flatMap(\.marks), kind: .fill(.color(.white)))
            ]
        },
        DraftLie("samples chosen from a mask") { draft in
            let index = try #require(draft.pictures[0].scene.layers.firstIndex { $0.mask != nil })
            draft.pictures[0].scene.layers[index].mask?.filter = .nearest
        },
        DraftLie("samples chosen from a picture that was scaled") { draft in
            try draft.changeContent { $0.filter = .nearest }
        },
        DraftLie("more elements than a project can have") { draft in
            let fill = SceneLayer<SceneImage<Int>, MarkBlockIndex>(kind: .fill(.color(.white)))
            draft.pictures[0].scene.layers += Array(repeating: fill, count: 2 * draft.limits.layers + 129)
        },
        DraftLie("groups in groups, without end") { draft in
            for _ in 0..<200 {
                draft.pictures[0].scene.layers = [SceneLayer(kind: .group(.isolated, draft.pictures[0].scene.layers))]
            }
        },
        DraftLie("a drawing of a block that did not come") { draft in
            draft.pictures[0].uses[3].drawing?.picture = FakeBlocks.id(of: [1, 2, 3])
        },
        DraftLie("a drawing of strokes that did not come") { draft in
            draft.pictures[0].uses[3].drawing?.marks.append(FakeBlocks.id(of: [1, 2, 3]))
        },
    ]

    /// About images.
    static let images: [DraftLie] = [
        DraftLie("an image of none") { $0.images = [] },
        DraftLie("an image that is not there") { $0.pictures[0].scene.baseImage?.source = 1000 },
        DraftLie("a mask as a picture") { draft in
            let mask = try #require(draft.images.firstIndex { $0.use == .mask })
            draft.pictures[0].scene.baseImage?.source = mask
        },
        DraftLie("a picture as a mask") { draft in
            let picture = try #require(draft.images.firstIndex { $0.use == .color })
            draft.pictures[0].scene.layers[1].mask?.source = picture
        },
        DraftLie("a value beyond a picture") { draft in try draft.changeContent { $0.outside = 1 } },
        DraftLie("a placement without a scaling") { draft in
            try draft.changeContent { $0.placement?.x += 1 }
        },
        DraftLie("a placement beyond numbers") { draft in
            draft.pictures[0].scene.baseImage?.placement = Placement(width: 1e-200, height: 1)
        },
        DraftLie("a file that did not come") { $0.images[0].file = FakeBlocks.id(of: [1, 2, 3]) },
        DraftLie("a file of another length") { $0.images[0].fileBytes += 1 },
        DraftLie("an image of another project") { $0.images[0].place.file = "other" },
        DraftLie("an image that is larger than any") { draft in
            draft.images[0].scalings = []
            draft.images[0].size = PixelSize(width: 1_000_000, height: 1_000_000)
        },
        DraftLie("an image that is wider than any") { draft in
            draft.images[0].scalings = []
            draft.images[0].size = PixelSize(width: 1_000_001, height: 1)
        },
        DraftLie("a raster of another size") { draft in
            draft.images[0].scalings = []
            draft.images[0].raster = VectorRaster(whole: PixelSize(width: 10, height: 10))
        },
        DraftLie("a scaling twice") { draft in
            let scaled = try draft.scaled
            draft.images[scaled].scalings.append(draft.images[scaled].scalings[0])
        },
        DraftLie("a scaling for no picture") { draft in
            draft.images[try draft.scaled].scalings[0].output.height = 10
        },
        DraftLie("a scaling that shows nothing") { draft in
            var scaling = draft.images[try draft.scaled].scalings[0]
            scaling.placement?.x = 1e9
            draft.images[try draft.scaled].scalings.append(scaling)
        },
        DraftLie("a scaling without bounds") { draft in
            var scaling = draft.images[try draft.scaled].scalings[0]
            scaling.placement = Placement(x: -1e9, y: -1e9, width: 1e18, height: 1e18, rotation: 10)
            draft.images[try draft.scaled].scalings.append(scaling)
        },
        DraftLie("a scaling of a small image") { draft in
            draft.images[try draft.scaled].size = PixelSize(width: 20, height: 20)
        },
    ]

    /// About what the files say of themselves.
    static let descriptions: [DraftLie] = [
        DraftLie("another resolution") { $0.common.density = nil },
        DraftLie("no profile") { $0.common.hasProfile.toggle() },
        DraftLie("a digest") { $0.common.digest = PictureDigest(bytes: Array(repeating: 1, count: 32)) },
        DraftLie("more metadata than a file has room for") { $0.common.exif = Array(repeating: 1, count: 65_001) },
        DraftLie("a title twice") { $0.common.text = [PictureText(.title, "a"), PictureText(.title, "b")] },
        DraftLie("other software") { $0.common.text = [PictureText(.software, "a")] },
    ]
}

@Suite("Drafts of workers that lie") struct DraftFaultTests {
    @Test(arguments: DraftLie.files) func files(lie: DraftLie) throws { try refuses(lie) }
    @Test(arguments: DraftLie.scenes) func scenes(lie: DraftLie) throws { try refuses(lie) }
    @Test(arguments: DraftLie.images) func images(lie: DraftLie) throws { try refuses(lie) }
    @Test(arguments: DraftLie.descriptions) func descriptions(lie: DraftLie) throws { try refuses(lie) }

    private func refuses(_ lie: DraftLie) throws {
        let sample = try DraftSample.rich()
        #expect(sample.fault(of: sample.draft) == nil)
        var draft = sample.draft
        try lie.tell(&draft)
        #expect(sample.fault(of: draft) != nil)
    }

    @Test("What was not asked for is refused: a base image, metadata, a background, a size by its name")
    func otherOrders() throws {
        let sample = try DraftSample.rich()
        let changes: [@Sendable (inout PictureSpec) -> Void] = [
            { $0.options.includesBaseImage = false }, { $0.options.hasMetadata = false },
            { $0.options.background = .transparent }, { $0.options.colorMode = .rgba },
            { $0.options.dotsPerInch = 72 }, { $0.size = .named("2k") }, { $0.size = .named("none") },
            { $0.size = .exact(PixelSize(width: 600, height: 300)) }, { $0.options.otherFiles.removeLast() },
            { $0.options.otherFiles.swapAt(0, 1) },
        ]
        let parts = try sample.draft.encodedParts()
        for (index, change) in changes.enumerated() {
            var order = sample.order
            change(&order.picture)
            let draft = try PictureDraft(decoding: parts, for: order)
            #expect(draft.fault(for: order, blocks: sample.blocks) != nil, "change \(index)")
        }
        var order = sample.order
        order.picture.size = .named("1.5x")
        let draft = try PictureDraft(decoding: parts, for: order)
        #expect(draft.fault(for: order, blocks: sample.blocks) == nil)
    }

    @Test("Lies in bytes that were tampered with are refused, or do no harm", arguments: 0..<10)
    func tamperedLies(seed: UInt64) throws {
        let sample = try DraftSample.rich()
        let lies = DraftLie.files + DraftLie.scenes + DraftLie.images + DraftLie.descriptions
        var random = SeededGenerator(seed: seed)
        for _ in 0..<20 {
            var draft = sample.draft
            guard let lie = lies.randomElement(using: &random) else { continue }
            try lie.tell(&draft)
            let parts: [[UInt8]]
            do throws(ProtocolError) { parts = try draft.encodedParts() } catch { continue }
            guard let bytes = parts.first, parts.count == 1 else { continue }
            // And a number more or less.
            var changed = bytes
            changed[Int.random(in: changed.indices, using: &random)] &+= 1
            do throws(ProtocolError) { draft = try sample.decoded([changed]) } catch { continue }
            guard draft.fault(for: sample.order, blocks: sample.blocks) == nil else { continue }
            _ = try draft.rehearsed(keepsResults: seed % 2 == 0)
        }
    }
}

extension PictureDraft {
    fileprivate func index(_ isWanted: (PictureSource) -> Bool) throws -> Int {
        try #require(pictures.firstIndex { isWanted($0.source) })
    }

    /// The image that is scaled when it is decoded.
    fileprivate var scaled: Int {
        get throws { try #require(images.firstIndex { !$0.scalings.isEmpty }) }
    }

    /// Changes the lowest layer's block.
    fileprivate mutating func changeBlock(_ change: (inout MarkBlockIndex) -> Void) throws {
        guard case .marks(let content, var blocks) = pictures[0].scene.layers[0].kind else { return }
        try #require(!blocks.isEmpty)
        change(&blocks[0])
        pictures[0].scene.layers[0].kind = .marks(content, blocks)
    }

    /// Changes where the lowest layer's image lies.
    fileprivate mutating func changeContent(_ change: (inout SceneImage<Int>) -> Void) throws {
        guard case .marks(let content, let blocks) = pictures[0].scene.layers[0].kind else { return }
        var changed = try #require(content)
        change(&changed)
        pictures[0].scene.layers[0].kind = .marks(changed, blocks)
    }
}

extension DraftPicture {
    /// With costs of as many rows.
    fileprivate mutating func resize(_ size: PixelSize) {
        scene.output = size
        costs = RowCosts(output: size)
    }
}

extension MarkExtent {
    fileprivate var movedAside: MarkExtent {
        var moved = self
        moved.maxX = 301
        return moved
    }
}
