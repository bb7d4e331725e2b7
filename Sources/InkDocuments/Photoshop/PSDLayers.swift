import InkCodecs
import InkEngine

/// Makes the layers of a project of the records of a Photoshop file.
struct PSDLayers {
    private let file: PSDFile
    private let bytes: [UInt8]
    private let place: Place
    private let limits: Limits
    var tree: DocumentTree
    /// Segments of the vector masks up to here.
    private var segmentCount = 0

    init(_ file: PSDFile, _ bytes: [UInt8], place: Place, limits: Limits) {
        self.file = file
        self.bytes = bytes
        self.place = place
        self.limits = limits
        tree = DocumentTree("the Photoshop file", place: place, limits: limits)
    }

    private struct Group {
        var layers: [Layer] = []
    }

    mutating func project() throws(EngineError) -> Project {
        warnOfColors()
        var groups = [Group()]
        for (index, record) in file.records.enumerated() {
            switch record.divider {
            case .bottom:
                guard groups.count <= Limits.treeDepth else {
                    throw .overLimit(
                        place, what: "the depth of groups", found: "more than \(Limits.treeDepth)",
                        limit: "\(Limits.treeDepth)")
                }
                groups.append(Group())
            case .openGroup, .closedGroup:
                // One that has not begun holds nothing.
                if groups.count == 1 {
                    tree.leaveOut("the elements of a group that does not begin", at: path(record, index))
                }
                let children = groups.count > 1 ? groups.removeLast().layers : []
                add(try group(of: children, record, index), to: &groups)
            case nil:
                if let layer = try layer(record, index) { add(layer, to: &groups) }
            }
        }
        // Groups that do not end, end with the file.
        if groups.count > 1 { tree.leaveOut("a group that does not end", at: nil) }
        while groups.count > 1 {
            let layers = groups.removeLast().layers
            for layer in layers { add(layer, to: &groups) }
        }
        let layers = groups[0].layers
        guard layers.elementCount <= limits.layers else {
            throw .overLimit(
                place, what: "the number of layers", found: "\(layers.elementCount)", limit: "\(limits.layers)")
        }
        return Project(
            canvasSize: file.size, background: DocumentTree.background(below: layers, canvas: file.size), layers: layers
        )
    }

    private func add(_ layer: Layer, to groups: inout [Group]) {
        var layer = layer
        let last = groups.count - 1
        layer.order = Double(groups[last].layers.count)
        groups[last].layers.append(layer)
    }

    /// Warns of what the colours of the file are not drawn as.
    private mutating func warnOfColors() {
        if file.mode == .duotone { tree.leaveOut("the inks of a duotone, drawn in gray", at: nil) }
        if file.mode == .multichannel { tree.leaveOut("the inks of a print (multichannel), drawn in gray", at: nil) }
        if file.hasSpotColors { tree.leaveOut("spot colours", at: nil) }
        if file.pixelAspect != 1 { tree.leaveOut("pixels that are not square", at: nil) }
    }

    // MARK: - One element

    private func path(_ record: PSDRecord, _ index: Int) -> String {
        "layer \(index + 1) \"\(shownText(record.name, limit: 40))\""
    }

    /// What layers and groups share.
    private mutating func common(_ record: PSDRecord, _ index: Int) throws(EngineError) -> Layer {
        let path = path(record, index)
        var layer = Layer(
            id: record.id.map { "\($0)" } ?? "layer-\(index + 1)", name: record.name,
            opacity: Double(record.opacity) / 255 * Double(record.fillOpacity) / 255, isVisible: !record.isHidden)
        layer.isClipped = record.isClipped
        if record.mode != "pass" {
            if let mode = Self.modes[record.mode] {
                layer.blendMode = mode
            } else {
                tree.leaveOut("the mode \(record.mode == "diss" ? "dissolve" : record.mode), drawn as normal", at: path)
            }
        }
        if record.fillOpacity < 255, Self.filledModes.contains(layer.blendMode) {
            tree.leaveOut("how fill opacity works in the mode \(layer.blendMode.hyphenatedName)", at: path)
        }
        if record.hasEffects { tree.leaveOut("layer effects", at: path) }
        if record.isBlendedByValue { tree.leaveOut("blending by the values below (blend if)", at: path) }
        if var knockout = record.blocks["knko"], knockout.left >= 1, try knockout.byte() != 0 {
            tree.leaveOut("knock-out", at: path)
        }
        if record.blocks.isCutShort {
            tree.leaveOut("properties that cannot be read, because the file is damaged", at: path)
        }
        return layer
    }

