import Glibc
package import InkEngine

/// Maps that SVG writes as text.
package enum SVGTransform {
    /// A list such as `translate(5 6) rotate(30)`; the identity for a list with a mistake, which SVG ignores.
    package static func read(_ text: String?) -> AffineMap {
        guard let text else { return .identity }
        var map = AffineMap.identity
        for part in text.split(separator: ")") {
            let pieces = part.split(separator: "(", omittingEmptySubsequences: false)
            guard pieces.count == 2 else {
                if part.allSatisfy({ $0.isWhitespace || $0 == "," }) { continue }
                return .identity
            }
            let name = pieces[0].filter { !$0.isWhitespace && $0 != "," }
            guard let step = step(name, SVGNumbers.all(String(pieces[1]))) else { return .identity }
            map = map.after(step)
        }
        return map.isFinite ? map : .identity
    }

    private static func step(_ name: String, _ n: [Double]) -> AffineMap? {
        switch (name, n.count) {
        case ("matrix", 6): return AffineMap(a: n[0], b: n[1], c: n[2], d: n[3], x: n[4], y: n[5])
        case ("translate", 1): return AffineMap(x: n[0])
        case ("translate", 2): return AffineMap(x: n[0], y: n[1])
        case ("scale", 1): return AffineMap(a: n[0], d: n[0])
        case ("scale", 2): return AffineMap(a: n[0], d: n[1])
        case ("rotate", 1), ("rotate", 3):
            let (sine, cosine) = sinCos(degrees: n[0])
            let turn = AffineMap(a: cosine, b: sine, c: -sine, d: cosine)
            guard n.count == 3 else { return turn }
            return AffineMap(x: n[1], y: n[2]).after(turn).after(AffineMap(x: -n[1], y: -n[2]))
        case ("skewX", 1): return AffineMap(c: tan(n[0] * .pi / 180))
        case ("skewY", 1): return AffineMap(b: tan(n[0] * .pi / 180))
        default: return nil
        }
    }

    /// A viewport: from what a `viewBox` shows to a rectangle at 0, 0.
    ///
    /// - Parameter aspect: `preserveAspectRatio`.
    /// - Returns: nil for a box without area, of which nothing shows.
    package static func viewBox(
        _ text: String?, _ aspect: String?, width: Double, height: Double
    ) -> (map: AffineMap, width: Double, height: Double)? {
        guard let text else { return (.identity, width, height) }
        let box = SVGNumbers.all(text)
        guard box.count == 4, box[2] >= 0, box[3] >= 0 else { return (.identity, width, height) }
        guard box[2] > 0, box[3] > 0 else { return nil }
        var (scaleX, scaleY) = (width / box[2], height / box[3])
        let words = (aspect ?? "xMidYMid").split { $0.isWhitespace }.filter { $0 != "defer" }
        let align = words.first ?? "xMidYMid"
        if align != "none" {
            let scale = words.contains("slice") ? max(scaleX, scaleY) : min(scaleX, scaleY)
            (scaleX, scaleY) = (scale, scale)
        }
        /// How much of the room that is left lies before.
        func share(_ axis: String) -> Double {
            align == "none" || align.contains(axis + "Min") ? 0 : align.contains(axis + "Max") ? 1 : 0.5
        }
        let map = AffineMap(
            a: scaleX, d: scaleY, x: share("x") * (width - scaleX * box[2]) - scaleX * box[0],
            y: share("Y") * (height - scaleY * box[3]) - scaleY * box[1])
        return map.isFinite ? (map, box[2], box[3]) : nil
    }
}
