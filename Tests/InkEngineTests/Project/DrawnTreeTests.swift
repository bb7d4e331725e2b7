import InkReference
import InkTestSupport
import Testing

@testable import InkEngine

@Suite("What is drawn of a layer tree") struct DrawnTreeTests {
    /// A small tree in which much is not drawn.
    private static func random(seed: UInt64) -> RandomProject {
        var options = RandomProject.Options.layerTrees
        options.layers = 2...5
        options.strokesPerLayer = 0...1
        options.stampsPerStrokeMax = 4
        options.canvasEdge = 16...32
        options.outputEdgeMax = 32
        var random = RandomProject.make(seed: seed, options: options)
        var generator = SeededGenerator(seed: seed)
        random.project.layers.changeAll { layer in
            switch Int.random(in: 0...9, using: &generator) {
            case 0, 1: layer.isVisible = false
            case 2: layer.opacity = 0
            case 3: if case .fill = layer.kind { layer.kind = .fill(.color(.transparent)) }
            default: break
            }
        }
        return random
    }

    /// What the specification has of a random project with these layers in place of its own.
    private func pixels(_ random: RandomProject, _ layers: [Layer]) throws -> [Double] {
        var project = random.project
        project.layers = layers
        var images: [String: StraightImage] = [:]
        for (key, image) in ImageKey.images(of: random.project) { images[image.place] = random.images[key] }
        let decoded = try DecodedImages(of: project) { try #require(images[$0.place]) }
        return ReferenceRenderer.render(project: project, images: decoded, output: random.output).pixels
    }

    private func areNear(_ found: [Double], _ expected: [Double]) -> Bool {
        zip(found, expected).allSatisfy { abs($0 - $1) < 1e-9 }
    }

    @Test("What the tree leaves out changes no pixel of the specification's picture", arguments: 0..<8)
    func leftOut(group: UInt64) throws {
        var leftOutCount = 0
        for seed in (8 * group)..<(8 * group + 8) {
            let random = Self.random(seed: seed)
            let drawn = DrawnTree(random.project.layers).drawn(fillsSuggested: false).flatMap(\.layers)
            leftOutCount += random.project.layers.elementCount - drawn.elementCount
            #expect(
                areNear(try pixels(random, drawn), try pixels(random, random.project.layers)), "seed \(seed): \(random)"
            )
        }
        #expect(leftOutCount > 0)
    }

    @Test("A chosen element is drawn as in a file that has it alone, with what is clipped to it", arguments: 0..<24)
    func chosen(seed: UInt64) throws {
        let random = Self.random(seed: seed)
        let all = random.project.layers.flattened()
        let number = Int(seed) % all.count
        let tree = DrawnTree(random.project.layers, chosen: [number])
        #expect(tree[number].path == all[number].path && tree[number].layer.isVisible)
        let drawn = tree.drawn(fillsSuggested: false).flatMap(\.layers)
        let alone = only(number, random.project.layers)
        #expect(areNear(try pixels(random, drawn), try pixels(random, alone)), "element \(number) of \(random)")
    }

    /// - Parameter first: the number of the first sibling.
    private func only(_ number: Int, _ siblings: [Layer], first: Int = 0) -> [Layer] {
        var next = first
        for (index, layer) in siblings.enumerated() {
            let own = next
            next += 1 + layer.children.elementCount
            guard number < next else { continue }
            var kept = layer
            kept.isVisible = true
            if number > own, case .group(let children, let isPassThrough) = layer.kind {
                kept.kind = .group(only(number, children, first: own + 1), isPassThrough: isPassThrough)
                kept.isClipped = false
                return [kept]
            }
            var shown = siblings
            shown[index] = kept
            let clipped = ReferenceRenderer.drawnElements(shown).first { $0.base == index }?.clipped ?? []
            kept.isClipped = false
            return [kept] + clipped.map { siblings[$0] }
        }
        return []
    }

    private func group(_ children: [Layer]) -> Layer {
        var group = Layer()
        group.kind = .group(children, isPassThrough: true)
        return group
    }

    private func clipped(_ layer: Layer) -> Layer {
        var layer = layer
        layer.isClipped = true
        return layer
    }

    private let line = Layer(strokes: [Stroke(points: [StrokePoint(x: 1, y: 2), StrokePoint(x: 5, y: 2)])])

    @Test("A group passes through unless it is clipped, or the base of a visible element")
    func passingThrough() {
        var hidden = clipped(line)
        hidden.isVisible = false
        let layers = [group([line]), hidden, group([line]), clipped(line), clipped(group([line]))]
        let elements = DrawnTree(layers).elements
        #expect(elements.map(\.isPassThrough) == [true, false])
        #expect(elements[1].clipped.map(\.isPassThrough) == [false, false])
        // Alone it is neither.
        #expect(DrawnTree(layers, chosen: [6]).elements.map(\.isPassThrough) == [true])
    }

    @Test("A layer that has nothing else is filled with its suggested pattern, where that is wanted")
    func suggested() {
        var filled = Layer()
        filled.suggestedPattern = SuggestedPattern(type: .dots)
        var both = line
        both.suggestedPattern = filled.suggestedPattern
        let tree = DrawnTree([filled, both, Layer()])
        #expect(tree.drawn(fillsSuggested: true).map { $0.layer.suggestedPattern != nil } == [true, false])
        #expect(tree.drawn(fillsSuggested: false).map(\.number) == [1])
    }

    @Test("A stroke of opacity 0 is not drawn, but fit makes room for it as for any that is not hidden")
    func boundsOfTransparentLayers() {
        var layer = line
        layer.opacity = 0
        #expect(DrawnTree([layer]).drawn(fillsSuggested: false).isEmpty)
        #expect(Project(canvasSize: nil, layers: [layer]).visibleBounds == Rect(minX: 1, minY: 2, maxX: 5, maxY: 2))
        layer.isVisible = false
        #expect(Project(canvasSize: nil, layers: [layer, clipped(line)]).visibleBounds == nil)
    }

    @Test("A fill is on all pages, a hidden one in a group on none")
    func pages() {
        var fill = Layer()
        fill.kind = .fill(.color(.black))
        var hidden = fill
        hidden.isVisible = false
        var project = Project(canvasSize: nil, layers: [group([hidden, line]), hidden, clipped(line), group([fill])])
        project.viewports = [Point(x: 0, y: 0), Point(x: 100, y: 0)].map {
            Viewport(center: $0, size: CanvasSize(width: 20, height: 20))
        }
        #expect(project.pagesOfElements == [0: [0], 3: [0, 1], 4: [0], 5: [0, 1]])
    }
}

extension [Layer] {
    fileprivate mutating func changeAll(_ change: (inout Layer) -> Void) {
        for index in indices {
            change(&self[index])
            guard case .group(var children, let isPassThrough) = self[index].kind else { continue }
            children.changeAll(change)
            self[index].kind = .group(children, isPassThrough: isPassThrough)
        }
    }
}