    /// What a block says; nil with a warning for one that cannot be read.
    private mutating func readable<Value>(
        _ what: String, at path: String, _ read: () throws(EngineError) -> Value
    ) -> Value? {
        do throws(EngineError) {
            return try read()
        } catch {
            tree.leaveOut("\(what) that cannot be read", because: error, at: path)
            return nil
        }
    }

    private mutating func group(
        of children: [Layer], _ record: PSDRecord, _ index: Int
    ) throws(EngineError) -> Layer {
        let path = path(record, index)
        var layer = try common(record, index)
        layer.kind = .group(children, isPassThrough: record.mode == "pass")
        for key in PSDArtboard.keys {
            guard let block = record.blocks[key] else { continue }
            guard let artboard = readable("an artboard", at: path, { () throws(EngineError) in try PSDArtboard(block) })
            else { break }
            if let color = artboard.background {
                var ground = Layer(id: "artboard-\(index + 1)", name: "Artboard background")
                ground.kind = .fill(.color(color))
                layer.kind = .group(([ground] + children).numbered, isPassThrough: record.mode == "pass")
            }
            try addEdges(of: artboard, to: &layer, path)
            break
        }
        try addMasks(of: record, to: &layer, path, holdsShape: false)
        tree.leaveOutUnused(of: record.blocks, Self.known, at: path)
        return layer
    }

    /// Hides what lies beyond an artboard's edges.
    private mutating func addEdges(
        of artboard: PSDArtboard, to layer: inout Layer, _ path: String
    ) throws(EngineError) {
        let rect = artboard.rect
        let (width, height) = (rect.maxX - rect.minX, rect.maxY - rect.minY)
        guard width > 0, height > 0 else {
            layer.opacity = 0
            return
        }
        // In its own size as far as pictures may be so large; it is the same everywhere.
        let edgeMax = Double(limits.imagePixels).squareRoot()
        let size = PixelSize(
            width: max(1, Int(min(width, edgeMax))), height: max(1, Int(min(height, edgeMax))))
        let (picture, content) = PackedPicture.constant(mask: 255, size: size)
        layer.addMask(
            try EncodedImage(
                checking: picture.encoded(from: content), place: Place(file: place.file, path: path + ", its edges"),
                limits: limits),
            Placement(x: rect.minX, y: rect.minY, width: width, height: height), outside: 0)
    }

    private mutating func layer(_ record: PSDRecord, _ index: Int) throws(EngineError) -> Layer? {
        let path = path(record, index)
        if let adjustment = Self.adjustments.first(where: { record.blocks[$0.key] != nil }) {
            tree.leaveOut("an adjustment layer (\(adjustment.name))", at: path)
            return nil
        }
        var layer = try common(record, index)
        let color =
            readable("the colour of a fill", at: path, { () throws(EngineError) in try record.fillColor() })
            ?? nil
        let fill = Self.fills.first { record.blocks[$0.key] != nil }
        let picture = try picture(record, path)
        // The pixels of a shape end at its edges, and what its density lets through lies beyond.
        let isFaint = record.mask?.isRendered == true && record.maskParameters.vectorDensity < 255
        if let picture, !(isFaint && color != nil && record.blocks["vstk"] == nil) {
            layer.contentImage = try image(picture, path)
            layer.contentPlacement = Self.placement(record.box)
            try addMasks(of: record, to: &layer, path, holdsShape: fill != nil)
        } else if let color {
            layer.kind = .fill(.color(color))
            try addMasks(of: record, to: &layer, path, holdsShape: false)
        } else if let what = fill?.name ?? Self.withoutPixels.first(where: { record.blocks[$0.key] != nil })?.name {
            tree.leaveOut("\(what), which has no pixels", at: path)
            return nil
        } else {
            // An empty layer; what is clipped to it needs it.
            try addMasks(of: record, to: &layer, path, holdsShape: false)
        }
        tree.leaveOutUnused(of: record.blocks, Self.known, at: path)
        return layer
    }

