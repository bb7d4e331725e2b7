import CSVG
import InkEngine

/// librsvg, in a process of its own. For one thread at a time. One that has thrown must not be used any more.
final class SVGRasterizer {
    private let svg: OpaquePointer
    private let raster: VectorRaster
    private let place: Place
    private let text: UnsafeMutableBufferPointer<UInt8>

    private static let package = "librsvg2-2"

    static var library: ImageLibrary {
        let isPresent = ink_svg_is_present() != 0
        return ImageLibrary(
            "librsvg", version: isPresent ? String(cString: ink_svg_version()) : nil,
            missingPackage: isPresent ? nil : package)
    }

    /// The seconds of a processor that a document may take.
    static let secondsMax = 10

    /// - Precondition: the raster's part is not empty, and inside of the whole.
    init(
        _ document: SVGDocument, _ raster: VectorRaster, seconds: Int = secondsMax, place: Place
    ) throws(EngineError) {
        guard ink_svg_is_present() != 0 else {
            throw .badInput(place, reason: "the image is an SVG, which needs librsvg (package \(Self.package))")
        }
        text = .allocate(capacity: document.pieces.count)
        _ = text.initialize(from: document.pieces)
        let scale = AffineMap(
            a: Double(raster.whole.width) / document.width, d: Double(raster.whole.height) / document.height)
        let map = scale.after(document.map)
        var layout = ink_svg_raster(
            width: document.width, height: document.height, map: (map.a, map.b, map.c, map.d, map.x, map.y),
            raster_width: UInt32(raster.whole.width),
            raster_height: UInt32(raster.whole.height), x: UInt32(raster.part.x), y: UInt32(raster.part.y),
            part_width: UInt32(raster.part.width), part_height: UInt32(raster.part.height), seconds: UInt32(seconds))
        var parts = ink_svg_text(
            text: text.baseAddress, style_at: document.styleAt, content_at: document.contentAt, count: text.count)
        guard let svg = ink_svg_open(&parts, &layout) else {
            text.deallocate()
            throw .internalError("librsvg cannot be set up")
        }
        self.svg = svg
        self.raster = raster
        self.place = place
    }

    deinit {
        ink_svg_close(svg)
        text.deallocate()
    }

    /// Draws the next band, and puts its rows into `row` one after another, as straight RGBA; `use` is called for each.
    /// Returns how many there were.
    ///
    /// - Precondition: `row` has room for a row of the part, and not all rows have been drawn.
    func forEachNextRow(
        into row: UnsafeMutablePointer<UInt8>, _ use: () throws(EngineError) -> Void
    ) throws(EngineError) -> Int {
        var count: UInt32 = 0
        guard let pixels = ink_svg_read_rows(svg, &count) else {
            throw .badInput(place, reason: "the SVG cannot be drawn: \(String(cString: ink_svg_error(svg)))")
        }
        for y in 0..<Int(count) {
            ink_svg_straighten(pixels + y * raster.part.width, raster.part.width, row)
            try use()
        }
        return Int(count)
    }
}
