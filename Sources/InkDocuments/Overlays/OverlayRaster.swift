import InkCodecs
public import InkEngine

/// The pixels of an overlay, made before the picture is rendered: RGBA, straight, rows without padding.
public struct OverlayRaster: Hashable, Sendable {
    /// Where they lie from the corner of the overlay's box: outlines and shadows reach beyond it.
    public var rect: PixelRect
    public var pixels: [UInt8]

    /// - Precondition: `pixels` has four bytes for each pixel of `rect`, which is not empty.
    public init(rect: PixelRect, pixels: [UInt8]) {
        precondition(!rect.isEmpty && pixels.count == 4 * rect.area, "a raster has four bytes a pixel")
        self.rect = rect
        self.pixels = pixels
    }

    /// How far it reaches beyond a box of this size.
    func reach(beyond box: PixelSize) -> Int {
        max(0, -rect.x, -rect.y, rect.x + rect.width - box.width, rect.y + rect.height - box.height)
    }

    /// Copies what lies in `target`, in the raster's coordinates, into rows of RGBA of that size.
    func copy(_ target: PixelRect, into rows: inout [UInt8]) {
        let (left, right) = (max(target.x, rect.x), min(target.x + target.width, rect.x + rect.width))
        guard left < right else { return }
        for y in max(target.y, rect.y)..<max(max(target.y, rect.y), min(target.rows.upperBound, rect.rows.upperBound)) {
            let source = 4 * ((y - rect.y) * rect.width + left - rect.x)
            let place = 4 * ((y - target.y) * target.width + left - target.x)
            rows.replaceSubrange(
                place..<(place + 4 * (right - left)), with: pixels[source..<(source + 4 * (right - left))])
        }
    }

    /// As a PNG file.
    public static func file(_ pixels: [UInt8], size: PixelSize) throws(EngineError) -> EncodedImage {
        precondition(size.width > 0 && size.height > 0 && pixels.count == 4 * size.area, "four bytes a pixel")
        let codec = PNGCodec()
        var assembler = try codec.makeAssembler(PictureHead(size: size, pixels: .rgba))
        let encoder = BandEncoder()
        var bytes: [UInt8] = []
        func take(_ writes: [PictureWrite]) {
            for case .append(let more, _) in writes { bytes += more }
        }
        take(assembler.begin())
        let rowsAtOnce = max(1, Self.bandBytes / (4 * size.width))
        for top in stride(from: 0, to: size.height, by: rowsAtOnce) {
            let end = min(top + rowsAtOnce, size.height)
            let band = try pixels.withUnsafeBufferPointer { (all) throws(EngineError) in
                try encoder.encode(
                    pixels: UnsafeRawBufferPointer(
                        UnsafeBufferPointer(rebasing: all[(4 * top * size.width)..<(4 * end * size.width)])),
                    width: size.width, format: .rgba, encoding: PieceEncoding(isLast: end == size.height))
            }
            take(assembler.add(band))
        }
        take(assembler.end())
        return EncodedImage(
            bytes: bytes, header: ImageHeader(size: size, isHeldWhole: false), place: "")
    }

    /// Encoded at once, bytes.
    private static let bandBytes = 8 << 20
}

/// A part of an overlay in a picture: an image and the output pixels that it covers.
public struct OverlayPiece: Sendable {
    public var image: EncodedImage
    public var rect: PixelRect
}