    private static func placement(_ box: PSDRecord.Box) -> Placement {
        Placement(
            x: Double(box.left), y: Double(box.top), width: Double(box.right - box.left),
            height: Double(box.bottom - box.top))
    }

    private func image(_ picture: PackedPicture, _ path: String) throws(EngineError) -> EncodedImage {
        try EncodedImage(
            checking: picture.encoded(from: bytes), place: Place(file: place.file, path: path), limits: limits)
    }

    /// - Parameter holdsShape: whether the layer's pixels already end at the edges of its vector mask.
    private mutating func addMasks(
        of record: PSDRecord, to layer: inout Layer, _ path: String, holdsShape: Bool
    ) throws(EngineError) {
        let parameters = record.maskParameters
        let path = path + ", its mask"
        let size = file.size
        let shape = (record.blocks["vmsk"] ?? record.blocks["vsms"]).flatMap { block in
            readable("a vector mask", at: path) { () throws(EngineError) in
                try PSDVectorMask(block, size: size)
            }
        }
        let vector = shape.flatMap { $0.isDisabled ? nil : $0 }
        guard let mask = record.mask else {
            if let vector, !holdsShape { try add(vector, density: parameters.vectorDensity, to: &layer, path) }
            return
        }
        let densities = [parameters.userDensity, parameters.vectorDensity]
        if let user = record.userMask, let vector, mask.isDisabled || densities != [255, 255] {
            // What both hide together does not say what each hides.
            if !user.isDisabled {
                try add(user, channel: -3, of: record, density: parameters.userDensity, to: &layer, path)
            }
            try add(vector, density: parameters.vectorDensity, to: &layer, path)
        } else if !mask.isDisabled {
            let density = mask.isRendered && record.userMask == nil ? parameters.vectorDensity : parameters.userDensity
            try add(mask, channel: -2, of: record, density: density, to: &layer, path)
            if let vector, !mask.isRendered, !holdsShape {
                try add(vector, density: parameters.vectorDensity, to: &layer, path)
            }
        } else if let vector, !holdsShape {
            try add(vector, density: parameters.vectorDensity, to: &layer, path)
        }
        let showsUser = !(record.userMask ?? mask).isDisabled && (record.userMask != nil || !mask.isRendered)
        if showsUser && parameters.userFeather > 0 || vector != nil && parameters.vectorFeather > 0 {
            tree.leaveOut("the softness of a mask", at: path)
        }
    }

    private mutating func add(
        _ vector: PSDVectorMask, density: PSDRecord.MaskParameters.Density, to layer: inout Layer, _ path: String
    ) throws(EngineError) {
        if let shapes = vector.shapes(size: file.size, low: 255 - density) {
            let (all, longest) = vector.segmentCounts
            segmentCount += all
            guard longest <= limits.pathSegments, segmentCount <= limits.segments else {
                throw .overLimit(
                    Place(file: place.file, path: path), what: "the vector masks up to here",
                    found: "\(segmentCount) segments, \(longest) in one path",
                    limit: "\(limits.segments) segments, \(limits.pathSegments) in one")
            }
            layer.maskShapes = shapes
            return
        }
        let svg = Array(vector.svg(size: file.size, low: 255 - density).utf8)
        layer.addMask(
            try EncodedImage(checking: svg, place: Place(file: place.file, path: path), limits: limits), nil, outside: 0
        )
    }

