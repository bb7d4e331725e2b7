import InkCodecs
import InkEngine

/// Aseprite's sprites (`.aseprite`, `.ase`): a page each frame, with layers, groups, modes and tile maps.
struct AsepriteDocument: FileDocumentReader {
    let what = "an Aseprite file"
    let label = "aseprite"
    let endings = [".aseprite", ".ase"]
    let hasOwnSize = true
    let mayHavePages = true

    func recognizes(_ head: DocumentHead) -> Bool { AsepriteFile.recognizes(head.bytes) }

    func project(
        _ bytes: consuming [UInt8], _ place: Place, _ context: DocumentContext
    ) throws(EngineError) -> FoundProject {
        let bytes = bytes
        let file = try AsepriteFile(bytes, place: place, limits: context.limits)
        var reader = AsepriteReader(file, bytes, place: place, limits: context.limits)
        var project = try reader.project()
        project.hasColorProfiles = true
        return (project, reader.tree.warnings.all)
    }
}

private struct AsepriteReader {
    private let file: AsepriteFile
    private let bytes: [UInt8]
    private let place: Place
    var tree: DocumentTree
    /// Cels that have been read; linked ones are those of other frames.
    private var images: [String: EncodedImage] = [:]

    /// Between frames, so that what lies outside of one does not show in another.
    private static let gap = 1 << 17

    init(_ file: AsepriteFile, _ bytes: [UInt8], place: Place, limits: Limits) {
        self.file = file
        self.bytes = bytes
        self.place = place
        tree = DocumentTree("the Aseprite file", place: place, limits: limits)
    }

    /// The only frame, or all of them side by side on an infinite canvas, with a viewport on each.
    mutating func project() throws(EngineError) -> Project {
        _ = try tree.canvas(width: Double(file.size.width), height: Double(file.size.height))
        for (what, place) in file.leftOut { tree.leaveOut(what, at: place) }
        let animation = Animation(
            durations: file.durations, tags: file.tags.filter { $0.frames.upperBound < file.frames.count })
        if animation.tags.count < file.tags.count { tree.leaveOut("a tag of frames that do not exist", at: nil) }
        guard file.frames.count > 1 else {
            let layers = try layers(ofFrame: 0, x: 0)
            var project = Project(
                canvasSize: file.size, background: DocumentTree.background(below: layers, canvas: file.size),
                layers: layers)
            project.animation = animation
            return project
        }
        var project = Project(canvasSize: nil, background: .transparent)
        project.animation = animation
        for frame in file.frames.indices {
            let x = frame * (file.size.width + Self.gap)
            var group = Layer(id: "frame-\(frame + 1)", name: "Frame \(frame + 1)")
            group.kind = .group(try layers(ofFrame: frame, x: x), isPassThrough: false)
            try tree.count(depth: 0)
            project.layers.append(group)
            project.viewports.append(
                Viewport(
                    name: "\(frame + 1)",
                    center: Point(x: Double(x) + Double(file.size.width) / 2, y: Double(file.size.height) / 2),
                    size: CanvasSize(file.size)))
        }
        project.layers = project.layers.numbered
        project.hasPages = true
        return project
    }

    private mutating func layers(ofFrame frame: Int, x: Int) throws(EngineError) -> [Layer] {
        var next = 0
        return try siblings(&next, frame: frame, x: x, depth: 0)
    }

