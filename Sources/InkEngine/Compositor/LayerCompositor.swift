/// What is done to whole cells: masking a layer, putting ink on it, and putting it onto what lies under it.
///
/// Every operation treats each pixel alone and in one fixed order of operations, so that where a picture is cut
/// into cells does not show.
enum LayerCompositor {
    /// Multiplies a layer by its mask, where it has one, and by its opacity.
    ///
    /// - Parameters:
    ///   - mask: values 0...1, laid out as the planes are; nil for a layer without a mask.
    ///   - opacity: 0...1
    static func applyMaskAndOpacity(layer: FloatPlanes, mask: UnsafePointer<Float>?, opacity: Float) {
        if mask == nil && opacity == 1 { return }
        let scale = Lanes(repeating: opacity)
        forEachGroup(of: layer) { layer, count, offset in
            let factor = mask.map { Lanes.load($0 + offset, count: count) * scale } ?? scale
            LanePixels.load(layer, count: count).scaled(by: factor).store(layer, count: count)
        }
    }

    /// Puts ink of one colour onto a layer, source-over.
    ///
    /// - Parameters:
    ///   - remaining: what is left of the layer at each pixel, T = the product of (1 - alpha) of what is put on it,
    ///     0...1, laid out as the planes are.
    ///   - color: the ink's straight colour; its alpha counts.
    static func coverWithColor(layer: FloatPlanes, remaining: UnsafePointer<Float>, color: RGBA8) {
        let ink = LanePixels(color)
        let one = Lanes(repeating: 1)
        forEachGroup(of: layer) { layer, count, offset in
            let kept = Lanes.load(remaining + offset, count: count)
            if kept.isEverywhere(1) { return }
            // An ink that is not opaque leaves more of the layer than T.
            let coverage = one - kept
            let added = ink.scaled(by: coverage)
            let under = ink.alpha.isEverywhere(1) ? kept : one - added.alpha
            (added + LanePixels.load(layer, count: count).scaled(by: under)).store(layer, count: count)
        }
    }

    /// Takes alpha away from a layer, destination-out.
    ///
    /// - Parameter remaining: what is left at each pixel, 0...1, laid out as the planes are.
    static func erase(layer: FloatPlanes, remaining: UnsafePointer<Float>) {
        forEachGroup(of: layer) { layer, count, offset in
            let kept = Lanes.load(remaining + offset, count: count)
            if kept.isEverywhere(1) { return }
            LanePixels.load(layer, count: count).scaled(by: kept).store(layer, count: count)
        }
    }

    /// Puts `source` onto `backdrop` with the mode `normal`; both have the same size.
    static func sourceOver(source: FloatPlanes, onto backdrop: FloatPlanes) {
        let one = Lanes(repeating: 1)
        combine(source, onto: backdrop) { source, backdrop in
            source + backdrop.scaled(by: one - source.alpha)
        }
    }

