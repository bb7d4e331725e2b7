import InkCodecs
import InkEngine
import InkTestSupport
import Testing

@testable import InkPlanning

@Suite struct TileGridTests {
    @Test(arguments: 0..<40) func coversThePictureOnce(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let output = PixelSize(
            width: .random(in: 1...500, using: &random), height: .random(in: 1...500, using: &random))
        let tile = PixelSize(
            width: .random(in: 16...600, using: &random), height: .random(in: 16...600, using: &random))
        let grid = TileGrid(output: output, tile: tile)
        var area = 0
        for row in 0..<grid.rows {
            for column in 0..<grid.columns {
                let rect = grid.rect(row: row, column: column)
                #expect(!rect.isEmpty && rect.x == column * grid.tile.width && rect.y == row * grid.tile.height)
                #expect(rect.x + rect.width <= output.width && rect.y + rect.height <= output.height)
                area += rect.area
            }
        }
        #expect(area == output.area, "seed \(seed)")
        #expect(grid.isBands == (grid.columns == 1))
    }

    @Test(arguments: [(1.0, 176), (1e6, 96), (2e5, 176), (5e4, 176), (1e12, 16)])
    func bandsFollowTheCost(perRow: Double, height: Int) {
        let output = PixelSize(width: 2048, height: 2048)
        let grid = TileGrid(output: output, rowCosts: Array(repeating: perRow, count: 2048))
        #expect(grid.isBands)
        #expect(grid.tile.height == height)
    }

    @Test(arguments: [(512, 128), (1080, 128), (2048, 176), (4096, 256), (16_384, 256)])
    func lowPicturesHaveLowBands(edge: Int, height: Int) {
        let grid = TileGrid(
            output: PixelSize(width: edge, height: edge), rowCosts: Array(repeating: 2e5, count: edge))
        #expect(grid.tile.height == height)
    }

    @Test func boundsTheMemoryOfABand() {
        let wide = PixelSize(width: 65_536, height: 65_536)
        #expect(TileGrid(output: wide, rowCosts: Array(repeating: 1, count: 65_536)).tile.height == 64)
        #expect(TileGrid(output: wide, tile: wide).tile == PixelSize(width: 65_536, height: 64))
        // Rows of square tiles are held in more forms at once: a 16K export in such tiles stays under 512 MB.
        let square = PixelSize(width: 512, height: 512)
        let large = PixelSize(width: 16_384, height: 16_384)
        #expect(TileGrid(output: large, tile: square).tile == PixelSize(width: 512, height: 128))
        #expect(TileGrid(output: wide, tile: square).tile.height == 32)
    }

    @Test("Tiles are as high as a format needs, also where that is more than a row should have")
    func highRows() {
        for edge in [16_384, 16_385, 32_768, 65_536] {
            let output = PixelSize(width: edge, height: 4096)
            #expect(TileGrid(output: output, rowCosts: [1], rowMultiple: 256).tile.height == 256)
            for tile in [PixelSize(width: 16, height: 16), PixelSize(width: edge, height: 16)] {
                let grid = TileGrid(output: output, tile: tile, rowMultiple: 256)
                #expect(grid.tile.height == 256 && grid.rows == 16)
            }
        }
    }
}

@Suite struct PicturePlanTests {
    private let canvas = PixelSize(width: 200, height: 400)

    private func draft(
        _ layers: [Layer], base: EncodedImage? = nil, background: RGBA8 = .white,
        _ change: (inout PictureOptions) -> Void = { _ in }
    ) throws -> (PictureDraft, [EncodedBlock]) {
        var order = PictureOrder(output: canvas, options: PictureOptions(tile: PixelSize(width: 200, height: 100)))
        change(&order.options)
        var blocks: [EncodedBlock] = []
        let draft = try PictureDraft(
            Project(canvasSize: canvas, background: background, baseImage: base, layers: layers), order: order,
            name: "a.ink", limits: Limits(), encoder: FakeBlocks.encoder, blocks: &blocks)
        return (draft, blocks)
    }

    private func plan(_ draft: PictureDraft, _ decoded: [DecodedImage] = []) throws -> PicturePlan {
        try PicturePlan(draft, decoded: decoded.map { [$0] })
    }

