import InkEngine

/// A colour as people see it: equal distances look alike (B. Ottosson, "A perceptual color space for image processing",
/// 2020).
struct PerceivedColor {
    private var lightness: Double
    private var a: Double
    private var b: Double

    init(_ color: RGBA8) {
        func linear(_ value: UInt8) -> Double {
            // The curve of sRGB within a hundredth, from nothing but arithmetic, so that the file is the same everywhere.
            let x = Double(value) / 255
            return x * x * (0.8 + 0.2 * x)
        }
        let (red, green, blue) = (linear(color.red), linear(color.green), linear(color.blue))
        let l = PerceivedColor.cubeRoot(0.412_221_47 * red + 0.536_332_54 * green + 0.051_445_99 * blue)
        let m = PerceivedColor.cubeRoot(0.211_903_5 * red + 0.680_699_55 * green + 0.107_396_96 * blue)
        let s = PerceivedColor.cubeRoot(0.088_302_46 * red + 0.281_718_84 * green + 0.629_978_7 * blue)
        lightness = 0.210_454_26 * l + 0.793_617_79 * m - 0.004_072_05 * s
        a = 1.977_998_5 * l - 2.428_592_21 * m + 0.450_593_71 * s
        b = 0.025_904_04 * l + 0.782_771_77 * m - 0.808_675_77 * s
    }

    /// Newton's method, in 0...1.
    private static func cubeRoot(_ value: Double) -> Double {
        guard value > 1e-12 else { return 0 }
        var root = 1.0
        for _ in 0..<40 { root -= (root - value / (root * root)) / 3 }
        return root
    }

    /// The square of the distance to a colour.
    func square(to other: PerceivedColor) -> Double {
        let (x, y, z) = (lightness - other.lightness, a - other.a, b - other.b)
        return x * x + y * y + z * z
    }
}

extension RGBA8 {
    /// Whether hardly anybody tells the colours apart where they meet.
    func isNear(_ other: RGBA8) -> Bool {
        if self == other { return true }
        // Such differences are seen whatever the colours are; the roots take long.
        let steps = [(red, other.red), (green, other.green), (blue, other.blue)].map { abs(Int($0) - Int($1)) }
        if steps.contains(where: { $0 > 40 }) { return false }
        return PerceivedColor(self).square(to: PerceivedColor(other)) < 0.02 * 0.02
    }
}

/// Joins colours until a number of pens is enough for them.
struct PlotPalette {
    /// For each colour which of them the pen has that draws it.
    private(set) var pens: [Int]

    /// More colours than these are joined with the nearest one before all pairs are looked at.
    private static let pairedMax = 256

    /// - Parameters:
    ///   - lengths: how much is drawn in each colour. Pens have colours in which much is drawn.
    ///   - count: the number of pens, at least 1.
    init(_ colors: [RGBA8], lengths: [Double], count: Int) {
        pens = Array(colors.indices)
        let seen = colors.map { PerceivedColor($0) }
        let order = colors.indices.sorted { (lengths[$1], $0) < (lengths[$0], $1) }
        var kept = Array(order.prefix(PlotPalette.pairedMax))
        var weights = lengths
        for index in order.dropFirst(PlotPalette.pairedMax) {
            let nearest = kept.min { seen[$0].square(to: seen[index]) < seen[$1].square(to: seen[index]) } ?? index
            pens[index] = nearest
            weights[nearest] += lengths[index]
        }
        while kept.count > max(count, 1) {
            // The pair whose union changes least of what is drawn (J. Ward, "Hierarchical grouping", 1963).
            var best = (cost: Double.infinity, into: 0, from: 0)
            for (place, into) in kept.enumerated() {
                for from in kept[(place + 1)...] {
                    let (a, b) = (weights[into] + 1e-9, weights[from] + 1e-9)
                    let cost = seen[into].square(to: seen[from]) * a * b / (a + b)
                    if cost < best.cost { best = (cost, into, from) }
                }
            }
            // The colour in which more is drawn is earlier in the order.
            weights[best.into] += weights[best.from]
            for index in pens.indices where pens[index] == best.from { pens[index] = best.into }
            kept.removeAll { $0 == best.from }
        }
    }
}
