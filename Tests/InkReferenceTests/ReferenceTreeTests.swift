import InkEngine
import InkReference
import InkTestSupport
import Testing

@Suite("Reference: the layer tree (spec 8.2)")
struct ReferenceTreeTests {
    private let canvas = PixelSize(width: 4, height: 2)
    private let red = RGBA8(red: 255, green: 0, blue: 0)
    private let green = RGBA8(red: 0, green: 255, blue: 0)
    private let blue = RGBA8(red: 0, green: 0, blue: 255)

    private func fill(
        _ color: RGBA8, mode: BlendMode = .normal, opacity: Double = 1, clipped: Bool = false, visible: Bool = true,
        order: Double = 0
    ) -> Layer {
        var layer = Layer(order: order, opacity: opacity, blendMode: mode, isVisible: visible)
        layer.kind = .fill(.color(color))
        layer.isClipped = clipped
        return layer
    }

    private func group(
        _ children: [Layer], passThrough: Bool = false, mode: BlendMode = .normal, opacity: Double = 1,
        clipped: Bool = false
    ) -> Layer {
        var layer = fill(.black, mode: mode, opacity: opacity, clipped: clipped)
        layer.kind = .group(children, isPassThrough: passThrough)
        return layer
    }

    /// The left pixel of the picture, premultiplied.
    private func color(_ layers: [Layer], on background: RGBA8 = .transparent, images: DecodedImages = DecodedImages())
        -> [Double]
    {
        let project = Project(canvasSize: canvas, background: background, layers: layers)
        return pixel(ReferenceRenderer.render(project: project, images: images, output: canvas), 0, 0)
    }

    @Test func fillsCoverTheCanvas() {
        #expect(near(color([fill(RGBA8(red: 255, green: 0, blue: 51, alpha: 102))]), [0.4, 0, 0.08, 0.4]))
        #expect(near(color([fill(red, mode: .multiply, opacity: 0.5)], on: .white), [1, 0.5, 0.5, 1]))
    }

    @Test func isolatedGroupsAreBlendedOntoNothing() {
        let multiplied = fill(red, mode: .multiply)
        // Onto nothing it is red, which then covers the green.
        #expect(near(color([group([multiplied])], on: green), [1, 0, 0, 1]))
        #expect(near(color([group([multiplied], mode: .multiply)], on: green), [0, 0, 0, 1]))
        #expect(near(color([group([multiplied], mode: .multiply, opacity: 0.25)], on: green), [0, 0.75, 0, 1]))
        // Opacities of all levels multiply.
        let nested = group([group([fill(red, opacity: 0.5)], opacity: 0.5)], opacity: 0.5)
        #expect(near(color([nested]), [0.125, 0, 0, 0.125]))
        // Half red over half green, as one picture of alpha 0.75.
        let halves = group([fill(green, opacity: 0.5), fill(red, opacity: 0.5)], opacity: 0.5)
        #expect(near(color([halves]), [0.25, 0.125, 0, 0.375]))
        #expect(near(color([group([])], on: green), [0, 1, 0, 1]))
    }

    @Test func passThroughGroupsAreBlendedOntoWhatLiesBelow() {
        let multiplied = fill(red, mode: .multiply)
        #expect(near(color([group([multiplied], passThrough: true)], on: green), [0, 0, 0, 1]))
        #expect(near(color([group([multiplied], passThrough: true, opacity: 0.25)], on: green), [0, 0.75, 0, 1]))
        // Its own mode counts for nothing.
        #expect(near(color([group([fill(red)], passThrough: true, mode: .multiply)], on: green), [1, 0, 0, 1]))
        // Alpha too: 0.5 of nothing and 0.5 of opaque red.
        #expect(near(color([group([fill(red)], passThrough: true, opacity: 0.5)]), [0.5, 0, 0, 0.5]))
        // Through two levels, but not through an isolated one.
        let twice = group([group([multiplied], passThrough: true)], passThrough: true)
        #expect(near(color([twice], on: green), [0, 0, 0, 1]))
        #expect(near(color([group([group([multiplied], passThrough: true)])], on: green), [1, 0, 0, 1]))
    }

