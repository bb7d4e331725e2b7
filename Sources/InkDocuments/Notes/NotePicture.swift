import InkCodecs
import InkEngine

/// How programs of drawings show a picture: a part of it, perhaps mirrored and turned, within an outline.
struct NotePicture {
    /// Where what shows lies; it turns about its middle.
    var place: Placement
    /// The part of the whole picture that shows, after mirroring: 0...1 along each axis.
    var part = Rect(minX: 0, minY: 0, maxX: 1, maxY: 1)
    var isMirroredAcross = false
    var isMirroredDown = false
    var outline = NoteOutline.rectangle
    var opacity = 1.0

    /// Where all of the picture would lie.
    var whole: Placement {
        let (width, height) = (place.width / (part.maxX - part.minX), place.height / (part.maxY - part.minY))
        let (sine, cosine) = sinCos(degrees: place.rotation)
        let (dx, dy) = ((0.5 - (part.minX + part.maxX) / 2) * width, (0.5 - (part.minY + part.maxY) / 2) * height)
        let middle = place.center + Point(x: cosine * dx - sine * dy, y: sine * dx + cosine * dy)
        return Placement(
            x: middle.x - width / 2, y: middle.y - height / 2, width: width, height: height, rotation: place.rotation)
    }

    /// Whether all of the picture shows.
    var isWhole: Bool {
        max(abs(part.minX), abs(part.minY), abs(part.maxX - 1), abs(part.maxY - 1)) < 1e-9
    }

    /// Leaves out what lies beyond a box. A turned picture stays as it is.
    mutating func cut(to box: Rect) {
        guard place.rotation == 0, outline == .rectangle else { return }
        let all = whole
        let (left, top) = (max(place.x, box.minX), max(place.y, box.minY))
        let (right, bottom) = (min(place.x + place.width, box.maxX), min(place.y + place.height, box.maxY))
        guard right > left, bottom > top else { return }
        part = Rect(
            minX: (left - all.x) / all.width, minY: (top - all.y) / all.height, maxX: (right - all.x) / all.width,
            maxY: (bottom - all.y) / all.height)
        place = Placement(x: left, y: top, width: right - left, height: bottom - top)
    }
}

/// What cuts off the rest of a picture, or of a group of elements.
enum NoteOutline: Hashable {
    case rectangle
    case ellipse
    /// With corners of a radius.
    case rounded(Double)

    /// What lies inside, as a shape of a mask.
    ///
    /// - Parameter place: the rectangle, which turns about its middle.
    func shape(in place: Placement) -> Shape {
        let (x, y) = (place.width / 2, place.height / 2)
        var radii: (x: Double, y: Double)
        switch self {
        case .rectangle: radii = (0, 0)
        case .ellipse: radii = (x, y)
        case .rounded(let radius): radii = (min(radius, x, y), min(radius, x, y))
        }
        radii = (max(radii.x, 0), max(radii.y, 0))
        var path = ShapePath()
        path.move(to: Point(x: x, y: radii.y - y))
        // The corners clockwise from the lower right.
        for (corner, turn) in [(Point(x: 1, y: 1), 0.0), (Point(x: -1, y: 1), 1), (Point(x: -1, y: -1), 2)]
            + [(Point(x: 1, y: -1), 3)]
        {
            let center = Point(x: corner.x * (x - radii.x), y: corner.y * (y - radii.y))
            let isUpright = turn == 0 || turn == 2
            let (across, down) = (
                Point(x: center.x + corner.x * radii.x, y: center.y),
                Point(x: center.x, y: center.y + corner.y * radii.y)
            )
            let (from, to) = isUpright ? (across, down) : (down, across)
            path.line(to: from)
            guard radii.x > 0, radii.y > 0 else { continue }
            path.arc(
                center: center, u: Point(x: radii.x, y: 0), v: Point(x: 0, y: radii.y), start: turn * .pi / 2,
                sweep: .pi / 2, to: to)
        }
        path.close()
        let (sine, cosine) = sinCos(degrees: place.rotation)
        return Shape(
            path: path,
            transform: AffineMap(
                a: cosine, b: sine, c: -sine, d: cosine, x: place.center.x, y: place.center.y), fill: .color(.white))
    }
}

