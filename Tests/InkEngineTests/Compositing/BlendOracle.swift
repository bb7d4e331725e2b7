import InkEngine

/// A straight colour in double precision.
struct StraightColor: CustomStringConvertible {
    var channels: [Double]
    var alpha: Double

    var description: String { "\(channels) alpha \(alpha)" }
}

/// The blend formulas of W3C Compositing and Blending Level 1 and of the contract, written plainly, in Double, one
/// pixel at a time; nothing is shared with the engine but the names of the modes.
enum BlendOracle {
    /// The premultiplied result, red, green, blue, alpha.
    static func blend(_ source: StraightColor, onto backdrop: StraightColor, _ mode: BlendMode) -> [Double] {
        let (a, b) = (source.alpha, backdrop.alpha)
        if mode == .plus {
            return (0..<3).map { min(1, source.channels[$0] * a + backdrop.channels[$0] * b) } + [min(1, a + b)]
        }
        let mixed = mix(backdrop.channels, source.channels, mode)
        return (0..<3).map { c in
            a * (1 - b) * source.channels[c] + a * b * mixed[c] + (1 - a) * b * backdrop.channels[c]
        } + [a + b - a * b]
    }

    static func luminosity(_ c: [Double]) -> Double { 0.3 * c[0] + 0.59 * c[1] + 0.11 * c[2] }

    private static func mix(_ cb: [Double], _ cs: [Double], _ mode: BlendMode) -> [Double] {
        switch mode {
        case .hue: setLum(setSat(cs, sat(cb)), luminosity(cb))
        case .saturation: setLum(setSat(cb, sat(cs)), luminosity(cb))
        case .color: setLum(cs, luminosity(cb))
        case .luminosity: setLum(cb, luminosity(cs))
        case .darkerColor: luminosity(cs) <= luminosity(cb) - 1 / 1024.0 ? cs : cb
        case .lighterColor: luminosity(cs) >= luminosity(cb) + 1 / 1024.0 ? cs : cb
        default: (0..<3).map { mix(cb[$0], cs[$0], mode) }
        }
    }

    private static func mix(_ b: Double, _ s: Double, _ mode: BlendMode) -> Double {
        switch mode {
        case .normal: return s
        case .multiply: return b * s
        case .screen: return b + s - b * s
        case .overlay: return mix(s, b, .hardLight)
        case .darken: return min(b, s)
        case .lighten: return max(b, s)
        case .colorDodge: return b <= 1.0 / 1024 ? 0 : s == 1 ? 1 : min(1, b / (1 - s))
        case .colorBurn: return b >= 1 - 1.0 / 1024 ? 1 : s == 0 ? 0 : 1 - min(1, (1 - b) / s)
        case .hardLight: return s <= 0.5 ? mix(b, 2 * s, .multiply) : mix(b, 2 * s - 1, .screen)
        case .softLight:
            if s <= 0.5 { return b - (1 - 2 * s) * b * (1 - b) }
            let d = b <= 0.25 ? ((16 * b - 12) * b + 4) * b : b.squareRoot()
            return b + (2 * s - 1) * (d - b)
        case .difference: return abs(b - s)
        case .exclusion: return b + s - 2 * b * s
        case .linearDodge: return min(1, b + s)
        case .linearBurn: return max(0, b + s - 1)
        case .linearLight: return min(1, max(0, b + 2 * s - 1))
        case .vividLight: return s <= 0.5 ? mix(b, 2 * s, .colorBurn) : mix(b, 2 * s - 1, .colorDodge)
        case .pinLight: return s <= 0.5 ? min(b, 2 * s) : max(b, 2 * s - 1)
        case .hardMix: return b + s >= 1 - 1 / 1024.0 ? 1 : 0
        case .subtract: return max(0, b - s)
        case .divide: return b <= 1.0 / 1024 ? 0 : s <= 1.0 / 1024 ? 1 : min(1, b / s)
        case .hue, .saturation, .color, .luminosity, .darkerColor, .lighterColor, .plus:
            preconditionFailure("not a separable mode")
        }
    }

    private static func sat(_ c: [Double]) -> Double { c.max()! - c.min()! }

    private static func setLum(_ c: [Double], _ l: Double) -> [Double] {
        let d = l - luminosity(c)
        return clip(c.map { $0 + d })
    }

    private static func clip(_ c: [Double]) -> [Double] {
        let (l, n, x) = (luminosity(c), c.min()!, c.max()!)
        var result = c
        if n < 0 { result = result.map { l + ($0 - l) * l / (l - n) } }
        if x > 1 { result = result.map { l + ($0 - l) * (1 - l) / (x - l) } }
        return result
    }

    /// By sorting the channels, as the standard has it.
    private static func setSat(_ c: [Double], _ s: Double) -> [Double] {
        let order = [0, 1, 2].sorted { c[$0] < c[$1] }
        let (low, middle, high) = (order[0], order[1], order[2])
        var result = [0.0, 0.0, 0.0]
        if c[high] > c[low] {
            result[middle] = (c[middle] - c[low]) * s / (c[high] - c[low])
            result[high] = s
        }
        return result
    }
}