    @Test func masksCountOnEveryElementAndImagesAreNumberedThroughTheTree() {
        // 204 / 255 = 0.8, 102 / 255 = 0.4
        let mask = { (value: UInt8) in
            StraightImage(size: PixelSize(width: 1, height: 1), gray: [value])
        }
        func masked(_ layer: Layer) -> Layer {
            var layer = layer
            layer.maskImage = encoded(PixelSize(width: 1, height: 1))
            return layer
        }
        let images = DecodedImages([.mask(layerIndex: 1): mask(204), .mask(layerIndex: 3): mask(102)])
        let isolated = [fill(blue), masked(group([fill(green), masked(fill(red))], opacity: 0.5))]
        // In the group 0.6 green and 0.4 red, of which 0.8 * 0.5 covers the blue.
        #expect(near(color(isolated, images: images), [0.16, 0.24, 0.6, 1]))
        let through = [fill(blue), masked(group([fill(green), masked(fill(red))], passThrough: true, opacity: 0.5))]
        #expect(near(color(through, images: images), [0.16, 0.24, 0.6, 1]))
        // The next element's number comes after those of the group.
        let later = [group([fill(green), group([])]), masked(fill(red))]
        #expect(near(color(later, images: images), [0.4, 0.6, 0, 1]))
    }

    @Test func clippedElementsArePaintedOnlyOntoTheirBase() {
        let base = fill(RGBA8(red: 0, green: 255, blue: 0, alpha: 51))
        let ab = 0.2
        func expect(
            _ layers: [Layer], _ straight: [Double], alpha: Double, _ location: SourceLocation = #_sourceLocation
        ) {
            let found = color(layers)
            #expect(near(found, straight.map { $0 * alpha } + [alpha]), "\(found)", sourceLocation: location)
        }
        expect([base, fill(red, opacity: 0.5, clipped: true)], [0.5, 0.5, 0], alpha: ab)
        expect([base, fill(red, mode: .multiply, opacity: 0.5, clipped: true)], [0, 0.5, 0], alpha: ab)
        expect([base, fill(red, mode: .plus, opacity: 0.5, clipped: true)], [0.5, 1, 0], alpha: ab)
        // In order: half red, then half blue.
        let two = [base, fill(red, opacity: 0.5, clipped: true), fill(blue, opacity: 0.5, clipped: true)]
        expect(two, [0.25, 0.25, 0.5], alpha: ab)
        // The base's opacity counts for the whole.
        var faint = base
        faint.opacity = 0.5
        expect([faint, fill(red, opacity: 0.5, clipped: true)], [0.5, 0.5, 0], alpha: 0.1)
        // The order counts, not the place in the file.
        expect([fill(red, clipped: true, order: 1), base], [1, 0, 0], alpha: ab)
        // A group is clipped as one picture.
        expect([base, group([fill(red), fill(blue)], opacity: 0.5, clipped: true)], [0, 0.5, 0.5], alpha: ab)
    }

    @Test func theBasesModeBlendsTheWhole() {
        // (0.5, 0.5, 0) multiplied onto (0, 1, 1).
        let layers = [fill(green, mode: .multiply), fill(red, opacity: 0.5, clipped: true)]
        #expect(near(color(layers, on: RGBA8(red: 0, green: 255, blue: 255)), [0, 0.5, 0, 1]))
    }

    @Test func nothingIsPaintedWhereTheBaseIsNot() {
        // A bar over the upper row.
        let bar = Stroke(
            brush: Brush(type: .solid, lineWidth: 2), points: [StrokePoint(x: -3, y: 0), StrokePoint(x: 9, y: 0)])
        let project = Project(
            canvasSize: canvas, background: .transparent,
            layers: [Layer(strokes: [bar]), fill(red, mode: .plus, clipped: true)])
        let picture = ReferenceRenderer.render(project: project, output: canvas)
        #expect(near(pixel(picture, 1, 0), [1, 0, 0, 1]))
        #expect(near(pixel(picture, 1, 1), [0, 0, 0, 0]))
    }