    /// Blends `source` onto `backdrop`, both of the same size, with the general formula of W3C Compositing and
    /// Blending Level 1, section 5.2: co = as (1 - ab) Cs + as ab B(Cb, Cs) + (1 - as) ab Cb.
    static func blend(source: FloatPlanes, onto backdrop: FloatPlanes, mode: BlendMode) {
        switch mode {
        case .normal: sourceOver(source: source, onto: backdrop)
        case .plus: plus(source, onto: backdrop)
        case .multiply: blend(EachChannel<BlendFunction.Multiply>.self, source, backdrop)
        case .screen: blend(EachChannel<BlendFunction.Screen>.self, source, backdrop)
        case .overlay: blend(EachChannel<BlendFunction.Overlay>.self, source, backdrop)
        case .darken: blend(EachChannel<BlendFunction.Darken>.self, source, backdrop)
        case .lighten: blend(EachChannel<BlendFunction.Lighten>.self, source, backdrop)
        case .colorDodge: blend(EachChannel<BlendFunction.ColorDodge>.self, source, backdrop)
        case .colorBurn: blend(EachChannel<BlendFunction.ColorBurn>.self, source, backdrop)
        case .hardLight: blend(EachChannel<BlendFunction.HardLight>.self, source, backdrop)
        case .softLight: blend(EachChannel<BlendFunction.SoftLight>.self, source, backdrop)
        case .difference: blend(EachChannel<BlendFunction.Difference>.self, source, backdrop)
        case .exclusion: blend(EachChannel<BlendFunction.Exclusion>.self, source, backdrop)
        case .hue: blend(BlendFunction.Hue.self, source, backdrop)
        case .saturation: blend(BlendFunction.Saturation.self, source, backdrop)
        case .color: blend(BlendFunction.Color.self, source, backdrop)
        case .luminosity: blend(BlendFunction.Luminosity.self, source, backdrop)
        case .linearDodge: blend(EachChannel<BlendFunction.LinearDodge>.self, source, backdrop)
        case .linearBurn: blend(EachChannel<BlendFunction.LinearBurn>.self, source, backdrop)
        case .linearLight: blend(EachChannel<BlendFunction.LinearLight>.self, source, backdrop)
        case .vividLight: blend(EachChannel<BlendFunction.VividLight>.self, source, backdrop)
        case .pinLight: blend(EachChannel<BlendFunction.PinLight>.self, source, backdrop)
        case .hardMix: blend(EachChannel<BlendFunction.HardMix>.self, source, backdrop)
        case .subtract: blend(EachChannel<BlendFunction.Subtract>.self, source, backdrop)
        case .divide: blend(EachChannel<BlendFunction.Divide>.self, source, backdrop)
        case .darkerColor: blend(BlendFunction.DarkerColor.self, source, backdrop)
        case .lighterColor: blend(BlendFunction.LighterColor.self, source, backdrop)
        }
    }

    /// Plus-lighter, W3C section 9.1.16: the clamped sum of the premultiplied.
    private static func plus(_ source: FloatPlanes, onto backdrop: FloatPlanes) {
        let one = Lanes(repeating: 1)
        combine(source, onto: backdrop) { source, backdrop in
            let sum = source + backdrop
            return LanePixels(
                color: LaneColor(lesser(sum.red, one), lesser(sum.green, one), lesser(sum.blue, one)),
                alpha: lesser(sum.alpha, one))
        }
    }

    private static func blend<Blend: ColorBlend>(
        _: Blend.Type, _ source: FloatPlanes, _ backdrop: FloatPlanes
    ) {
        let one = Lanes(repeating: 1)
        combine(source, onto: backdrop) { source, backdrop in
            let mixed = Blend.mix(
                backdrop: backdrop.color.straight(alpha: backdrop.alpha),
                source: source.color.straight(alpha: source.alpha))
            // Alpha goes through the same operations as a channel whose colour is 1 everywhere. So what is white
            // stays exactly white, no colour exceeds its alpha, and what is opaque stays exactly opaque: colour
            // burn and dodge jump at 0 and 1 and would make an error of one unit in the last place visible.
            return source.scaled(by: one - backdrop.alpha)
                + backdrop.scaled(by: one - source.alpha)
                + LanePixels(color: mixed, alpha: one).scaled(by: source.alpha * backdrop.alpha)
        }
    }

    /// Replaces each pixel of `backdrop` by `operation` of the two pixels. Where the source is transparent every
    /// operation gives back the backdrop, so there it is not run.
    @inline(__always)
    private static func combine(
        _ source: FloatPlanes, onto backdrop: FloatPlanes, _ operation: (LanePixels, LanePixels) -> LanePixels
    ) {
        precondition(source.width == backdrop.width && source.height == backdrop.height)
        let start = PlanePointers(source)
        forEachGroup(of: backdrop) { target, count, offset in
            let pixels = LanePixels.load(start.advanced(by: offset), count: count)
            if pixels.alpha.isEverywhere(0) { return }
            operation(pixels, LanePixels.load(target, count: count)).store(target, count: count)
        }
    }

    /// Runs `body` for groups of eight pixels and for the rest: pointers to the group, its count, its offset.
    @inline(__always)
    private static func forEachGroup(of planes: FloatPlanes, _ body: (PlanePointers, Int, Int) -> Void) {
        let start = PlanePointers(planes)
        let count = planes.count
        var offset = 0
        while offset + laneCount <= count {
            body(start.advanced(by: offset), laneCount, offset)
            offset += laneCount
        }
        if offset < count { body(start.advanced(by: offset), count - offset, offset) }
        // The pointers are into memory that the planes own.
        withExtendedLifetime(planes) {}
    }
}