extension OverlayRaster {
    /// Images that together show the copies on a picture. Copies become strips over the whole width, the same images again
    /// and again, so that thousands of copies are few images.
    ///
    /// - Parameters:
    ///   - copies: the boxes, from the top, rows of equal height; rows and columns repeat in whole steps.
    ///   - picture: output pixels; what lies outside is cut.
    ///   - limits: an image may have so many pixels.
    ///   - place: for errors.
    /// - Throws: `overLimit`, `internalError`.
    public func pieces(
        _ copies: [PixelRect], on picture: PixelSize, limits: Limits, place: Place
    ) throws(EngineError) -> [OverlayPiece] {
        let whole = PixelRect(x: 0, y: 0, width: picture.width, height: picture.height)
        if copies.count == 1 {
            let copy = copies[0]
            let shown = PixelRect(x: copy.x + rect.x, y: copy.y + rect.y, width: rect.width, height: rect.height)
                .intersection(whole)
            guard !shown.isEmpty else { return [] }
            return [OverlayPiece(image: try image(shown, [copy], limits, place), rect: shown)]
        }
        // Rows of copies, with what they reach beyond their boxes.
        var rows: [[PixelRect]] = []
        for copy in copies {
            if rows.last?.first?.y == copy.y { rows[rows.count - 1].append(copy) } else { rows.append([copy]) }
        }
        // An even number, as every other row is shifted. Shadows of strips may lie over each other as those of copies do.
        let wanted = max(2, (rows.count + Self.stripsMax - 1) / Self.stripsMax)
        let perStrip = wanted + wanted % 2
        var pieces: [OverlayPiece] = []
        var made: [[PixelRect]: EncodedImage] = [:]
        for first in stride(from: 0, to: rows.count, by: perStrip) {
            let part = rows[first..<min(first + perStrip, rows.count)]
            guard let top = part.first?.first, let bottom = part.last?.first else { continue }
            let box = PixelRect(
                x: 0, y: top.y + rect.y, width: picture.width, height: bottom.y - top.y + rect.height
            ).intersection(whole)
            guard !box.isEmpty else { continue }
            // What the strip looks like: where its copies lie in it.
            let key = part.joined().map { copy in
                PixelRect(x: copy.x, y: copy.y - box.y, width: box.width, height: box.height)
            }
            let image: EncodedImage
            if let known = made[key] {
                image = known
            } else {
                image = try self.image(box, Array(part.joined()), limits, place)
                made[key] = image
            }
            pieces.append(OverlayPiece(image: image, rect: box))
        }
        return pieces
    }

    /// So many images of a repeated overlay.
    private static let stripsMax = 64

    private func image(
        _ box: PixelRect, _ copies: [PixelRect], _ limits: Limits, _ place: Place
    ) throws(EngineError) -> EncodedImage {
        try Self.check(box.size, limits, place)
        var rows = [UInt8](repeating: 0, count: 4 * box.area)
        for copy in copies {
            let part = PixelRect(x: box.x - copy.x, y: box.y - copy.y, width: box.width, height: box.height)
            if copies.count == 1 {
                self.copy(part, into: &rows)
            } else {
                draw(part, into: &rows)
            }
        }
        return try Self.file(rows, size: box.size)
    }

    /// Draws what lies in `target` over rows of RGBA of that size: shadows of copies may lie over each other.
    private func draw(_ target: PixelRect, into rows: inout [UInt8]) {
        let shown = rect.intersection(target)
        guard !shown.isEmpty else { return }
        for y in shown.rows {
            for x in shown.columns {
                let source = 4 * ((y - rect.y) * rect.width + x - rect.x)
                let place = 4 * ((y - target.y) * target.width + x - target.x)
                let alpha = pixels[source + 3]
                if alpha == 0 { continue }
                if alpha == 255 || rows[place + 3] == 0 {
                    for k in 0..<4 { rows[place + k] = pixels[source + k] }
                    continue
                }
                let (a, b) = (Float(alpha) / 255, Float(rows[place + 3]) / 255)
                let sum = a + (1 - a) * b
                for k in 0..<3 {
                    let color = (a * Float(pixels[source + k]) + (1 - a) * b * Float(rows[place + k])) / sum
                    rows[place + k] = UInt8(min(255, (color + 0.5).rounded(.down)))
                }
                rows[place + 3] = UInt8(min(255, (255 * sum + 0.5).rounded(.down)))
            }
        }
    }

    /// - Throws: `overLimit`, before memory is taken for so many pixels.
    static func check(_ size: PixelSize, _ limits: Limits, _ place: Place) throws(EngineError) {
        guard size.area <= limits.imagePixels else {
            throw .overLimit(
                place, what: "the overlay", found: "\(size) = \(size.area) pixels",
                limit: "\(limits.imagePixels) pixels")
        }
    }
}

extension PixelRect {
    func intersection(_ other: PixelRect) -> PixelRect {
        let (left, top) = (max(x, other.x), max(y, other.y))
        return PixelRect(
            x: left, y: top, width: max(0, min(x + width, other.x + other.width) - left),
            height: max(0, min(y + height, other.y + other.height) - top))
    }
}