    private mutating func add(
        _ mask: PSDRecord.Mask, channel id: Int, of record: PSDRecord, density: PSDRecord.MaskParameters.Density,
        to layer: inout Layer, _ path: String
    ) throws(EngineError) {
        let (low, high) = (255 - density, UInt8(255))
        let outside = mask.isInverted ? 255 - mask.outside : mask.outside
        let value = outside == 0 ? low : high
        let size = PixelSize(width: mask.box.right - mask.box.left, height: mask.box.bottom - mask.box.top)
        guard size.area > 0 else {
            layer.opacity *= Double(value) / 255
            return
        }
        guard let channel = record.channels.first(where: { $0.id == id }), channel.byteCount > 2 else {
            tree.leaveOut("a mask without pixels", at: path)
            return
        }
        var picture = PackedPicture(
            size: size, colors: .gray, samples: samples,
            planes: [try plane(channel, 0, path)])
        picture.isPlain = true
        picture.range = mask.isInverted ? (high, low) : (low, high)
        layer.addMask(try image(picture, path), Self.placement(mask.box), outside: Double(value) / 255)
    }

    // MARK: - Pixels

    private var samples: PackedPicture.Samples {
        switch file.depth {
        case 16: .integer16
        case 32: .float32
        default: .integer8
        }
    }

    private var colors: PackedPicture.Colors {
        switch file.mode {
        case .bitmap: .bitmap
        case .gray, .duotone, .multichannel: .gray
        case .indexed: .indexed
        case .rgb: .rgb
        case .cmyk: .cmyk
        case .lab: .lab
        }
    }

    /// A layer's pixels; nil where it has none.
    ///
    /// - Throws: `badInput` for pixels that are packed in an unknown way.
    private mutating func picture(_ record: PSDRecord, _ path: String) throws(EngineError) -> PackedPicture? {
        let box = record.box
        let size = PixelSize(width: box.right - box.left, height: box.bottom - box.top)
        guard size.area > 0 else { return nil }
        var planes: [PackedPicture.Plane] = []
        for id in 0..<colors.count {
            guard let channel = record.channels.first(where: { $0.id == id }), channel.byteCount > 2 else {
                // Some layers have a box and no pixels at all.
                if record.channels.contains(where: { $0.id >= 0 && $0.byteCount > 2 }) {
                    tree.leaveOut("pixels of a layer that lacks one of its colours", at: path)
                }
                return nil
            }
            planes.append(try plane(channel, UInt8(id), path))
        }
        if let channel = record.channels.first(where: { $0.id == -1 && $0.byteCount > 2 }) {
            let alpha = try plane(channel, PackedPicture.Plane.alpha, path)
            if !isFull(alpha, size) { planes.append(alpha) }
        }
        var picture = PackedPicture(
            size: size, colors: colors, samples: samples, hasAlpha: planes.count > colors.count, planes: planes)
        picture.palette = file.palette
        picture.profile = file.profile
        return picture
    }

    /// Whether an alpha channel can be seen to be opaque without unpacking it: Photoshop writes one for every layer but the
    /// background.
    private func isFull(_ plane: PackedPicture.Plane, _ size: PixelSize) -> Bool {
        guard samples != .float32 else { return false }
        let byteCount = size.area * samples.byteCount
        switch plane.packing {
        case .raw: return plane.range.count == byteCount && bytes[plane.range].allSatisfy { $0 == 0xFF }
        case .packBits, .packBitsLong:
            var rest = bytes[plane.range].dropFirst(size.height * (plane.packing == .packBits ? 2 : 4))
            var found = 0
            while let head = rest.popFirst() {
                if head == 128 { continue }
                let length = head < 128 ? Int(head) + 1 : 1
                guard rest.count >= length, rest.prefix(length).allSatisfy({ $0 == 0xFF }) else { return false }
                rest = rest.dropFirst(length)
                found += head < 128 ? length : 257 - Int(head)
            }
            return found == byteCount
        default: return false
        }
    }

