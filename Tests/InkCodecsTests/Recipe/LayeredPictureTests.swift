import Testing

@testable import InkCodecs
@testable import InkEngine

@Suite("The elements of files with layers") struct LayeredPictureTests {
    private static let line = Layer(strokes: [Stroke(points: [StrokePoint(x: 1, y: 2)])])

    private static func picture(
        _ layers: [Layer], _ abilities: LayeredPicture.Abilities, _ options: PictureOptions = PictureOptions()
    ) throws -> LayeredPicture {
        let size = PixelSize(width: 8, height: 8)
        let project = Project(canvasSize: size, background: .transparent, layers: layers)
        return try LayeredPicture(
            project, options, size: size, abilities, formatName: "ora", place: Place(file: "a.ink"))
    }

    private static func group(_ mode: BlendMode, _ children: [Layer]) -> Layer {
        var group = Layer(blendMode: mode)
        group.kind = .group(children, isPassThrough: true)
        return group
    }

    @Test("The mode of a group that passes through counts for nothing, also where it becomes one layer")
    func modeOfPassingThrough() throws {
        var group = Self.group(.plus, [Self.line])
        group.maskImage = EncodedImage(
            bytes: [], header: ImageHeader(size: PixelSize(width: 8, height: 8), isHeldWhole: false), place: "mask")
        for abilities in [ORAAssembler.abilities, PSDLimits.abilities] {
            let picture = try Self.picture([group], abilities)
            #expect(picture.nodes.map(\.blendMode) == [.normal])
            #expect(!picture.warnings.contains { $0.contains("plus") })
        }
    }

    @Test("A mask of shapes is a group's mask as one of a picture is")
    func maskOfShapes() throws {
        var group = Self.group(.normal, [Self.line])
        group.maskShapes = []
        let psd = try Self.picture([group], PSDLimits.abilities)
        if case .group(_, _, let mask) = psd.nodes[0].kind {
            #expect(mask == .mask(0))
        } else {
            Issue.record("no group")
        }
        let ora = try Self.picture([group], ORAAssembler.abilities)
        #expect(ora.nodes[0].kind == .picture(.element(0)))
        #expect(ora.warnings == ["ora: a group with a mask becomes one layer"])
    }

    @Test("The mode of a group that clipping isolates counts, and is warned of where the format does not have it")
    func modeOfIsolated() throws {
        var clipped = Self.line
        clipped.isClipped = true
        let picture = try Self.picture([Self.group(.plus, [Self.line]), clipped], PSDLimits.abilities)
        #expect(picture.nodes.map(\.blendMode) == [.plus, .normal])
        #expect(picture.warnings.contains { $0.contains("plus") })
        clipped.isVisible = false
        let open = try Self.picture([Self.group(.plus, [Self.line]), clipped], PSDLimits.abilities)
        #expect(open.nodes.map(\.blendMode) == [.normal, .normal] && open.warnings.isEmpty)
    }

    @Test("A picture of an element has what is in it and clipped to it, without its own mode and opacity")
    func sources() throws {
        var base = Self.line
        (base.opacity, base.blendMode, base.order) = (0.5, .multiply, 1)
        var clipped = Self.line
        (clipped.isClipped, clipped.opacity, clipped.order) = (true, 0.25, 2)
        var options = PictureOptions()
        // Numbers are those of the file: the clipped one, the group, what is in it, the base.
        options.layers = [3]
        let picture = try Self.picture(
            [clipped, Self.group(.normal, [Self.line]), base], ORAAssembler.abilities, options)
        let part = PictureSource.element(3, isWithClipped: true)
        #expect(picture.parts == [.whole, part, .thumbnail])
        #expect(picture.nodes.map(\.opacity) == [0.5])
        let layers = picture.subject(of: part).project.layers
        #expect(layers.map(\.opacity) == [1, 0.25] && layers.map(\.isClipped) == [false, true])
        #expect(layers.map(\.blendMode) == [.normal, .normal])
    }
}