    /// - Parameter next: the layer to go on with.
    private mutating func siblings(
        _ next: inout Int, frame: Int, x: Int, depth: Int
    ) throws(EngineError) -> [Layer] {
        var layers: [Layer] = []
        while next < file.layers.count, file.layers[next].depth >= depth {
            let index = next
            let element = file.layers[index]
            next += 1
            try tree.count(depth: depth + 1)
            if case .unknown(let kind) = element.kind {
                tree.leaveOut("a layer of the kind \(kind), which is unknown", at: path(index))
                continue
            }
            var layer = Layer(
                id: "layer-\(index + 1)", name: element.name, order: Double(index), opacity: element.opacity,
                isVisible: element.isVisible && !element.isReference)
            if let mode = Self.modes[element.mode] {
                layer.blendMode = mode
            } else {
                tree.leaveOut("the mode \(element.mode), drawn as normal", at: path(index))
            }
            if case .group = element.kind {
                let children = try siblings(&next, frame: frame, x: x, depth: depth + 1)
                layer.kind = .group(children, isPassThrough: layer.opacity == 1 && layer.blendMode == .normal)
            } else if let cel = file.frames[frame][index] {
                layer.opacity *= cel.opacity
                layer.order += Double(cel.z) * (1 + 1e-6)
                try addPixels(of: cel, to: &layer, index, frame: frame, x: x)
            }
            layers.append(layer)
        }
        return layers
    }

    private func path(_ index: Int) -> String {
        "layer \(index + 1) \"\(shownText(file.layers[index].name, limit: 40))\""
    }

    private mutating func addPixels(
        of cel: AsepriteFile.Cel, to layer: inout Layer, _ index: Int, frame: Int, x: Int
    ) throws(EngineError) {
        var (cel, frame) = (cel, frame)
        if case .linked(let other) = cel.content {
            // A link leads to pixels, not to another link.
            guard other < file.frames.count, let linked = file.frames[other][index] else {
                return tree.leaveOut("a cel that is linked to nothing", at: path(index))
            }
            (cel.content, cel.size, frame) = (linked.content, linked.size, other)
            if case .linked = cel.content { return tree.leaveOut("a cel that is linked to a link", at: path(index)) }
        }
        guard let image = try image(of: cel, index, frame: frame) else { return }
        layer.contentImage = image
        layer.contentFilter = .nearest
        layer.contentPlacement =
            file.frames.count == 1
            ? DocumentTree.placement(x: Double(cel.x), y: Double(cel.y), image.size, canvas: file.size)
            : Placement(
                x: Double(x + cel.x), y: Double(cel.y), width: Double(image.size.width),
                height: Double(image.size.height))
    }

    private var pixelBytes: Int { file.depth / 8 }

    private mutating func image(of cel: AsepriteFile.Cel, _ index: Int, frame: Int) throws(EngineError) -> EncodedImage?
    {
        let key = "\(frame) \(index)"
        if let known = images[key] { return known }
        guard cel.size.area > 0 else { return nil }
        let image: EncodedImage
        let background = file.layers[index].isBackground
        switch cel.content {
        case .linked: return nil
        case .pixels(let range, let isPacked):
            let picture = picture(
                cel.size, .init(channel: PackedPicture.Plane.all, packing: isPacked ? .deflate : .raw, range: range),
                isOpaque: background)
            image = try tree.image(picture.encoded(from: bytes), path(index))
        case .tiles(let range, let masks):
            guard case .tilemap(let number) = file.layers[index].kind, let set = file.tileSets[number],
                let packed = set.pixels
            else {
                tree.leaveOut("a map of tiles that are in another file", at: path(index))
                return nil
            }
            let (size, pixels) = try tiled(cel.size, range, masks, set, packed, path(index))
            let picture = picture(
                size, .init(channel: PackedPicture.Plane.all, packing: .raw, range: 0..<pixels.count),
                isOpaque: background)
            image = try tree.image(picture.encoded(from: pixels), path(index))
        }
        images[key] = image
        return image
    }

    private func picture(_ size: PixelSize, _ plane: PackedPicture.Plane, isOpaque: Bool) -> PackedPicture {
        var picture: PackedPicture
        switch file.depth {
        case 8:
            picture = PackedPicture(size: size, colors: .indexed, planes: [plane])
            picture.palette = Array(file.palette.prefix(1024))
            let place = 4 * file.transparentIndex + 3
            if !isOpaque, place < picture.palette.count { picture.palette[place] = 0 }
        case 16: picture = PackedPicture(size: size, colors: .gray, hasAlpha: true, planes: [plane])
        default: picture = PackedPicture(size: size, colors: .rgb, hasAlpha: true, planes: [plane])
        }
        picture.profile = file.profile
        return picture
    }