    private func plane(
        _ channel: PSDRecord.Channel, _ number: UInt8, _ path: String
    ) throws(EngineError) -> PackedPicture.Plane {
        let kind = Int(bytes[channel.range.lowerBound]) << 8 | Int(bytes[channel.range.lowerBound + 1])
        guard let packing = packing(kind) else {
            throw .badInput(
                Place(file: place.file, path: path), reason: "its pixels are packed in an unknown way (\(kind))")
        }
        return PackedPicture.Plane(
            channel: number, packing: packing, range: (channel.range.lowerBound + 2)..<channel.range.upperBound)
    }

    private func packing(_ kind: Int) -> PackedPicture.Packing? {
        switch kind {
        case 0: .raw
        case 1: file.isLarge ? .packBitsLong : .packBits
        case 2: .deflate
        case 3: .deflatePredicted
        default: nil
        }
    }

    // MARK: - The merged picture

    /// A project of the picture that the file holds beside its layers.
    mutating func mergedProject() throws(EngineError) -> Project {
        if !file.hasMergedPicture {
            tree.warn("the file's own merged picture is a placeholder; its writer made none")
        }
        guard file.mode != .multichannel else {
            throw .badInput(place, reason: "has the colours of a print (multichannel), which cannot be shown")
        }
        let colorCount = colors.count
        guard file.channelCount >= colorCount else {
            throw .badInput(place, reason: "has too few channels for its colours")
        }
        let hasAlpha = file.hasMergedAlpha && file.channelCount > colorCount
        var picture = PackedPicture(
            size: file.size, colors: colors, samples: samples, hasAlpha: hasAlpha,
            planes: try mergedPlanes(colorCount + (hasAlpha ? 1 : 0), alphaIsLast: hasAlpha))
        picture.palette = file.palette
        picture.profile = file.profile
        picture.isOnWhite = hasAlpha
        let image = try image(picture, "the merged picture")
        var layer = Layer(id: "merged", name: "Merged", contentImage: image)
        layer.contentPlacement = Placement(filling: CanvasSize(file.size))
        return Project(
            canvasSize: file.size, background: image.header.hasAlpha ? .transparent : .white, layers: [layer])
    }

    private mutating func mergedPlanes(
        _ count: Int, alphaIsLast: Bool
    ) throws(EngineError) -> [PackedPicture.Plane] {
        var reader = ByteReader(bytes, isBigEndian: true, what: "the Photoshop file", place: place)
        try reader.skip(file.merged.lowerBound)
        let kind = reader.left >= 2 ? try reader.uint16() : -1
        let rowBytes = file.mode == .bitmap ? (file.size.width + 7) / 8 : file.size.width * samples.byteCount
        func channel(_ index: Int) -> UInt8 {
            alphaIsLast && index == count - 1 ? PackedPicture.Plane.alpha : UInt8(index)
        }
        switch kind {
        case 0:
            var planes: [PackedPicture.Plane] = []
            for index in 0..<count {
                planes.append(
                    .init(channel: channel(index), packing: .raw, range: try reader.take(rowBytes * file.size.height)))
            }
            return planes
        case 1:
            return try packedPlanes(&reader, count, channel)
        default:
            throw .badInput(place, reason: "holds no merged picture, or one that is packed in an unknown way")
        }
    }

