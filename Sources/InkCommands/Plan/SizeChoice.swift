import InkEngine

/// A size that was asked for, before it is known of which canvas.
///
/// `2k` is a longest edge of 2048 pixels (`4k` 4096, `8k` 8192, `1080p` 1920), `Nx` the canvas times N, `WxH` the
/// largest size inside W x H. All keep the canvas's aspect; the other edge is rounded, halves up, and at least 1.
struct SizeChoice: Hashable, Sendable {
    private enum Rule: Hashable, Sendable {
        case longestEdge(Int)
        case factor(Double)
        case inside(width: Int, height: Int)
    }

    /// As it was written, in lower case; stands for `{size}` in names.
    let text: String
    private let rule: Rule

    /// - Throws: `usage` for anything that is no size.
    init(_ written: String) throws(CommandError) {
        text = written.lowercased()
        switch text {
        case "1080p": rule = .longestEdge(1920)
        case "2k": rule = .longestEdge(2048)
        case "4k": rule = .longestEdge(4096)
        case "8k": rule = .longestEdge(8192)
        default:
            // Only plain decimals: Double(_:) would also take "0x1p3", "inf" and "nan".
            if text.hasSuffix("x"), text.utf8.dropLast().allSatisfy({ (48...57).contains($0) || $0 == 46 }),
                let factor = Double(text.dropLast()), factor > 0, factor.isFinite
            {
                rule = .factor(factor)
                return
            }
            let parts = text.split(separator: "x", omittingEmptySubsequences: false)
            guard parts.count == 2, text.utf8.allSatisfy({ (48...57).contains($0) || $0 == 120 }),
                let width = Int(parts[0]), let height = Int(parts[1]), width > 0, height > 0
            else {
                throw .usage("--size: \"\(written)\" is no size (1080p, 2k, 4k, 8k, 2x, 0.5x or 1200x800)")
            }
            rule = .inside(width: width, height: height)
        }
    }

    /// The picture's size.
    /// - Throws: `overLimit` naming `place` when an edge or the area is beyond the limits.
    func pixels(of canvas: PixelSize, limits: Limits, place: Place) throws(EngineError) -> PixelSize {
        let width = Double(canvas.width)
        let height = Double(canvas.height)
        let exact: (width: Double, height: Double)
        switch rule {
        case .longestEdge(let edge): exact = Self.scaled(width, height, toLongest: Double(edge))
        case .factor(let factor): exact = (width * factor, height * factor)
        case .inside(let boxWidth, let boxHeight):
            // Compared as products, so that equal aspects give exactly the box.
            let isWide = width * Double(boxHeight) >= height * Double(boxWidth)
            exact =
                isWide
                ? (Double(boxWidth), height * Double(boxWidth) / width)
                : (width * Double(boxHeight) / height, Double(boxHeight))
        }
        let rounded = (
            width: max(1, (exact.width + 0.5).rounded(.down)), height: max(1, (exact.height + 0.5).rounded(.down))
        )
        let longest = max(rounded.width, rounded.height)
        guard longest <= Double(limits.edgePixels) else {
            // As text of a bounded number: a factor can be as large as a Double.
            let found = longest < 1e15 ? String(Int(longest)) : "more than 10^15"
            throw .overLimit(
                place, what: "the longest edge of a picture of size \(text)", found: found + " pixels",
                limit: String(limits.edgePixels))
        }
        let size = PixelSize(width: Int(rounded.width), height: Int(rounded.height))
        guard size.area <= limits.outputPixels else {
            throw .overLimit(
                place, what: "the area of a picture of size \(text)", found: "\(size.area) pixels",
                limit: String(limits.outputPixels))
        }
        return size
    }

    private static func scaled(_ width: Double, _ height: Double, toLongest edge: Double) -> (Double, Double) {
        width >= height ? (edge, height * edge / width) : (width * edge / height, edge)
    }
}