    private func mask(_ chunks: [RowChunk], bounds: PixelRect? = PixelRect(x: 0, y: 0, width: 9, height: 9))
        -> DecodedImage
    {
        DecodedImage(
            info: DecodedImageInfo(size: canvas, format: .mask8, maskBounds: bounds), chunks: chunks)
    }

    @Test func tilesNameTheStrokesThatMeetThem() throws {
        let brush = Brush(type: .solid, lineWidth: 2)
        let strokes = [
            Stroke.line(from: (10, 50), to: (100, 50), brush: brush),
            .line(from: (10, 150), to: (100, 150), brush: brush),
            .line(from: (10, 50), to: (100, 390), brush: brush), .line(from: (900, 50), to: (990, 50), brush: brush),
        ]
        let (draft, blocks) = try draft([Layer(strokes: strokes)])
        #expect(blocks.map(\.id) == [FakeBlocks.id(of: Array("\(Array(strokes[..<3]))".utf8))])
        let plan = try plan(draft)
        let indices = (0..<4).map { plan.task(row: $0, column: 0).layers.flatMap(\.strokes).flatMap(\.indices) }
        #expect(indices == [[0, 2], [1, 2], [2], [2]])
    }

    @Test func blocksHoldAboutEightThousandPoints() throws {
        let strokes = scattered(3000, seed: 5)
        let (_, blocks) = try draft([Layer(strokes: strokes)])
        let points = strokes.reduce(0) { $0 + $1.points.count }
        #expect((6_000...13_000).contains(points / blocks.count), "\(points) points in \(blocks.count) blocks")
    }

    @Test func repeatedStrokesAreCutTooAndLongOnesStandAlone() throws {
        let points = (0..<3000).map { StrokePoint(x: Double($0 % 100), y: Double($0 / 100)) }
        for (count, blocks) in [(6, 2), (60, 12)] {
            let made = try draft([Layer(strokes: Array(repeating: Stroke(points: points), count: count))]).1
            #expect(Set(made.map(\.id)).count <= 2 && (blocks...count).contains(made.count), "\(made.count)")
        }
        let long = Stroke(points: (0..<20_000).map { StrokePoint(x: Double($0 % 100), y: Double($0 / 200)) })
        #expect(try draft([Layer(strokes: [long, long, long])]).1.count == 3)
    }

    @Test(arguments: 1...20) func oneStrokeMoreChangesFewBlocks(seed: Int) throws {
        var strokes = scattered(1500, seed: UInt64(seed))
        let before = Set(try draft([Layer(strokes: strokes)]).1.map(\.id))
        var generator = SeededGenerator(seed: UInt64(seed) + 1000)
        let place = [0, strokes.count, Int.random(in: 0...strokes.count, using: &generator)][seed % 3]
        strokes.insert(scattered(1, seed: 99)[0], at: place)
        let after = Set(try draft([Layer(strokes: strokes)]).1.map(\.id))
        #expect(before.count > 5)
        // One, mostly; where it is now full earlier, those up to the next end that the strokes decide.
        #expect(after.subtracting(before).count <= 4, "seed \(seed): \(after.subtracting(before).count)")
    }

    /// Strokes of up to 100 points anywhere on the canvas.
    private func scattered(_ count: Int, seed: UInt64) -> [Stroke] {
        var generator = SeededGenerator(seed: seed)
        return (0..<count).map { _ in
            Stroke(
                points: (0..<Int.random(in: 2...100, using: &generator)).map { _ in
                    StrokePoint(
                        x: Double.random(in: 0...200, using: &generator),
                        y: Double.random(in: 0...400, using: &generator))
                })
        }
    }

    @Test func layersThatCannotShowAreLeftOut() throws {
        let stroke = Stroke.line(from: (10, 50), to: (100, 50), brush: Brush(type: .solid))
        var eraser = stroke
        eraser.mode = .erase
        let (draft, _) = try draft([
            Layer(opacity: 0, strokes: [stroke]), Layer(isVisible: false, strokes: [stroke]), Layer(),
            Layer(strokes: [eraser]), Layer(opacity: 0.5, strokes: [stroke]),
        ])
        #expect(draft.pictures[0].scene.layers.map(\.opacity) == [0.5])
        let plan = try plan(draft)
        #expect(plan.task(row: 0, column: 0).layers.count == 1)
        #expect(plan.task(row: 1, column: 0).layers.isEmpty)
    }