    @Test func passThroughGroupsAtClippingCountAsIsolated() {
        let through = group([fill(red, mode: .multiply)], passThrough: true)
        // A visible element clipped to it isolates it, even one that does not show; a hidden one does not.
        #expect(near(color([through, fill(blue, opacity: 0, clipped: true)], on: green), [1, 0, 0, 1]))
        #expect(near(color([through, fill(blue, clipped: true, visible: false)], on: green), [0, 0, 0, 1]))
        // Its mode counts then.
        let multiplied = group([fill(red)], passThrough: true, mode: .multiply)
        #expect(near(color([multiplied, fill(red, opacity: 0, clipped: true)], on: green), [0, 0, 0, 1]))
        let clipped = group([fill(red)], passThrough: true, mode: .multiply, clipped: true)
        #expect(near(color([fill(green), clipped], on: blue), [0, 0, 0, 1]))
        // Clipped to nothing it is as if it were not clipped.
        #expect(near(color([clipped], on: green), [1, 0, 0, 1]))
    }

    @Test func aHiddenBaseHidesWhatIsClippedToIt() {
        #expect(near(color([fill(blue), fill(green, visible: false), fill(red, clipped: true)]), [0, 0, 1, 1]))
    }

    @Test func elementsWithoutABaseAreDrawnAndNamed() {
        // The first is no base: the second covers all of it with its own mode, and neither clips the other.
        let faint = fill(RGBA8(red: 255, green: 0, blue: 0, alpha: 51), clipped: true)
        let layers = [faint, fill(blue, opacity: 0.5, clipped: true), group([fill(green, clipped: true)])]
        #expect(near(color(Array(layers.prefix(2))), [0.1, 0, 0.5, 0.6]))
        #expect(ReferenceRenderer.elementsWithoutBase(layers) == [0, 1, 3])
        #expect(ReferenceRenderer.elementsWithoutBase([fill(red, clipped: true, order: 1), fill(green)]) == [])
        // A hidden base is a base.
        #expect(ReferenceRenderer.elementsWithoutBase([fill(red, visible: false), fill(green, clipped: true)]) == [])
    }

    /// A pass-through group without mask and opacity is its elements.
    @Test(arguments: 0..<UInt64(8))
    func passThroughGroupsAloneChangeNothing(seed: UInt64) {
        var options = RandomProject.Options.layerTrees
        options.treeDepth = 1
        options.layers = 3...6
        options.strokesPerLayer = 0...1
        options.stampsPerStrokeMax = 4
        options.canvasEdge = 16...32
        options.outputEdgeMax = 32
        let random = RandomProject.make(seed: seed, options: options)
        let plain = ReferenceRenderer.render(
            project: random.project, images: random.images, output: random.output)
        var grouped = random.project
        grouped.layers = [group(random.project.layers, passThrough: true)]
        // Every element has one more before it.
        let images = random.images.images.map { key, image in
            switch key {
            case .base: (key, image)
            case .mask(let index): (ImageKey.mask(layerIndex: index + 1), image)
            case .content(let index): (ImageKey.content(layerIndex: index + 1), image)
            }
        }
        let found = ReferenceRenderer.render(
            project: grouped, images: DecodedImages(Dictionary(uniqueKeysWithValues: images)), output: random.output)
        #expect(near(found.pixels, plain.pixels), "\(random)")
    }

    @Test func hiddenGroupsAndElementsAreNotDrawn() {
        var hidden = group([fill(red)])
        hidden.isVisible = false
        #expect(near(color([hidden, group([fill(red, visible: false)])], on: green), [0, 1, 0, 1]))
        let ordered = group([fill(red, order: 2), fill(blue, order: 1)])
        #expect(near(color([ordered]), [1, 0, 0, 1]))
    }
}
