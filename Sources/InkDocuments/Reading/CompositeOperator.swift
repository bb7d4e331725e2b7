import InkCodecs
import InkEngine

/// How an element of a painting program's document acts on all that is below it in its group, other than by blending
/// (Porter and Duff's operators, as W3C Compositing and Blending Level 1, section 9, has them).
enum CompositeOperator {
    /// It is painted only onto what is below.
    case sourceAtop
    /// What is below shows only where it is.
    case destinationIn
    /// It takes away what is below.
    case destinationOut
    /// What is below is painted only onto it, and shows nowhere else.
    case destinationAtop
    /// It is painted under what is below.
    case destinationOver

    /// The names in files: of SVG, which OpenRaster uses without their prefix, and Krita's own.
    static let byName: [String: CompositeOperator] = [
        "src-atop": .sourceAtop, "dst-in": .destinationIn, "destination-in": .destinationIn, "dst-out": .destinationOut,
        "erase": .destinationOut, "dst-atop": .destinationAtop, "destination-atop": .destinationAtop,
        "dst-over": .destinationOver, "behind": .destinationOver,
    ]
}

extension DocumentTree {
    /// Adds an element on top of the others of its group by an operator. Project files have no operators: clipping says
    /// some of them, and a mask of what the element covers says the others.
    ///
    /// - Parameters:
    ///   - elements: of a group that has a picture of its own, from the bottom to the top.
    ///   - depth: of the elements, from 0.
    /// - Throws: `badInput` for pictures that are damaged, `overLimit`.
    mutating func add(
        _ layer: Layer, by composite: CompositeOperator, to elements: inout [Layer], canvas: PixelSize, depth: Int,
        at path: String
    ) throws(EngineError) {
        var layer = layer
        guard layer.isVisible else { return elements.append(layer) }
        if elements.isEmpty {
            switch composite {
            case .destinationAtop, .destinationOver: elements = [layer]
            // There is nothing to be painted on, or to be taken away.
            case .sourceAtop, .destinationIn, .destinationOut: break
            }
            return
        }
        guard depth + elements.depth < Limits.treeDepth else {
            return leaveOut("a layer that acts on what is below it, in groups that are too deep", at: path)
        }
        switch composite {
        case .sourceAtop:
            if elements.last?.isClipped != true { elements = [Self.group(of: elements, below: layer)] }
            layer.isClipped = true
            elements.append(layer)
        case .destinationAtop:
            var below = Self.group(of: elements, below: layer)
            below.isClipped = true
            elements = [layer, below]
        case .destinationOver:
            elements = [layer, Self.group(of: elements, below: layer)]
        case .destinationIn, .destinationOut:
            layer.blendMode = .normal
            guard let plane = try AlphaPlane(of: [layer], canvas: canvas, place: place, limits: limits) else {
                return leaveOut("a layer that takes away what is below it, and is not made of pixels", at: path)
            }
            maskPixelCount += plane.box.width * plane.box.height
            guard maskPixelCount <= limits.imagePixels else {
                throw .overLimit(
                    place, what: "the masks of layers that take away what is below them",
                    found: "\(maskPixelCount) pixels", limit: "\(limits.imagePixels) pixels")
            }
            var below = Self.group(of: elements, below: layer)
            let erases = composite == .destinationOut
            if let (picture, samples) = plane.mask(isInverted: erases) {
                below.addMask(
                    try image(picture.encoded(from: samples), "\(path), what it covers"),
                    Self.placement(
                        x: Double(plane.box.x), y: Double(plane.box.y), picture.size, canvas: canvas),
                    outside: erases ? 1 : 0)
            } else if !erases {
                below.opacity = 0
            }
            elements = [below]
        }
    }

    /// All of them as one element with a picture of its own.
    private static func group(of elements: [Layer], below layer: Layer) -> Layer {
        // One whose mode could see what lies below the group is no picture of its own.
        if elements.count == 1, let only = elements.first, only.blendMode == .normal {
            if case .group(_, true) = only.kind {} else { return only }
        }
        var group = Layer(id: "below \(layer.id)", name: "Below \(layer.name)")
        group.kind = .group(elements.numbered, isPassThrough: false)
        return group
    }
}