    @Test func masksThatAreZeroHideALayerWhereTheyAre() throws {
        let stroke = Stroke.line(from: (10, 10), to: (10, 390), brush: Brush(type: .solid))
        let (draft, _) = try draft([Layer(maskImage: .fake("m", width: 200, height: 400), strokes: [stroke])])
        let block = FakeBlocks.id(of: [1])
        var chunks = Array(repeating: RowChunk.constant(0), count: 7)
        chunks[2] = .samples(block)
        let plan = try plan(draft, [mask(chunks)])
        let shown = (0..<4).map { plan.task(row: $0, column: 0).layers.count }
        #expect(shown == [0, 1, 0, 0])
        let slice = try #require(plan.task(row: 1, column: 0).layers[0].mask)
        #expect(slice.firstChunk == 1 && slice.chunks == [.constant(0), .samples(block), .constant(0)])
        let empty = try self.plan(draft, [mask(chunks, bounds: nil)])
        #expect(empty.pictures[0].scene.layers.isEmpty)
    }

    @Test func transparentContentIsNotSent() throws {
        let (draft, _) = try draft([Layer(contentImage: .fake("c", width: 200, height: 400))])
        let chunks = [RowChunk.constant(0x00FF_FFFF)] + Array(repeating: RowChunk.constant(0xFF00_0000), count: 6)
        let image = DecodedImage(info: DecodedImageInfo(size: canvas, format: .rgba8), chunks: chunks)
        let plan = try plan(draft, [image])
        #expect(plan.task(row: 0, column: 0).layers.count == 1)
        let transparent = try self.plan(
            draft,
            [
                DecodedImage(
                    info: DecodedImageInfo(size: canvas, format: .rgba8), chunks: Array(repeating: chunks[0], count: 7))
            ])
        #expect(transparent.task(row: 0, column: 0).layers.isEmpty)
    }

    @Test("Pictures and masks beside the canvas are not even decoded")
    func whatLiesBesideIsNotDecoded() throws {
        var beside = Layer(contentImage: .fake("c", width: 200, height: 400))
        beside.contentPlacement = Placement(x: 2000, y: 0, width: 200, height: 400, rotation: 10)
        var hidden = Layer(maskImage: .fake("m", width: 200, height: 400), strokes: [.line(from: (1, 1), to: (9, 9))])
        hidden.maskPlacement = Placement(x: -300, y: 0, width: 200, height: 400)
        let (draft, _) = try draft([beside, hidden])
        #expect(draft.pictures[0].scene.layers.isEmpty)
        hidden.maskOutside = 0.5
        let (half, _) = try self.draft([beside, hidden])
        #expect(half.pictures[0].scene.layers.count == 1 && half.images.count == 1)
    }

    @Test("A large picture is scaled when it is decoded, once for each of its places, while that saves memory")
    func largePicturesAreScaledWhenDecoded() throws {
        func draft(_ placements: [Placement]) throws -> PictureDraft {
            let layers = placements.map { placement in
                var layer = Layer(contentImage: .fake("c", width: 4000, height: 3000))
                layer.contentPlacement = placement
                return layer
            }
            return try self.draft(layers).0
        }
        let place = Placement(x: 10, y: 20, width: 40, height: 30)
        var turned = place
        turned.rotation = 90
        let images = try draft([place, turned, place]).images
        #expect(images.count == 1)
        #expect(images[0].scalings.map(\.placement) == [place, turned])
        // It ends at the edges of its rectangle.
        #expect(images[0].resultSizes == [PixelSize(width: 40, height: 30), PixelSize(width: 40, height: 30)])
        // Of one that is larger than the canvas, what shows.
        #expect(try draft([Placement(x: 0, y: 0, width: 4000, height: 3000)]).images[0].resultSizes == [canvas])
        // A part of a turned picture whose pixels have larger numbers than a task can name.
        let huge = Placement(x: -9e9, y: -9e9, width: 1.8e10, height: 1.8e10, rotation: 3)
        #expect(try draft([huge]).pictures[0].scene.layers.count == 1)
        #expect(try draft([huge]).images[0].scalings.isEmpty)
        let many = (0..<400).map { Placement(x: Double($0), y: 0, width: 40, height: 30) }
        #expect(try draft(many).images[0].scalings.isEmpty)
        #expect(try draft(many).images[0].resultSizes == [PixelSize(width: 4000, height: 3000)])
    }