    /// The pixels of a map of tiles.
    private func tiled(
        _ map: PixelSize, _ range: Range<Int>, _ masks: [UInt32], _ set: AsepriteFile.TileSet, _ packed: Range<Int>,
        _ path: String
    ) throws(EngineError) -> (PixelSize, [UInt8]) {
        let place = Place(file: place.file, path: path)
        let tile = set.tile
        let size = PixelSize(width: map.width * tile.width, height: map.height * tile.height)
        try ImageHeader(size: size, isHeldWhole: true, formatStreams: false).check(against: tree.limits, place: place)
        try ImageHeader(
            size: PixelSize(width: tile.width, height: tile.height * max(set.count, 1)), isHeldWhole: true,
            formatStreams: false
        ).check(against: tree.limits, place: place)
        let numbers = try inflated(range, rowBytes: 4 * map.width, rowCount: map.height, place)
        let tiles = try inflated(
            packed, rowBytes: tile.width * pixelBytes, rowCount: tile.height * set.count, place)
        var pixels = [UInt8](repeating: 0, count: size.area * pixelBytes)
        if file.depth == 8, file.transparentIndex != 0 {
            pixels = [UInt8](repeating: UInt8(clamping: file.transparentIndex), count: pixels.count)
        }
        for row in 0..<map.height {
            for column in 0..<map.width {
                let at = 4 * (row * map.width + column)
                let entry = (0..<4).reduce(UInt32(0)) { $0 | UInt32(numbers[at + $1]) << UInt32(8 * $1) }
                let number = Int(entry & masks[0])
                guard number > 0, number < set.count else { continue }
                let (flipsX, flipsY) = (entry & masks[1] != 0, entry & masks[2] != 0)
                let turns = entry & masks[3] != 0
                for y in 0..<tile.height {
                    for x in 0..<tile.width {
                        var (fromX, fromY) = (flipsX ? tile.width - 1 - x : x, flipsY ? tile.height - 1 - y : y)
                        if turns { (fromX, fromY) = (min(fromY, tile.width - 1), min(fromX, tile.height - 1)) }
                        let from = ((number * tile.height + fromY) * tile.width + fromX) * pixelBytes
                        let to = ((row * tile.height + y) * size.width + column * tile.width + x) * pixelBytes
                        for k in 0..<pixelBytes { pixels[to + k] = tiles[from + k] }
                    }
                }
            }
        }
        return (size, pixels)
    }

    private func inflated(
        _ range: Range<Int>, rowBytes: Int, rowCount: Int, _ place: Place
    ) throws(EngineError) -> [UInt8] {
        var fault: PlaneFault?
        let unpacked = [UInt8](unsafeUninitializedCapacity: rowBytes * rowCount) { buffer, count in
            bytes.withUnsafeBufferPointer { file in
                do throws(PlaneFault) {
                    let rows = try InflatedRows(UnsafeBufferPointer(rebasing: file[range]), rowBytes: rowBytes)
                    for row in 0..<rowCount {
                        try rows.next(into: buffer.baseAddress! + row * rowBytes)
                        count += rowBytes
                    }
                } catch {
                    fault = error
                }
            }
        }
        if let fault { throw .badInput(place, reason: "the map of tiles is damaged: \(fault.reason)") }
        return unpacked
    }

    private static let modes: [Int: BlendMode] = [
        0: .normal, 1: .multiply, 2: .screen, 3: .overlay, 4: .darken, 5: .lighten, 6: .colorDodge, 7: .colorBurn,
        8: .hardLight, 9: .softLight, 10: .difference, 11: .exclusion, 12: .hue, 13: .saturation, 14: .color,
        15: .luminosity, 16: .linearDodge, 17: .subtract, 18: .divide,
    ]
}