extension [Layer] {
    /// How deep groups are in each other; 0 for no elements.
    fileprivate var depth: Int { reduce(0) { Swift.max($0, 1 + $1.children.depth) } }
}

/// How much of each pixel of the canvas elements cover, at most where the lowest edges of all their pictures are.
struct AlphaPlane {
    /// Canvas pixels; beyond it nothing is covered. Empty where nothing is covered at all.
    let box: PixelRect
    /// 0...65535, row by row.
    private var values: [UInt16]

    private static let full = UInt32(UInt16.max)

    /// - Parameter layers: drawn onto nothing.
    /// - Throws: `badInput` for pictures that are damaged, `overLimit` for too many pixels.
    /// - Returns: nil for elements whose shape is known only when they are drawn: with strokes, or of vectors.
    init?(of layers: [Layer], canvas: PixelSize, place: Place, limits: Limits) throws(EngineError) {
        guard let covered = Self.box(of: layers, canvas: canvas) else { return nil }
        box = covered
        values = []
        guard covered.width > 0, covered.height > 0 else { return }
        // Several planes are held at once.
        try ImageHeader(
            size: PixelSize(width: covered.width, height: covered.height), isHeldWhole: true, formatStreams: false
        ).check(against: limits, place: place)
        values = [UInt16](repeating: 0, count: covered.width * covered.height)
        try draw(DrawnTree(layers).elements, place: place, limits: limits)
    }

    /// As a mask, and the file that its plane is of; nil where nothing is covered.
    func mask(isInverted: Bool) -> (PackedPicture, [UInt8])? {
        guard !values.isEmpty else { return nil }
        let samples = values.map { value in
            let level = UInt8((UInt32(value) * 255 + Self.full / 2) / Self.full)
            return isInverted ? 255 - level : level
        }
        var picture = PackedPicture(
            size: PixelSize(width: box.width, height: box.height), colors: .gray,
            planes: [.init(channel: 0, packing: .raw, range: 0..<samples.count)])
        picture.isPlain = true
        return (picture, samples)
    }

    // MARK: - Drawing

    private mutating func draw(
        _ elements: [DrawnTree.Element], place: Place, limits: Limits
    ) throws(EngineError) {
        for element in elements where element.layer.isVisible {
            // What is clipped to an element changes its colours alone.
            let layer = element.layer
            if element.isPassThrough {
                let before = values
                try draw(element.children, place: place, limits: limits)
                try fade(from: before, layer, place: place, limits: limits)
                continue
            }
            var own = AlphaPlane(box: box)
            switch layer.kind {
            case .fill(let paint): own.values = own.values.map { _ in UInt16(paint.color?.alpha ?? 0) * 257 }
            case .group: try own.draw(element.children, place: place, limits: limits)
            case .layer:
                guard let image = layer.contentImage else { continue }
                try own.take(image, layer.contentPlacement, as: .color, place: place, limits: limits)
            }
            try own.fade(from: [], layer, place: place, limits: limits)
            add(own, isSum: layer.blendMode == .plus)
        }
    }

    private init(box: PixelRect) {
        self.box = box
        values = [UInt16](repeating: 0, count: box.width * box.height)
    }

    /// Lets it count as far as an element's mask and opacity say; the rest is what was there before, or nothing.
    private mutating func fade(
        from before: [UInt16], _ layer: Layer, place: Place, limits: Limits
    ) throws(EngineError) {
        let opacity = UInt32((layer.opacity * Double(Self.full)).rounded())
        guard opacity < Self.full || layer.maskImage != nil else { return }
        var mask: AlphaPlane?
        if let image = layer.maskImage {
            var plane = AlphaPlane(box: box)
            let outside = UInt16((layer.maskOutside * Double(Self.full)).rounded())
            plane.values = plane.values.map { _ in outside }
            try plane.take(image, layer.maskPlacement, as: .mask, place: place, limits: limits)
            mask = plane
        }
        for index in values.indices {
            let share = mask.map { Self.product(UInt32($0.values[index]), opacity) } ?? opacity
            let kept = before.isEmpty ? 0 : Self.product(UInt32(before[index]), Self.full - share)
            values[index] = UInt16(min(Self.full, Self.product(UInt32(values[index]), share) + kept))
        }
    }