    @Test func blackIsShown() throws {
        let (draft, _) = try draft([Layer(contentImage: .fake("c", width: 200, height: 400))])
        let black = DecodedImage(
            info: DecodedImageInfo(size: canvas, format: .rgb8), chunks: Array(repeating: .constant(0), count: 7))
        let plan = try plan(draft, [black])
        #expect((0..<4).map { plan.task(row: $0, column: 0).layers.count } == [1, 1, 1, 1])
    }

    @Test func aStrokeAfterAnEraserIsDrawn() throws {
        let stroke = Stroke.line(from: (10, 50), to: (100, 50), brush: Brush(type: .solid))
        var eraser = stroke
        eraser.mode = .erase
        let (draft, _) = try draft([Layer(strokes: [eraser, stroke])])
        let plan = try plan(draft)
        #expect(plan.task(row: 0, column: 0).layers.first?.strokes.map(\.indices) == [[0, 1]])
    }

    @Test func theSameImageIsDecodedOnceForAUse() throws {
        let image = EncodedImage.fake("same", width: 200, height: 400)
        let stroke = Stroke.line(from: (10, 50), to: (100, 50))
        let layer = Layer(maskImage: image, contentImage: image, strokes: [stroke])
        let (draft, blocks) = try draft([layer, layer], base: image)
        #expect(draft.images.map(\.use) == [.color, .mask])
        #expect(blocks.filter { $0.id == draft.images[0].file }.count == 1)
        #expect(draft.pictures[0].scene.layers.map { $0.mask?.source } == [1, 1])
    }

    @Test func imagesThatTakeLongAreDecodedFirst() throws {
        let layers = (1...3).map { number in
            Layer(
                maskImage: .fake("mask \(number)", width: 200, height: 100 * number),
                contentImage: number == 1 ? nil : .fake("content \(number)", width: 200, height: 40 * number),
                strokes: [.line(from: (10, 50), to: (100, 50))])
        }
        let (draft, _) = try draft(layers, base: .fake("base", width: 400, height: 400))
        // Of 480,000, 72,000, 60,000, 48,000, 40,000 and 20,000 pixels of a mask.
        let costs = draft.images.map(\.decodingCost)
        #expect(costs == costs.sorted(by: >) && costs.count == 6)
        let base = try #require(draft.pictures[0].scene.baseImage)
        #expect(draft.images[base.source].size == PixelSize(width: 400, height: 400))
        for (number, layer) in zip(1...3, draft.pictures[0].scene.layers) {
            let mask = try #require(layer.mask)
            let request = draft.images[mask.source]
            #expect(request.use == .mask && request.size.height == 100 * number)
            #expect(layer.content.map { draft.images[$0.source].size.height } == (number == 1 ? nil : 40 * number))
        }
    }

    @Test(arguments: [
        (ColorMode.automatic, RGBA8.white, PixelFormat.rgb, RGBA8.white),
        (.automatic, .transparent, .rgba, .transparent), (.rgba, .white, .rgba, .white),
        (.rgb, .transparent, .rgb, .transparent),
        (
            .rgb, RGBA8(red: 0, green: 255, blue: 100, alpha: 128), .rgb,
            RGBA8(red: 0, green: 255, blue: 100, alpha: 128)
        ),
    ])
    func channelsFollowTheBackground(mode: ColorMode, asked: RGBA8, format: PixelFormat, background: RGBA8) throws {
        let (draft, _) = try draft([], background: asked) { $0.colorMode = mode }
        #expect(draft.pictures[0].format == format)
        #expect(draft.pictures[0].scene.background == background)
    }

