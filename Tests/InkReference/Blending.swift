package import InkEngine

/// A straight colour, 0...1 a channel.
package struct StraightColor: Hashable, Sendable {
    package var red: Double
    package var green: Double
    package var blue: Double

    package init(_ red: Double, _ green: Double, _ blue: Double) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    var least: Double { min(red, min(green, blue)) }
    var greatest: Double { max(red, max(green, blue)) }

    func mapped(_ change: (Double) -> Double) -> StraightColor {
        StraightColor(change(red), change(green), change(blue))
    }
}

/// What counts as equal where a blend function jumps: far above the noise of doubles, far below any 8-bit step.
private let noise = 1e-9

/// B(Cb, Cs) of the modes that treat each channel by itself; W3C section 10.1 and spec 5.4. Nil for the others.
package func blendChannel(_ mode: BlendMode, _ cb: Double, _ cs: Double) -> Double? {
    switch mode {
    case .normal: cs
    case .multiply: cb * cs
    case .screen: cb + cs - cb * cs
    case .overlay: hardLight(cs, cb)
    case .darken: min(cb, cs)
    case .lighten: max(cb, cs)
    case .colorDodge: colorDodge(cb, cs)
    case .colorBurn: colorBurn(cb, cs)
    case .hardLight: hardLight(cb, cs)
    case .softLight: softLight(cb, cs)
    case .difference: abs(cb - cs)
    case .exclusion: cb + cs - 2 * cb * cs
    // "linearDodge min(1, Cb + Cs), linearBurn max(0, Cb + Cs - 1), linearLight clamp(Cb + 2 Cs - 1)"
    case .linearDodge: min(1, cb + cs)
    case .linearBurn: max(0, cb + cs - 1)
    case .linearLight: min(max(cb + 2 * cs - 1, 0), 1)
    // "(Cs <= 1/2: colorBurn with 2 Cs, else colorDodge with 2 Cs - 1)"
    case .vividLight: cs <= 0.5 ? colorBurn(cb, 2 * cs) : colorDodge(cb, 2 * cs - 1)
    // "(Cs <= 1/2: min(Cb, 2 Cs), else max(Cb, 2 Cs - 1))"
    case .pinLight: cs <= 0.5 ? min(cb, 2 * cs) : max(cb, 2 * cs - 1)
    // "(Cb + Cs >= 1 - 1/1024: 1, else 0)"
    case .hardMix: cb + cs >= 1 - 1.0 / 1024 ? 1 : 0
    case .subtract: max(0, cb - cs)
    // "(Cb <= 1/1024: 0, else Cs <= 1/1024: 1, else min(1, Cb / Cs)"
    case .divide: cb <= tie ? 0 : cs <= tie ? 1 : min(1, cb / cs)
    case .hue, .saturation, .color, .luminosity, .darkerColor, .lighterColor, .plus: nil
    }
}

private func hardLight(_ cb: Double, _ cs: Double) -> Double {
    if cs <= 0.5 { return cb * (2 * cs) }
    let screen = 2 * cs - 1
    return cb + screen - cb * screen
}

/// "(colorBurn: Cb >= 1 - 1/1024 gives 1; colorDodge: Cb <= 1/1024 gives 0; vividLight likewise)"
private let tie = 1.0 / 1024

private func colorDodge(_ cb: Double, _ cs: Double) -> Double {
    if cb <= tie { return 0 }
    if cs >= 1 - noise { return 1 }
    return min(1, cb / (1 - cs))
}

private func colorBurn(_ cb: Double, _ cs: Double) -> Double {
    if cb >= 1 - tie { return 1 }
    if cs <= noise { return 0 }
    return 1 - min(1, (1 - cb) / cs)
}

private func softLight(_ cb: Double, _ cs: Double) -> Double {
    if cs <= 0.5 { return cb - (1 - 2 * cs) * cb * (1 - cb) }
    let d = cb <= 0.25 ? ((16 * cb - 12) * cb + 4) * cb : cb.squareRoot()
    return cb + (2 * cs - 1) * (d - cb)
}

// W3C section 10.2, non-separable modes.

/// W3C: Lum(C) = 0.3 Cred + 0.59 Cgreen + 0.11 Cblue.
package func luminosity(_ c: StraightColor) -> Double { 0.3 * c.red + 0.59 * c.green + 0.11 * c.blue }

