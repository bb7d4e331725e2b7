public import InkEngine

/// Something that is laid over finished pictures, above all layers: a watermark.
public struct Overlay: Sendable {
    /// What is laid over the picture.
    public enum Content: Sendable {
        case text(TextOverlay, FontSize)
        case image(ImageOverlay)
    }

    /// The size of a font on a picture.
    public struct FontSize: Hashable, Sendable {
        /// What the size of a font is measured in.
        public enum Unit: String, Hashable, Sendable, CaseIterable {
            /// One output pixel, or dpi / 72 where a picture has a resolution.
            case points = "pt"
            case pixels = "px"
            /// Canvas pixels.
            case canvas
            /// A share of the picture's shorter edge.
            case shortSide
        }

        /// Above 0.
        public var value: Double
        public var unit: Unit

        public init(_ value: Double, _ unit: Unit) {
            self.value = value
            self.unit = unit
        }

        /// Output pixels in one unit.
        func unitPixels(on target: OverlayTarget, dotsPerInch: Double?) -> Double {
            switch unit {
            case .points: (dotsPerInch ?? 72) / 72
            case .pixels: 1
            case .canvas: target.scale
            case .shortSide: target.shortSide
            }
        }
    }

    public var content: Content
    public var layout: OverlayLayout
    /// 0...1
    public var opacity: Double
    public var blendMode: BlendMode
    /// Names the overlay in errors.
    public var place: Place

    /// The opacity of overlays that name none.
    public static let defaultOpacity = 0.6

    public init(
        _ content: Content, layout: OverlayLayout, opacity: Double = Overlay.defaultOpacity,
        blendMode: BlendMode = .normal, place: Place
    ) {
        self.content = content
        self.layout = layout
        self.opacity = opacity
        self.blendMode = blendMode
        self.place = place
    }

    /// What has been made of an overlay for one picture.
    public struct Laid: Sendable {
        /// From the bottom; empty where all of it lies outside.
        public var pieces: [OverlayPiece]
        /// Whether part of it lies outside of the picture.
        public var isCut: Bool
    }

    /// Makes the images that show the overlay on a picture.
    ///
    /// - Parameters:
    ///   - target: the picture.
    ///   - dotsPerInch: of the picture, if it has a resolution.
    ///   - limits: an overlay may have so many pixels.
    ///   - raster: gives the pixels of an overlay of this size, and may keep them; calls its last argument for new ones.
    /// - Throws: `badInput`, `overLimit`; they name the overlay.
    public func laid(
        on target: OverlayTarget, dotsPerInch: Double?, limits: Limits,
        raster: (RasterKey, () throws(EngineError) -> OverlayRaster) throws(EngineError) -> OverlayRaster = {
            (_, make) throws(EngineError) in try make()
        }
    ) throws(EngineError) -> Laid {
        let box: PixelSize
        let pixels: OverlayRaster
        switch content {
        case .image(let image):
            box = try wrapping { () throws(OverlayFault) in try layout.size(own: image.size, on: target) }
            pixels = try raster(.image(box)) { () throws(EngineError) in try image.raster(box, limits: limits) }
        case .text(let text, let size):
            let unit = size.unitPixels(on: target, dotsPerInch: dotsPerInch)
            box = try text.box(size: size.value * unit)
            pixels = try raster(.text(size: size.value * unit, unit: unit)) { () throws(EngineError) in
                try text.raster(size: size.value * unit, unit: unit, limits: limits)
            }
        }
        let copies = try wrapping { () throws(OverlayFault) in
            try layout.copies(box, on: target, reach: pixels.reach(beyond: box))
        }
        let whole = PixelRect(x: 0, y: 0, width: target.size.width, height: target.size.height)
        return Laid(
            pieces: try pixels.pieces(copies, on: target.size, limits: limits, place: place),
            isCut: layout.repetition == nil && copies.contains { $0.intersection(whole) != $0 })
    }

    /// What an overlay's pixels depend on.
    public enum RasterKey: Hashable, Sendable {
        case image(PixelSize)
        case text(size: Double, unit: Double)
    }

    private func wrapping<T>(_ body: () throws(OverlayFault) -> T) throws(EngineError) -> T {
        do throws(OverlayFault) { return try body() } catch { throw engineError(error) }
    }

    private func engineError(_ fault: OverlayFault) -> EngineError {
        switch fault {
        case .tooLarge(let width, let height):
            .overLimit(
                place, what: "the overlay", found: "\(shownNumber(width))x\(shownNumber(height)) pixels",
                limit: "\(OverlayLayout.edgePixelsMax) pixels an edge")
        case .tooManyCopies:
            .overLimit(
                place, what: "the number of copies", found: "more than \(OverlayLayout.copiesMax)",
                limit: "\(OverlayLayout.copiesMax)")
        }
    }
}