    @Test func namedLayersAreDrawnInDrawingOrder() throws {
        let stroke = Stroke.line(from: (10, 50), to: (100, 50))
        let layers = [3.0, 1, 2].map { Layer(order: $0, opacity: $0 / 10, isVisible: $0 != 1, strokes: [stroke]) }
        let (named, _) = try draft(layers) { $0.layers = [0, 1] }
        #expect(named.pictures[0].scene.layers.map(\.opacity) == [0.1, 0.3])
        let (all, _) = try draft(layers)
        #expect(all.pictures[0].scene.layers.map(\.opacity) == [0.2, 0.3])
    }

    @Test func suggestedFillsAreOneStrokeOfTheCanvas() throws {
        for type in BrushType.allCases {
            let pattern = SuggestedPattern(type: type, rotation: 30, spacing: 4, color: .black)
            let layer = Layer(maskImage: .fake("m", width: 100, height: 200), suggestedPattern: pattern)
            let (plain, _) = try draft([layer])
            #expect(plain.pictures[0].scene.layers.isEmpty)
            let (filled, blocks) = try draft([layer]) { $0.fillsSuggested = true }
            let stroke = SuggestedFill.stroke(of: pattern, canvas: filled.pictures[0].scene.canvas)
            #expect(blocks.map(\.id).contains(FakeBlocks.id(of: Array("\([stroke])".utf8))))
            #expect(stroke.brush.type == (type == .contourLines ? .parallelLines : type))
            #expect(stroke.brush.isCanvasPattern == type.canLieStill || type == .contourLines)
            // It covers the canvas's corners.
            let reach = (stroke.brush.type == .solid ? stroke.brush.lineWidth : stroke.brush.size) / 2
            #expect(reach > Double(canvas.width + canvas.height), "\(type)")
            let image = DecodedImage(
                info: DecodedImageInfo(
                    size: PixelSize(width: 100, height: 200), format: .mask8,
                    maskBounds: PixelRect(x: 10, y: 20, width: 50, height: 30)),
                chunks: Array(repeating: .constant(255), count: 4))
            #expect(try plan(filled, [image]).task(row: 0, column: 0).layers.count == 1)
        }
    }

    @Test("Through a viewport a fill grows and turns with the world, and covers the canvas still")
    func suggestedFillsThroughViewports() {
        let canvas = CanvasSize(width: 300, height: 200)
        let view = ViewMap(Viewport(center: Point(x: 1e6, y: 7), zoom: 4, rotation: 25, size: canvas))
        let pattern = SuggestedPattern(type: .waves, rotation: 30, spacing: 5)
        let stroke = SuggestedFill.stroke(of: pattern, canvas: canvas, through: view)
        #expect(stroke.brush.scale == 4)
        #expect(stroke.brush.rotation == 55)
        #expect(stroke.points.map(\.x) == [150] && stroke.points.map(\.y) == [100])
        #expect(stroke.brush.size * stroke.brush.scale / 2 > 500)
    }

    @Test(arguments: [1e-9, Double.leastNonzeroMagnitude, 1e-3]) func closeSuggestedFillsCostNoMore(spacing: Double)
        throws
    {
        let pattern = SuggestedPattern(type: .dots, spacing: spacing)
        let (draft, _) = try draft([Layer(suggestedPattern: pattern)]) { $0.fillsSuggested = true }
        #expect(try plan(draft).task(row: 0, column: 0).layers.count == 1)
    }

    @Test("The origin of patterns reaches every tile") func patternOrigin() throws {
        var (draft, _) = try draft([Layer(strokes: [.line(from: (0, 0), to: (600, 400))])])
        draft.pictures[0].scene.patternOrigin = Point(x: 1e12, y: -3)
        #expect(try plan(draft).task(row: 1, column: 1).patternOrigin == Point(x: 1e12, y: -3))
    }

