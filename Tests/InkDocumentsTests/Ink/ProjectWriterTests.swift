import InkTestSupport
import Testing

@testable import InkCodecs
@testable import InkDocuments
@testable import InkEngine

@Suite struct ProjectWriterTests {
    @Test(arguments: 0..<60 as Range<UInt64>)
    func whatIsWrittenReadsBackTheSame(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let project = randomProject(&random)
        let bytes = try ProjectWriter.write(project)
        let text = String(decoding: bytes, as: UTF8.self)
        let reading = try ProjectReader.read(
            bytes, file: "f", limits: Limits())
        #expect(
            reading.warnings.allSatisfy { $0.reason.hasSuffix("it is drawn unclipped") },
            "seed \(seed): \(reading.warnings)")
        #expect(describe(reading.project) == describe(project), "seed \(seed): \(text.prefix(2000))")
        #expect(try ProjectWriter.write(reading.project) == bytes, "seed \(seed)")
    }

    @Test("Pictures of an old project keep their numbers when it becomes one whose colour profiles count")
    func colorProfiles() throws {
        let plain = MinimalPNGWriter.png(rgb: [9, 200, 30], size: PixelSize(width: 1, height: 1))
        let profile = SRGBProfile.bytes
        let count = UInt16(profile.count)
        var packed: [UInt8] = [
            0x78, 1, 1, UInt8(count & 255), UInt8(count >> 8), UInt8(~count & 255), UInt8(~count >> 8),
        ]
        packed += profile
        packed += bigEndian(profile.withUnsafeBytes { Adler32.checksum($0) })
        // Behind the header, which takes 33 bytes.
        let chunk = PNGStream.chunk("iCCP", Array("p".utf8) + [0, 0] + packed)
        let profiled = Array(plain[..<33]) + chunk + Array(plain[33...])
        func image(_ bytes: [UInt8]) throws -> EncodedImage {
            try EncodedImage(checking: bytes, place: Place(file: "f"), limits: Limits())
        }
        var project = Project(canvasSize: PixelSize(width: 4, height: 4), baseImage: try image(profiled))
        var group = Layer(id: "g", name: "g", order: 0)
        group.kind = .group([Layer(id: "a", name: "a", order: 0, contentImage: try image(plain))], isPassThrough: false)
        group.maskImage = try image(profiled)
        project.layers = [group]
        #expect(project.baseImage?.hasColorProfile == true)
        let changed = try project.withColorProfiles(limits: Limits())
        #expect(changed.hasColorProfiles && changed.baseImage?.hasColorProfile == false)
        #expect(try SimplePNG.read(changed.baseImage?.bytes ?? []).samples == SimplePNG.read(plain).samples)
        #expect(changed.layers[0].maskImage?.hasColorProfile == false)
        #expect(changed.layers[0].children[0].contentImage?.bytes == plain)
        project.hasColorProfiles = true
        #expect(try project.withColorProfiles(limits: Limits()).baseImage?.bytes == profiled)
    }

    @Test(
        "Projects of version 1.3 read back the same, and are written the same again", arguments: 0..<60 as Range<UInt64>
    )
    func version13(seed: UInt64) throws {
        var options = RandomProject.Options.version13
        options.hasImages = false
        let made = RandomProject.make(seed: seed, options: options).project
        let bytes = try ProjectWriter.write(made)
        let read = try ProjectReader.read(bytes, file: "f", limits: Limits()).project
        try expectSame(made, read, "seed \(seed)")
        // Written again it is the same but for half ellipses, whose radii are scaled up.
        try expectSame(
            made, try ProjectReader.read(try ProjectWriter.write(read), file: "f", limits: Limits()).project,
            "seed \(seed), again")
        // The test's own writer says the same.
        try expectSame(
            made, try ProjectReader.read(ProjectFileWriter.bytes(of: made), file: "f", limits: Limits()).project,
            "seed \(seed), by the other writer")
    }

    private func expectSame(_ made: Project, _ read: Project, _ what: String) throws {
        let (before, after) = (made.layers.flattened(), read.layers.flattened())
        try #require(before.count == after.count && made.symbols.map(\.id) == read.symbols.map(\.id), "\(what)")
        for (symbol, again) in zip(made.symbols, read.symbols) {
            #expect(Self.distance(symbol.path, again.path) < 1e-9, "\(what): symbol \(symbol.id)")
        }
        for ((path, layer), (_, other)) in zip(before, after) {
            #expect(layer.strokes == other.strokes, "\(what): \(path)")
            #expect(layer.contentFilter == other.contentFilter && layer.isClipped == other.isClipped)
            try #require(
                layer.shapes.count == other.shapes.count && layer.maskShapes?.count == other.maskShapes?.count)
            let pairs = Array(zip(layer.shapes, other.shapes)) + zip(layer.maskShapes ?? [], other.maskShapes ?? [])
            for (shape, again) in pairs {
                #expect(Self.distance(shape.path, again.path) < 1e-9, "\(what): \(path)")
                var again = again
                again.path = shape.path
                #expect(shape == again, "\(what): \(path)")
            }
            if case .fill(let paint) = layer.kind, case .fill(let other) = other.kind {
                #expect(paint == other, "\(what): \(path)")
            }
        }
    }

    /// How far a path is from another, in which its arcs may be in parts; infinity where they are of other pieces.
    private static func distance(_ path: ShapePath, _ other: ShapePath) -> Double {
        func pieces(_ path: ShapePath) -> [(verb: ShapePath.Verb, points: ArraySlice<Point>)] {
            var first = 0
            return path.verbs.map { verb in
                defer { first += verb.pointCount }
                return (verb, path.points[first..<first + verb.pointCount])
            }
        }
        var rest = pieces(other)[...]
        var most = 0.0
        for (verb, points) in pieces(path) {
            guard verb == .arc else {
                guard let next = rest.popFirst(), next.verb == verb, next.points.elementsEqual(points) else {
                    return .infinity
                }
                continue
            }
            let arc = PathArc(points)
            var share = 0.0
            repeat {
                guard let next = rest.popFirst(), next.verb == .arc else { return .infinity }
                let part = PathArc(next.points)
                let own = part.sweep / arc.sweep
                for step in 1...4 {
                    let place = part.place(Double(step) / 4)
                    most = max(most, (place - arc.place(share + own * Double(step) / 4)).length)
                }
                share += own
            } while share < 1 - 1e-6
            if (arc.place(1) - arc.end).length > 1e-9 { return .infinity }
        }
        return rest.isEmpty ? most : .infinity
    }

    @Test func theVersionIsTheFirstThatKnowsAllOfAProject() throws {
        func version(_ change: (inout Project) -> Void) throws -> String {
            var project = Project(
                canvasSize: PixelSize(width: 1, height: 1), layers: [Layer(strokes: [Stroke(points: [])])])
            change(&project)
            let text = String(decoding: try ProjectWriter.write(project), as: UTF8.self)
            return String(text.dropFirst(12).prefix(3))
        }
        #expect(try version { _ in } == "1.1")
        #expect(try version { $0.layers[0].isClipped = true } == "1.2")
        let shape = Shape(path: ShapePath())
        let changes: [(inout Project) -> Void] = [
            { $0.symbols = [Symbol(id: "a", path: ShapePath())] }, { $0.layers[0].shapes = [shape] },
            { $0.layers[0].maskShapes = [] }, { $0.layers[0].contentFilter = .nearest },
            {
                var layer = Layer()
                layer.kind = .fill(.gradient(Gradient(kind: .radial(center: Point(x: 0, y: 0), radius: 1), stops: [])))
                $0.layers[0].kind = .group([layer], isPassThrough: false)
            },
            { $0.layers[0].strokes[0].smoothing = .none }, { $0.layers[0].strokes[0].isClosed = true },
            { $0.layers[0].strokes[0].brush.lines = 5 }, { $0.layers[0].strokes[0].brush.dotRadius = 5 },
            { $0.layers[0].strokes[0].brush.waveLength = 5 }, { $0.layers[0].strokes[0].brush.edge = .whole },
            { $0.layers[0].strokes[0].brush.stampSpacing = 5 }, { $0.layers[0].strokes[0].brush.followsPath = true },
            { $0.layers[0].strokes[0].brush.caps = .round },
            { $0.layers[0].strokes[0].brush.dynamics.minimumSize = 0 },
            { $0.layers[0].strokes[0].brush.dynamics.minimumOpacity = 1 },
        ]
        for (index, change) in changes.enumerated() { #expect(try version(change) == "1.3", "change \(index)") }
    }

    @Test func numbersThatJSONCannotSayAreRefused() {
        for value in [Double.nan, .infinity] {
            let stroke = Stroke(points: [StrokePoint(x: value, y: 0)])
            let project = Project(canvasSize: PixelSize(width: 1, height: 1), layers: [Layer(strokes: [stroke])])
            #expect(throws: EngineError.internalError("a project to be written holds a number that is not finite")) {
                try ProjectWriter.write(project)
            }
        }
    }

    @Test(arguments: 0..<10 as Range<UInt64>)
    func numbersAreWrittenAsShortAsTheyReadBack(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var values = [
            0, -0.0, 0.001, -0.001, 0.0001, 999.9995, 1e11, 123_456_789_012.345, 1e12, 1e15, 0.1 + 0.2,
            .leastNonzeroMagnitude,
        ]
        for _ in 0..<300 {
            let places = [1.0, 10, 100, 1000, 10_000].randomElement(using: &random)!
            let range = [20.0, 5e6, 3e14].randomElement(using: &random)!
            values.append(Double.random(in: -range...range, using: &random).rounded() / places)
            values.append(values[values.count - 1].nextUp)
        }
        for value in values {
            let stroke = Stroke(points: [StrokePoint(x: value, y: 0)])
            let project = Project(canvasSize: PixelSize(width: 1, height: 1), layers: [Layer(strokes: [stroke])])
            let text = String(decoding: try ProjectWriter.write(project), as: UTF8.self)
            let shortest = value.description.hasSuffix(".0") ? String(value.description.dropLast(2)) : value.description
            #expect(text.contains("[[\(shortest),0]]"), "seed \(seed): \(value)")
        }
    }

    @Test func theTextIsCompact() throws {
        let point = StrokePoint(x: 1.25, y: -2, pressure: 0.5)
        let project = Project(
            name: "a\"\u{1}", canvasSize: PixelSize(width: 64, height: 48),
            layers: [Layer(strokes: [Stroke(points: [point, StrokePoint(x: 1e-7, y: 0, altitude: 45)])])])
        #expect(
            String(decoding: try ProjectWriter.write(project), as: UTF8.self)
                == ##"{"version":"1.1","name":"a\"\u0001","canvasSize":{"width":64,"height":48},"background":"#ffffff","layers":[{"order":0,"opacity":1,"blendMode":"normal","isVisible":true,"strokes":[{"points":[[1.25,-2,0.5],[1e-07,0,1,0,45]]}]}]}"##
                + "\n")
    }

    /// Everything that a project holds, as text: `Project` holds images and is not `Equatable`.
    private func describe(_ project: Project) -> String { "\(project)" }

    private func randomProject(_ random: inout SeededGenerator) -> Project {
        func number(_ range: ClosedRange<Double>) -> Double {
            let value = Double.random(in: range, using: &random)
            return Bool.random(using: &random) ? value : (value * 4).rounded() / 4
        }
        func maybe<T>(_ value: @autoclosure () -> T) -> T? { Bool.random(using: &random) ? value() : nil }
        func text() -> String {
            String(
                (0..<Int.random(in: 1...6, using: &random)).map { _ in
                    "aé😀\"\\/\n\u{7}\u{0} <".randomElement(using: &random)!
                })
        }
        func color(opaque: Bool) -> RGBA8 {
            RGBA8(
                red: .random(in: 0...255, using: &random), green: .random(in: 0...255, using: &random),
                blue: .random(in: 0...255, using: &random), alpha: opaque ? 255 : .random(in: 0...255, using: &random))
        }
        func image(_ place: String) -> EncodedImage? {
            guard Bool.random(using: &random) else { return nil }
            let tail = (0..<Int.random(in: 0...5, using: &random)).map { UInt8($0) }
            let png =
                pngHeader(
                    width: .random(in: 1...99, using: &random), height: 7, interlace: .random(in: 0...1, using: &random)
                ) + tail
            return try? EncodedImage(checking: png, place: Place(file: "f", path: place), limits: Limits())
        }
        func point() -> StrokePoint {
            StrokePoint(
                x: number(-1e7...1e7), y: number(-100...100), pressure: maybe(number(0...1)) ?? 1,
                timestamp: maybe(number(0...1e6)) ?? 0, altitude: maybe(number(0...90)) ?? 90,
                azimuth: maybe(number(-360...360)) ?? 0)
        }
        func stroke() -> Stroke {
            var brush = Brush()
            if Bool.random(using: &random) {
                brush = Brush(
                    type: BrushType.allCases.randomElement(using: &random)!, rotation: number(-720...720),
                    spacing: number(0.5...40), opacity: number(0...1), scale: number(0.25...4),
                    lineWidth: number(0.25...9), anchor: maybe(.canvas) ?? .stamp, size: maybe(number(0.5...99)) ?? 20,
                    color: color(opaque: true),
                    dynamics: BrushDynamics(
                        pressureAffectsOpacity: .random(using: &random), pressureAffectsSize: .random(using: &random),
                        tiltAffectsRotation: .random(using: &random)))
            }
            return Stroke(
                brush: brush, mode: maybe(.erase) ?? .paint,
                points: (0..<Int.random(in: 0...5, using: &random)).map { _ in point() })
        }
        var project = Project(
            id: maybe(text()) ?? "", name: text(), createdAt: maybe(text()), modifiedAt: maybe(text()),
            canvasSize: PixelSize(
                width: .random(in: 1...65_536, using: &random), height: .random(in: 1...9, using: &random)),
            background: color(opaque: false), baseImage: image("baseImage"),
            metadata: ProjectMetadata(author: maybe(text()), license: maybe(text())))
        func placement() -> Placement {
            Placement(
                x: number(-99...99), y: number(-1e6...1e6), width: number(0.5...9), height: number(1...1e6),
                rotation: maybe(number(-720...720)) ?? 0)
        }
        func element(_ path: String, depth: Int) -> Layer {
            var element = layer(path)
            element.isClipped = depth % 2 == 1 && Bool.random(using: &random)
            if element.maskImage != nil, let placed = maybe(placement()) {
                element.maskPlacement = placed
                element.maskOutside = number(0...1)
            }
            if element.contentImage != nil { element.contentPlacement = maybe(placement()) }
            guard depth < 4, Bool.random(using: &random) else { return element }
            element.suggestedPattern = nil
            element.contentImage = nil
            element.contentPlacement = nil
            element.strokes = []
            if Bool.random(using: &random) {
                element.kind = .fill(.color(color(opaque: false)))
            } else {
                let children = (0..<Int.random(in: 0...3, using: &random)).map {
                    nested("\(path).layers[\($0)]", depth + 1)
                }
                element.kind = .group(children, isPassThrough: .random(using: &random))
            }
            return element
        }
        func nested(_ path: String, _ depth: Int) -> Layer { element(path, depth: depth) }
        func layer(_ path: String) -> Layer {
            Layer(
                id: maybe(text()) ?? "", name: maybe(text()) ?? "", order: number(-5...5),
                maskImage: image("\(path).maskImage"),
                contentImage: image("\(path).contentImage"),
                opacity: number(0...1), blendMode: BlendMode.allCases.randomElement(using: &random)!,
                isVisible: .random(using: &random),
                suggestedPattern: maybe(
                    SuggestedPattern(
                        type: .waves, rotation: number(-9...9), spacing: number(0.5...9), color: color(opaque: true)
                    )),
                strokes: (0..<Int.random(in: 0...4, using: &random)).map { _ in stroke() })
        }
        let isNew = Bool.random(using: &random)
        for index in 0..<Int.random(in: 0...3, using: &random) {
            let path = "layers[\(index)]"
            project.layers.append(isNew ? element(path, depth: 0) : layer(path))
        }
        if isNew, Bool.random(using: &random) {
            project.viewports = [
                Viewport(
                    name: text(), center: Point(x: number(-99...99), y: number(-9...9)), zoom: number(0.5...9),
                    rotation: number(-9...9), size: CanvasSize(width: number(1...9), height: number(1...99)))
            ]
        }
        if isNew, project.baseImage == nil, Bool.random(using: &random) {
            project.isInfinite = true
            project.canvasSize = CanvasSize(width: 0, height: 0)
        }
        project.hasColorProfiles = project.needsVersion12
        return project
    }
}
