public import InkEngine

/// The size that a person asks for, before it is known for which canvas: `2k`, `1080p`, `0.5x`, `1920x1080`, `300dpi`.
public enum ExportSize: Hashable, Sendable {
    /// The longest edge, output pixels; the other keeps the aspect.
    case longestEdge(Int, name: String)
    /// A multiple of the canvas; `text` is the factor as it was written.
    case factor(Double, text: String)
    /// The largest size of the canvas's aspect inside this one.
    case fit(PixelSize)
    /// So many pixels an inch of a canvas whose pixels are points, as those of pages are; `text` is the number as it was
    /// written.
    case resolution(Double, text: String)

    /// Reads `2k`, `4k`, `8k`, `1080p`, `Nx` or `Ndpi` (N a decimal number above 0) or `WxH`; nil for anything else.
    public init?(_ text: String) {
        let text = text.lowercased()
        if let edge = ExportSize.namedEdges[text] {
            self = .longestEdge(edge, name: text)
            return
        }
        if text.hasSuffix("dpi") {
            let number = text.dropLast("dpi".count)
            guard let dots = Double(plainDecimal: number), PictureDensity.range.contains(dots) else { return nil }
            self = .resolution(dots, text: String(number))
            return
        }
        let parts = text.split(separator: "x", omittingEmptySubsequences: false)
        guard parts.count == 2, let first = parts.first, let last = parts.last else { return nil }
        if last.isEmpty {
            guard let factor = Double(plainDecimal: first), factor > 0 else { return nil }
            self = .factor(factor, text: String(first))
        } else {
            guard let width = ExportSize.integer(first), let height = ExportSize.integer(last) else { return nil }
            self = .fit(PixelSize(width: width, height: height))
        }
    }

    /// As a person writes it: `2k`, `0.5x`, `1920x1080`.
    public var name: String {
        switch self {
        case .longestEdge(_, let name): name
        case .factor(_, let text): text + "x"
        case .fit(let size): size.description
        case .resolution(_, let text): text + "dpi"
        }
    }

    /// The longest edge is at least this, whatever the canvas; 1 if that is all that is known.
    public var longestEdgeMin: Int {
        switch self {
        case .longestEdge(let edge, _): edge
        case .factor, .resolution: 1
        case .fit(let size): min(size.width, size.height)
        }
    }

    /// The output size for a canvas: the other edge rounded to the nearest pixel, halves up, at least 1.
    ///
    /// - Throws: `EngineError.overLimit` beyond the limits of an output's edge or area; `place` names the export.
    public func outputSize(canvas: CanvasSize, limits: Limits, place: Place) throws(EngineError) -> PixelSize {
        let size: PixelSize
        switch self {
        case .longestEdge(let edge, _):
            size =
                canvas.width >= canvas.height
                ? PixelSize(width: edge, height: ExportSize.scaled(canvas.height, by: edge, over: canvas.width))
                : PixelSize(width: ExportSize.scaled(canvas.width, by: edge, over: canvas.height), height: edge)
        case .factor(let factor, _):
            size = PixelSize(
                width: ExportSize.rounded(canvas.width * factor), height: ExportSize.rounded(canvas.height * factor))
        case .resolution(let dots, _):
            size = PixelSize(
                width: ExportSize.rounded(canvas.width * dots / 72),
                height: ExportSize.rounded(canvas.height * dots / 72))
        case .fit(let box):
            // Both products are exact for edges within the limits.
            size =
                Double(box.width) * canvas.height <= Double(box.height) * canvas.width
                ? PixelSize(
                    width: box.width, height: ExportSize.scaled(canvas.height, by: box.width, over: canvas.width))
                : PixelSize(
                    width: ExportSize.scaled(canvas.width, by: box.height, over: canvas.height), height: box.height)
        }
        try ExportSize.check(size, limits: limits, place: place)
        return size
    }

    /// - Throws: `EngineError.overLimit` when an edge or the area is beyond the limits.
    public static func check(_ size: PixelSize, limits: Limits, place: Place) throws(EngineError) {
        if size.longestEdge > limits.edgePixels {
            throw .overLimit(
                place, what: "the output's edge", found: edgeText(size.longestEdge),
                limit: "\(limits.edgePixels) pixels")
        }
        if size.area > limits.outputPixels {
            throw .overLimit(
                place, what: "the output's size", found: "\(size) pixels", limit: "\(limits.outputPixels) pixels")
        }
    }

    private static func edgeText(_ edge: Int) -> String { edge == .max ? "huge" : "\(edge) pixels" }

    private static let namedEdges = ["2k": 2048, "4k": 4096, "8k": 8192, "1080p": 1920]

    /// `value * numerator / denominator` to the nearest whole, halves up, at least 1; `Int.max` when it is too large.
    private static func scaled(_ value: Double, by numerator: Int, over denominator: Double) -> Int {
        whole((value * Double(numerator) / denominator + 0.5).rounded(.down))
    }

    private static func rounded(_ value: Double) -> Int {
        // 50 times 0.29 is a half, but not in binary fractions.
        whole((value * (1 + 0x1p-50) + 0.5).rounded(.down))
    }

    /// At least 1, and `Int.max` for what is too large or no number.
    private static func whole(_ value: Double) -> Int { value < 1e18 ? max(1, Int(value)) : .max }

    /// A whole number above 0 of at most nine digits.
    private static func integer(_ text: Substring) -> Int? {
        guard text.utf8.count <= 9, text.utf8.allSatisfy({ (48...57).contains($0) }), let value = Int(text), value > 0
        else { return nil }
        return value
    }
}