    @Test func picturesBeyondAnyLimitAreRefusedBeforeMemoryIsTaken() {
        var limits = Limits()
        (limits.edgePixels, limits.outputPixels) = (.max, .max)
        var blocks: [EncodedBlock] = []
        for size in [PixelSize(width: 1, height: 1 << 40), PixelSize(width: 0, height: 5)] {
            #expect(throws: EngineError.self) {
                try PictureDraft(
                    Project(canvasSize: canvas), order: PictureOrder(output: size), name: "a.ink", limits: limits,
                    encoder: FakeBlocks.encoder, blocks: &blocks)
            }
        }
    }

    @Test func squareTilesAreHandedInAsPixels() throws {
        let (draft, _) = try draft([]) { $0.tile = PixelSize(width: 64, height: 64) }
        let plan = try plan(draft)
        #expect(plan.task(row: 0, column: 3).delivery == .pixels)
        #expect(plan.task(row: 6, column: 3).rect == PixelRect(x: 192, y: 384, width: 8, height: 16))
        #expect(plan.rawBytes(ofRow: 6) == 16 * (1 + 600))
    }

    @Test func onlyTheLastBandEndsTheStream() throws {
        let plan = try plan(try draft([]).0)
        let last = (0..<4).map { row in
            if case .band(let encoding) = plan.task(row: row, column: 0).delivery { encoding.isLast } else { false }
        }
        #expect(last == [false, false, false, true])
    }

    // MARK: - The layer tree

    private static let stroke = Stroke.line(from: (10, 50), to: (100, 50), brush: Brush(type: .solid, lineWidth: 2))

    private func element(
        _ name: String, order: Double = 0, clipped: Bool = false, visible: Bool = true, _ kind: LayerKind = .layer
    ) -> Layer {
        var layer = Layer(name: name, order: order, opacity: 0.5, blendMode: .multiply, isVisible: visible)
        layer.isClipped = clipped
        layer.kind = kind
        if case .layer = kind { layer.strokes = [Self.stroke] }
        return layer
    }

    /// The tree of a scene in short: a group's kind with its elements, `L` for marks, `F` for a fill.
    private func shape<I, S>(_ layers: [SceneLayer<I, S>]) -> String {
        layers.map { layer in
            switch layer.kind {
            case .marks: "L"
            case .fill: "F"
            case .group(let group, let children): "\(group)(\(shape(children)))"
            }
        }.joined(separator: " ")
    }

    @Test("Groups, fills and clipping become a tree; what cannot be visible is left out")
    func tree() throws {
        let red = LayerKind.fill(.color(RGBA8(red: 255, green: 0, blue: 0)))
        let layers = [
            element("a", .group([element("x"), element("y", red)], isPassThrough: false)),
            element("b", .group([element("x", visible: false)], isPassThrough: false)),
            element("c", .group([element("x")], isPassThrough: true)),
            element("d", clipped: true, .group([element("x")], isPassThrough: true)),
            element("e", visible: false), element("f", clipped: true),
            element("g", .fill(.color(.transparent))), element("h"), element("i", clipped: true, red),
            element("j", clipped: true, visible: false),
        ]
        let (draft, _) = try draft(layers)
        let expected = "isolated(L F) clipping(isolated(L) isolated(L)) clipping(L F)"
        #expect(shape(draft.pictures[0].scene.layers) == expected)
        let clipping = draft.pictures[0].scene.layers[2]
        // The base's own opacity and mode are those of the whole.
        #expect(clipping.opacity == 0.5 && clipping.blendMode == .multiply)
        #expect(clipping.children[0].opacity == 1 && clipping.children[0].blendMode == .normal)
        #expect(clipping.children[1].opacity == 0.5)
        let plan = try plan(draft)
        #expect(shape(plan.task(row: 0, column: 0).layers) == expected)
        // Only the fills show lower down; one that is clipped to nothing does not.
        #expect(shape(plan.task(row: 3, column: 0).layers) == "isolated(F)")
    }

    @Test(
        "Chosen elements are drawn with what is around them and clipped to them",
        arguments: [
            ([0], "clipping(isolated(L L) L)"), ([1], "passThrough(L)"), ([2], "passThrough(L)"), ([3], "L"),
            ([2, 3], "passThrough(L) L"),
            ([4], "passThrough(L)"), ([5], "passThrough(L)"),
        ])
    func chosen(numbers: [Int], expected: String) throws {
        let layers = [
            element("group", .group([element("x"), element("y")], isPassThrough: true)),
            element("clipped", clipped: true),
            element("hidden", visible: false, .group([element("x")], isPassThrough: true)),
        ]
        let (draft, _) = try draft(layers) { $0.layers = numbers }
        #expect(shape(draft.pictures[0].scene.layers) == expected)
    }

    // MARK: - Viewports

    @Test("Through a viewport strokes are moved, turned and magnified; what it does not show is not made")
    func view() throws {
        let near = Stroke.line(from: (1000, 1000), to: (1010, 1000), brush: Brush(rotation: 10, scale: 2))
        let far = Stroke.line(from: (0, 0), to: (10, 0), brush: Brush(type: .solid, lineWidth: 2))
        var project = Project(canvasSize: nil, layers: [Layer(strokes: [far, near])])
        project.viewports = [
            Viewport(
                name: "v", center: Point(x: 1000, y: 1000), zoom: 4, rotation: 90,
                size: CanvasSize(width: 100, height: 200))
        ]
        var order = PictureOrder(output: PixelSize(width: 100, height: 200))
        order.options.view = .named("v")
        var blocks: [EncodedBlock] = []
        var seen: [Stroke] = []
        nonisolated(unsafe) var strokes: [Stroke] = []
        var encoder = FakeBlocks.encoder
        let encode = encoder.marks
        encoder.marks = { (made: MarkList) throws(EngineError) in
            strokes += made.strokes
            return try encode(made)
        }
        let draft = try PictureDraft(
            project, order: order, name: "a.ink", limits: Limits(), encoder: encoder, blocks: &blocks)
        seen = strokes
        #expect(draft.pictures[0].scene.canvas == CanvasSize(width: 100, height: 200))
        #expect(seen.count == 1)
        #expect(seen.first?.brush.scale == 8 && seen.first?.brush.rotation == 100)
        #expect(seen.first?.points.map { [$0.x, $0.y] } == [[50, 100], [50, 140]])
    }

    @Test("Without a viewport an infinite canvas shows what is visible, with a margin")
    func fit() throws {
        var hidden = Layer(isVisible: false)
        hidden.strokes = [.line(from: (-9000, 0), to: (9000, 0))]
        let project = Project(
            canvasSize: nil, layers: [Layer(strokes: [.line(from: (100, 200), to: (1100, 400))]), hidden])
        let place = Place(file: "a")
        let fitted = try #require(try project.viewport(nil, place: place))
        #expect(fitted.center == Point(x: 600, y: 300) && fitted.zoom == 1 && fitted.rotation == 0)
        #expect(fitted.size == CanvasSize(width: 1100, height: 300))
        #expect(try project.viewport(.fit(margin: 0), place: place)?.size == CanvasSize(width: 1000, height: 200))
        #expect(throws: EngineError.self) { try Project(canvasSize: nil).viewport(nil, place: place) }
        #expect(throws: EngineError.self) { try project.viewport(.named("x"), place: place) }
        #expect(
            ViewChoice(place: "1,-2,0.5,30,640x480")
                == .place(
                    center: Point(x: 1, y: -2), zoom: 0.5, rotation: 30, size: CanvasSize(width: 640, height: 480)))
        #expect(ViewChoice(place: "1,2,3") == .place(center: Point(x: 1, y: 2), zoom: 3, rotation: 0, size: nil))
        for text in ["overview", "1,2", "1,2,x", "1,2,3,4,5", "1,2,inf", "1,2,3,0x5"] {
            #expect(ViewChoice(place: text) == nil, "\(text)")
        }
    }

    @Test func answersOfAnotherShapeAreNotTaken() {
        let request = ImageRequest(
            file: FakeBlocks.id(of: []), fileBytes: 0, use: .mask, size: canvas, place: Place(file: "a"))
        let good = mask(Array(repeating: .constant(1), count: 7))
        #expect(good.answers(request, canvas))
        #expect(!good.answers(request, PixelSize(width: 1, height: 1)))
        var bad = good
        bad.chunks.removeLast()
        #expect(!bad.answers(request, canvas))
        bad = good
        bad.info.format = .rgb8
        #expect(!bad.answers(request, canvas))
        bad = good
        bad.info.maskBounds = PixelRect(x: Int.max, y: 0, width: 1, height: 1)
        #expect(!bad.answers(request, canvas))
        bad = good
        bad.info.size.width += 1
        #expect(!bad.answers(request, canvas))
    }
}