private func clippedColor(_ color: StraightColor) -> StraightColor {
    let l = luminosity(color)
    let n = color.least
    let x = color.greatest
    var result = color
    // A gray has nothing to pull towards its luminosity; where noise puts white above 1, W3C's formula would be 0 / 0.
    if n < -noise, l > n { result = result.mapped { l + (($0 - l) * l) / (l - n) } }
    if x > 1 + noise, x > l { result = result.mapped { l + (($0 - l) * (1 - l)) / (x - l) } }
    return result.mapped { min(max($0, 0), 1) }
}

private func settingLuminosity(_ c: StraightColor, _ l: Double) -> StraightColor {
    let d = l - luminosity(c)
    return clippedColor(c.mapped { $0 + d })
}

private func saturation(_ c: StraightColor) -> Double { c.greatest - c.least }

/// W3C's SetSat: the least channel becomes 0, the greatest s, the middle one keeps its place between them.
private func settingSaturation(_ c: StraightColor, _ s: Double) -> StraightColor {
    let range = saturation(c)
    guard range > noise else { return StraightColor(0, 0, 0) }
    return c.mapped { ($0 - c.least) * s / range }
}

/// B(Cb, Cs) of spec 5.4.
///
/// Precondition: `mode` is not `plus`, which is a compositing operator of its own.
package func blend(_ mode: BlendMode, backdrop cb: StraightColor, source cs: StraightColor) -> StraightColor {
    switch mode {
    case .hue: return settingLuminosity(settingSaturation(cs, saturation(cb)), luminosity(cb))
    case .saturation: return settingLuminosity(settingSaturation(cb, saturation(cs)), luminosity(cb))
    case .color: return settingLuminosity(cs, luminosity(cb))
    case .luminosity: return settingLuminosity(cb, luminosity(cs))
    // "the whole colour with the lower or higher W3C luminosity Lum; a difference under 1/1024 is a tie and keeps Cb"
    case .darkerColor, .lighterColor:
        let difference = luminosity(cs) - luminosity(cb)
        if abs(difference) < 1.0 / 1024 { return cb }
        return (difference < 0) == (mode == .darkerColor) ? cs : cb
    default:
        return StraightColor(
            blendChannel(mode, cb.red, cs.red)!, blendChannel(mode, cb.green, cs.green)!,
            blendChannel(mode, cb.blue, cs.blue)!)
    }
}

/// Spec 5.4: puts the premultiplied RGBA pixels `source` onto `backdrop` with `mode`; four numbers a pixel.
package func blendLayer(_ source: [Double], onto backdrop: inout [Double], mode: BlendMode) {
    for start in stride(from: 0, to: backdrop.count, by: 4) {
        let alphaS = source[start + 3]
        let alphaB = backdrop[start + 3]
        if mode == .plus {
            // "(W3C's plus-lighter: sum of the premultiplied, clamped)"
            for channel in 0..<4 {
                backdrop[start + channel] = min(1, backdrop[start + channel] + source[start + channel])
            }
            continue
        }
        let cs = straight(source, start, alphaS)
        let cb = straight(backdrop, start, alphaB)
        let mixed = blend(mode, backdrop: cb, source: cs)
        // "co = as (1 - ab) Cs + as ab B(Cb, Cs) + (1 - as) ab Cb and ao = as + ab - as ab"
        func composite(_ cs: Double, _ cb: Double, _ b: Double) -> Double {
            alphaS * (1 - alphaB) * cs + alphaS * alphaB * b + (1 - alphaS) * alphaB * cb
        }
        backdrop[start] = composite(cs.red, cb.red, mixed.red)
        backdrop[start + 1] = composite(cs.green, cb.green, mixed.green)
        backdrop[start + 2] = composite(cs.blue, cb.blue, mixed.blue)
        backdrop[start + 3] = alphaS + alphaB - alphaS * alphaB
    }
}

/// The straight colour of a premultiplied pixel; black where there is none.
func straight(_ pixels: [Double], _ start: Int, _ alpha: Double) -> StraightColor {
    guard alpha > 0 else { return StraightColor(0, 0, 0) }
    return StraightColor(pixels[start] / alpha, pixels[start + 1] / alpha, pixels[start + 2] / alpha)
}