extension EncodedImage {
    /// The part of the picture that shows, and where it lies: whole pixels of it, mirrored where asked.
    ///
    /// - Returns: the picture, its placement, and whether more than what shows is left of it.
    /// - Throws: `badInput` for a damaged picture; `overLimit`.
    func shown(
        as picture: NotePicture, place: Place, limits: Limits
    ) throws(EngineError) -> (image: EncodedImage, placement: Placement, needsMask: Bool) {
        // Upside down is mirrored and turned by half.
        let isMirrored = picture.isMirroredAcross != picture.isMirroredDown
        func turned(_ placement: Placement) -> Placement {
            var placement = placement
            if picture.isMirroredDown { placement.rotation += 180 }
            return placement
        }
        guard isMirrored || !picture.isWhole else { return (self, turned(picture.place), false) }
        if header.isVector {
            let file = try SVGDocument(reading: bytes, place: place).text(showing: picture)
            return (try EncodedImage(checking: file, place: place, limits: limits), picture.place, false)
        }
        let (width, height) = (Double(size.width), Double(size.height))
        func pixels(_ low: Double, _ high: Double, _ edge: Int) -> Range<Int> {
            let first = min(max((low * Double(edge) + 1e-6).rounded(.down), 0), Double(edge - 1))
            let end = min(max((high * Double(edge) - 1e-6).rounded(.up), first + 1), Double(edge))
            return Int(first)..<Int(end)
        }
        let (columns, rows) = (
            pixels(picture.part.minX, picture.part.maxX, size.width),
            pixels(picture.part.minY, picture.part.maxY, size.height)
        )
        var kept = picture
        kept.part = Rect(
            minX: Double(columns.lowerBound) / width, minY: Double(rows.lowerBound) / height,
            maxX: Double(columns.upperBound) / width, maxY: Double(rows.upperBound) / height)
        let all = picture.whole
        kept.place = NotePicture(place: all, part: kept.part).placeOfPart
        // In the file, before it is mirrored.
        func unmirrored(_ range: Range<Int>, _ edge: Int, _ isMirrored: Bool) -> Range<Int> {
            isMirrored ? edge - range.upperBound..<edge - range.lowerBound : range
        }
        let image = try cut(
            columns: unmirrored(columns, size.width, picture.isMirroredAcross),
            rows: unmirrored(rows, size.height, picture.isMirroredDown), isMirrored: isMirrored, place: place,
            limits: limits)
        let slack = max(
            abs(kept.part.minX - picture.part.minX) * width, abs(kept.part.maxX - picture.part.maxX) * width,
            abs(kept.part.minY - picture.part.minY) * height, abs(kept.part.maxY - picture.part.maxY) * height)
        return (image, turned(kept.place), slack > 1e-3)
    }

    /// Some columns and rows as a PNG in sRGB.
    private func cut(
        columns: Range<Int>, rows: Range<Int>, isMirrored: Bool, place: Place, limits: Limits
    ) throws(EngineError) -> EncodedImage {
        let size = PixelSize(width: columns.count, height: rows.count)
        var png: (file: PNGFile, count: Int)?
        let width = self.size.width
        _ = try ImageDecoders.decode(
            bytes, as: .color, convertsProfiles: true, place: place, limits: limits
        ) { (chunk) throws(EngineError) in
            let count = chunk.format == .rgba8 ? 4 : 3
            var one = png ?? (PNGFile(size, bytesPerPixel: count), count)
            let kept = chunk.rows.clamped(to: rows)
            var cut: [UInt8] = []
            cut.reserveCapacity(kept.count * columns.count * count)
            switch chunk.content {
            case .constant(let value):
                let pixel = (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt32(8 * $0)) }
                for _ in 0..<kept.count * columns.count { cut += pixel }
            case .samples(let samples):
                for row in kept {
                    let start = (row - chunk.rows.lowerBound) * width
                    let pixels = (start + columns.lowerBound) * count..<(start + columns.upperBound) * count
                    if !isMirrored {
                        cut += samples[pixels]
                        continue
                    }
                    for at in stride(from: pixels.upperBound - count, through: pixels.lowerBound, by: -count) {
                        cut += samples[at..<at + count]
                    }
                }
            }
            if !cut.isEmpty { try one.file.append(cut) }
            png = one
        }
        guard let png else { throw .badInput(place, reason: "the image has no rows") }
        return EncodedImage(
            bytes: png.file.finish(), header: ImageHeader(size: size, isHeldWhole: false, hasAlpha: png.count == 4),
            place: self.place)
    }
}

extension NotePicture {
    /// Where a part lies of a picture that lies at `place` as a whole.
    fileprivate var placeOfPart: Placement {
        let (width, height) = (place.width * (part.maxX - part.minX), place.height * (part.maxY - part.minY))
        let (sine, cosine) = sinCos(degrees: place.rotation)
        let (dx, dy) = (
            ((part.minX + part.maxX) / 2 - 0.5) * place.width, ((part.minY + part.maxY) / 2 - 0.5) * place.height
        )
        let middle = place.center + Point(x: cosine * dx - sine * dy, y: sine * dx + cosine * dy)
        return Placement(
            x: middle.x - width / 2, y: middle.y - height / 2, width: width, height: height, rotation: place.rotation)
    }
}

extension SVGDocument {
    /// A document that shows a part of this one, mirrored where asked, in the size of the part.
    fileprivate func text(showing picture: NotePicture) -> [UInt8] {
        let part = picture.part
        var map = AffineMap(x: -part.minX * width, y: -part.minY * height)
        if picture.isMirroredAcross { map = map.after(AffineMap(a: -1, x: width)) }
        if picture.isMirroredDown { map = map.after(AffineMap(d: -1, y: height)) }
        return text(mapped: map, width: (part.maxX - part.minX) * width, height: (part.maxY - part.minY) * height)
    }
}
