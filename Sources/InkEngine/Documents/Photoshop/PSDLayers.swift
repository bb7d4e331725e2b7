/// Makes the layers of a project of the records of a Photoshop file.
struct PSDLayers {
    private let file: PSDFile
    private let bytes: [UInt8]
    private let place: Place
    private let limits: Limits
    var warnings = Warnings()

    init(_ file: PSDFile, _ bytes: [UInt8], place: Place, limits: Limits) {
        self.file = file
        self.bytes = bytes
        self.place = place
        self.limits = limits
    }

    private struct Group {
        var layers: [Layer] = []
    }

    mutating func project() throws(EngineError) -> Project {
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
                let children = groups.count > 1 ? groups.removeLast().layers : []
                var layer = try common(record, index)
                layer.kind = .group(children, isPassThrough: record.mode == "pass")
                add(layer, to: &groups)
            case nil:
                if let layer = try layer(record, index) { add(layer, to: &groups) }
            }
        }
        // Groups that do not end, end with the file.
        while groups.count > 1 {
            let layers = groups.removeLast().layers
            for layer in layers { add(layer, to: &groups) }
        }
        let layers = groups[0].layers
        guard layers.elementCount <= limits.layers else {
            throw .overLimit(
                place, what: "the number of layers", found: "\(layers.elementCount)", limit: "\(limits.layers)")
        }
        return Project(canvasSize: file.size, background: isOpaque(layers) ? .white : .transparent, layers: layers)
    }

    private func add(_ layer: Layer, to groups: inout [Group]) {
        var layer = layer
        let last = groups.count - 1
        layer.order = Double(groups[last].layers.count)
        groups[last].layers.append(layer)
    }

    /// Whether the lowest layer covers all of the canvas, as a background does.
    private func isOpaque(_ layers: [Layer]) -> Bool {
        guard let lowest = layers.first, lowest.isVisible, lowest.opacity == 1, lowest.blendMode == .normal,
            lowest.maskImage == nil, let image = lowest.contentImage, !image.header.hasAlpha,
            let placement = lowest.contentPlacement
        else { return false }
        return placement == Placement(filling: CanvasSize(file.size))
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
                leaveOut("the mode \(record.mode == "diss" ? "dissolve" : record.mode), drawn as normal", at: path)
            }
        }
        if record.fillOpacity < 255, Self.filledModes.contains(layer.blendMode) {
            leaveOut("how fill opacity works in the mode \(layer.blendMode.hyphenatedName)", at: path)
        }
        if record.hasEffects { leaveOut("layer effects", at: path) }
        if record.isBlendedByValue { leaveOut("blending by the values below (blend if)", at: path) }
        if var knockout = record.blocks["knko"], knockout.left >= 1, try knockout.byte() != 0 {
            leaveOut("knock-out", at: path)
        }
        try addMask(of: record, to: &layer, path)
        return layer
    }

    private mutating func leaveOut(_ what: String, at path: String) {
        warnings.add(.leftOut, ofEach: what, at: path, "left out: \(what)")
    }

    private mutating func layer(_ record: PSDRecord, _ index: Int) throws(EngineError) -> Layer? {
        let path = path(record, index)
        if let adjustment = Self.adjustments.first(where: { record.blocks[$0.key] != nil }) {
            leaveOut("an adjustment layer (\(adjustment.name))", at: path)
            return nil
        }
        var layer = try common(record, index)
        if let picture = picture(record) {
            layer.contentImage = try image(picture, path)
            layer.contentPlacement = Self.placement(record.box)
            return layer
        }
        if let color = record.fillColor {
            if record.blocks["vmsk"] != nil || record.blocks["vsms"] != nil, layer.maskImage == nil {
                leaveOut("a vector shape", at: path)
                return nil
            }
            layer.kind = .fill(color)
            return layer
        }
        for (key, what) in [("GdFl", "a gradient"), ("PtFl", "a pattern"), ("SoCo", "a colour")]
        where record.blocks[key] != nil {
            leaveOut("a layer filled with \(what), which has no pixels", at: path)
            return nil
        }
        // An empty layer; what is clipped to it needs it.
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

    private mutating func addMask(of record: PSDRecord, to layer: inout Layer, _ path: String) throws(EngineError) {
        let isReal = record.realMask != nil && record.channels.contains { $0.id == -3 }
        guard let mask = isReal ? record.realMask : record.mask, !mask.isDisabled,
            let channel = record.channels.first(where: { $0.id == (isReal ? -3 : -2) })
        else { return }
        if mask.feather > 0 { leaveOut("the softness of a mask", at: path) }
        let (low, high) = (255 - mask.density, UInt8(255))
        let outside = mask.isInverted ? 255 - mask.outside : mask.outside
        let value = outside == 0 ? low : high
        let size = PixelSize(width: mask.box.right - mask.box.left, height: mask.box.bottom - mask.box.top)
        guard size.area > 0, channel.byteCount > 2 else {
            layer.opacity *= Double(value) / 255
            return
        }
        var picture = PackedPicture(
            size: size, colors: .gray, samples: samples,
            planes: [try plane(channel, 0, path)])
        picture.isPlain = true
        picture.range = mask.isInverted ? (high, low) : (low, high)
        layer.maskImage = try image(picture, path + ", its mask")
        layer.maskPlacement = Self.placement(mask.box)
        layer.maskOutside = Double(value) / 255
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
    private mutating func picture(_ record: PSDRecord) -> PackedPicture? {
        let box = record.box
        let size = PixelSize(width: box.right - box.left, height: box.bottom - box.top)
        guard size.area > 0 else { return nil }
        var planes: [PackedPicture.Plane] = []
        for id in 0..<colors.count {
            guard let channel = record.channels.first(where: { $0.id == id }), channel.byteCount > 2,
                let plane = try? plane(channel, UInt8(id), "")
            else { return nil }
            planes.append(plane)
        }
        let alpha = record.channels.first { $0.id == -1 && $0.byteCount > 2 }
        if let alpha, let plane = try? plane(alpha, PackedPicture.Plane.alpha, "") { planes.append(plane) }
        var picture = PackedPicture(
            size: size, colors: colors, samples: samples, hasAlpha: planes.count > colors.count, planes: planes)
        picture.palette = file.palette
        picture.profile = file.profile
        return picture
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
            warnings.add("the file's own merged picture is a placeholder; its writer made none")
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

    /// Of runs: the lengths of all channels' rows come first.
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

    private static let adjustments: [(key: String, name: String)] = [
        ("brit", "brightness and contrast"), ("CgEd", "brightness and contrast"), ("levl", "levels"),
        ("curv", "curves"), ("expA", "exposure"), ("vibA", "vibrance"), ("hue ", "hue and saturation"),
        ("hue2", "hue and saturation"), ("blnc", "colour balance"), ("blwh", "black and white"),
        ("phfl", "photo filter"), ("mixr", "channel mixer"), ("clrL", "colour lookup"), ("nvrt", "invert"),
        ("post", "posterize"), ("thrs", "threshold"), ("grdm", "gradient map"), ("selc", "selective colour"),
    ]
}