    private static func product(_ a: UInt32, _ b: UInt32) -> UInt32 {
        UInt32((UInt64(a) * UInt64(b) + UInt64(full) / 2) / UInt64(full))
    }

    private mutating func add(_ other: AlphaPlane, isSum: Bool) {
        for index in values.indices {
            let (a, b) = (UInt32(values[index]), UInt32(other.values[index]))
            values[index] = UInt16(min(Self.full, isSum ? a + b : a + b - Self.product(a, b)))
        }
    }

    /// Puts an image's alpha, or a mask's values, where it lies.
    private mutating func take(
        _ image: EncodedImage, _ placement: Placement?, as use: ImageUse, place: Place, limits: Limits
    ) throws(EngineError) {
        let (left, top) = (Int(placement?.x ?? 0), Int(placement?.y ?? 0))
        let width = image.size.width
        let columns = max(left, box.x)..<max(max(left, box.x), min(left + width, box.x + box.width))
        _ = try ImageDecoders.decode(
            image.bytes, as: use, place: Place(file: place.file, path: image.place), limits: limits
        ) { (chunk) throws(EngineError) in
            for row in chunk.rows where (box.y..<(box.y + box.height)).contains(top + row) {
                let target = (top + row - box.y) * box.width - box.x
                for x in columns {
                    let at = (row - chunk.rows.lowerBound) * width + x - left
                    values[target + x] = Self.value(of: chunk, at: at)
                }
            }
        }
    }

    /// The alpha of a pixel of a picture, or the value of one of a mask.
    private static func value(of chunk: DecodedChunk, at index: Int) -> UInt16 {
        func byte(_ offset: Int) -> UInt16 {
            switch chunk.content {
            case .constant(let value): UInt16(truncatingIfNeeded: value >> UInt32(8 * offset) & 0xFF)
            case .samples(let samples): UInt16(samples[index * chunk.format.bytesPerPixel + offset])
            }
        }
        switch chunk.format {
        case .rgba8: return byte(3) * 257
        case .mask8: return byte(0) * 257
        // Products of two levels.
        case .mask16:
            return UInt16(min(full, UInt32((UInt64(byte(0) | byte(1) << 8) * UInt64(full) + 32_512) / 65_025)))
        default: return .max
        }
    }

    // MARK: - Where it is

    /// nil for what is not made of pixels in their own size.
    private static func box(of layers: [Layer], canvas: PixelSize) -> PixelRect? {
        var (left, top, right, bottom) = (canvas.width, canvas.height, 0, 0)
        func add(_ layers: [Layer]) -> Bool {
            for layer in layers where layer.isVisible {
                guard layer.strokes.isEmpty, fits(layer.maskImage, layer.maskPlacement),
                    fits(layer.contentImage, layer.contentPlacement), add(layer.children)
                else { return false }
                if case .fill = layer.kind { (left, top, right, bottom) = (0, 0, canvas.width, canvas.height) }
                guard let image = layer.contentImage else { continue }
                let (x, y) = (Int(layer.contentPlacement?.x ?? 0), Int(layer.contentPlacement?.y ?? 0))
                left = min(left, max(0, x))
                top = min(top, max(0, y))
                right = max(right, min(canvas.width, x + image.size.width))
                bottom = max(bottom, min(canvas.height, y + image.size.height))
            }
            return true
        }
        func fits(_ image: EncodedImage?, _ placement: Placement?) -> Bool {
            guard let image else { return true }
            guard !image.header.isVector else { return false }
            guard let placement else { return image.size == canvas }
            return placement
                == Placement(
                    x: placement.x.rounded(), y: placement.y.rounded(), width: Double(image.size.width),
                    height: Double(image.size.height))
        }
        guard add(layers) else { return nil }
        return left < right && top < bottom
            ? PixelRect(x: left, y: top, width: right - left, height: bottom - top)
            : PixelRect(x: 0, y: 0, width: 0, height: 0)
    }
}