    /// The planes of channels packed as runs: the lengths of all channels' rows come first.
    private func packedPlanes(
        _ reader: inout ByteReader, _ count: Int, _ channel: (Int) -> UInt8
    ) throws(EngineError) -> [PackedPicture.Plane] {
        let countBytes = file.isLarge ? 4 : 2
        let height = file.size.height
        var tables: [Range<Int>] = []
        for _ in 0..<file.channelCount { tables.append(try reader.take(height * countBytes)) }
        var planes: [PackedPicture.Plane] = []
        for index in 0..<count {
            var length = 0
            for row in 0..<height {
                var number = 0
                for k in 0..<countBytes {
                    number = number << 8 | Int(bytes[tables[index].lowerBound + row * countBytes + k])
                }
                length += number
            }
            let range = try reader.take(length)
            planes.append(
                .init(
                    channel: channel(index), packing: file.isLarge ? .packBitsLong : .packBits, range: range,
                    head: tables[index]))
        }
        return planes
    }

    // MARK: - Names

    static let modes: [String: BlendMode] = [
        "norm": .normal, "mul ": .multiply, "scrn": .screen, "over": .overlay, "dark": .darken, "lite": .lighten,
        "div ": .colorDodge, "idiv": .colorBurn, "hLit": .hardLight, "sLit": .softLight, "diff": .difference,
        "smud": .exclusion, "hue ": .hue, "sat ": .saturation, "colr": .color, "lum ": .luminosity,
        "lddg": .linearDodge, "lbrn": .linearBurn, "lLit": .linearLight, "vLit": .vividLight, "pLit": .pinLight,
        "hMix": .hardMix, "fsub": .subtract, "fdiv": .divide, "dkCl": .darkerColor, "lgCl": .lighterColor,
    ]

    /// Modes in which fill opacity is another thing than opacity.
    private static let filledModes: Set<BlendMode> = [
        .colorBurn, .linearBurn, .colorDodge, .linearDodge, .vividLight, .linearLight, .hardMix, .difference,
    ]

    private static let fills = [
        ("SoCo", "a layer filled with a colour"), ("GdFl", "a layer filled with a gradient"),
        ("PtFl", "a layer filled with a pattern"),
    ].map { (key: $0.0, name: $0.1) }

    private static let withoutPixels = [
        ("TySh", "text"), ("tySh", "text"), ("SoLd", "a smart object"),
        ("SoLE", "a smart object"), ("PlLd", "a smart object"), ("plLd", "a smart object"),
    ].map { (key: $0.0, name: $0.1) }

    /// Blocks that do not change the picture, or say what the pixels show already.
    private static let known = UnreadProperties(
        of: "a layer",
        harmless: [
            // Names, labels, locks, places of tools.
            "luni", "lnsr", "lyid", "lyvr", "lclr", "lspf", "fxrp", "shmd", "sn2P", "cinf", "extn", "anno", "Anno",
            "pths",
            "CAI ", "GenI",
            // Effects, which are named where they are on.
            "lrFX", "lfx2", "lmfx", "infx", "lmgm", "vmgm",
            // What pixels show: texts, shapes, smart objects and their filters.
            "TySh", "tySh", "Txt2", "SoLd", "SoLE", "PlLd", "plLd", "lnkD", "lnk2", "lnk3", "lnkE", "PxSc", "PxSD",
            "FXid",
            "FEid", "FMsk", "vscg", "vstk", "vogk", "vowv", "SoCo", "GdFl", "PtFl",
            // The usual value of a switch.
            "clbl=1", "tsly=1",
        ],
        words: [
            "brst": "channels that are switched off", "clbl": "clipped layers that are blended one by one",
            "tsly": "transparency that does not shape the layer",
        ])

    private static let adjustments: [(key: String, name: String)] = [
        ("brit", "brightness and contrast"), ("CgEd", "brightness and contrast"), ("levl", "levels"),
        ("curv", "curves"), ("expA", "exposure"), ("vibA", "vibrance"), ("hue ", "hue and saturation"),
        ("hue2", "hue and saturation"), ("blnc", "colour balance"), ("blwh", "black and white"),
        ("phfl", "photo filter"), ("mixr", "channel mixer"), ("clrL", "colour lookup"), ("nvrt", "invert"),
        ("post", "posterize"), ("thrs", "threshold"), ("grdm", "gradient map"), ("selc", "selective colour"),
    ]
}
