import InkTestSupport
import Testing

@testable import InkEngine

@Suite struct BlendTests {
    @Test(arguments: BlendMode.allCases)
    func agreesWithTheFormula(mode: BlendMode) {
        let seed: UInt64 = 11
        let (sources, backdrops) = pairs(seed: seed)
        let source = planes(sources, width: 37)
        let result = planes(backdrops, width: 37)
        LayerCompositor.blend(source: source, onto: result, mode: mode)
        for i in sources.indices where !isNearTie(sources[i], backdrops[i], mode) {
            let wanted = BlendOracle.blend(sources[i], onto: backdrops[i], mode)
            let found = [result.red[i], result.green[i], result.blue[i], result.alpha[i]].map(Double.init)
            let error = zip(wanted, found).map { abs($0 - $1) }.max()!
            // Color dodge and its kin multiply an input's rounding error by up to 255.
            #expect(error < 5e-5, "seed \(seed), \(mode): \(sources[i]) onto \(backdrops[i]): \(found), not \(wanted)")
        }
    }

    @Test(arguments: BlendMode.allCases)
    func aPixelDoesNotDependOnItsNeighbours(mode: BlendMode) {
        let seed: UInt64 = 12
        let all = pairs(seed: seed)
        let (sources, backdrops) = (Array(all.0.suffix(211)), Array(all.1.suffix(211)))
        let whole = planes(backdrops, width: 211)
        LayerCompositor.blend(source: planes(sources, width: 211), onto: whole, mode: mode)
        for i in sources.indices {
            let single = planes([backdrops[i]], width: 1)
            LayerCompositor.blend(source: planes([sources[i]], width: 1), onto: single, mode: mode)
            #expect(bits(single, 0) == bits(whole, i), "seed \(seed), \(mode), pixel \(i)")
        }
    }

    @Test(arguments: BlendMode.allCases)
    func exactValuesSurvive(mode: BlendMode) {
        let seed: UInt64 = 13
        var random = SeededGenerator(seed: seed)
        var (sources, backdrops) = pairs(seed: seed)
        for i in backdrops.indices {
            backdrops[i].alpha = 1
            // A random alpha of all 24 bits, not only of k / 255.
            sources[i].alpha = Double(Float.random(in: 0...1, using: &random))
        }
        let result = planes(backdrops, width: 37)
        LayerCompositor.blend(source: planes(sources, width: 37), onto: result, mode: mode)
        for i in backdrops.indices {
            #expect(result.alpha[i] == 1, "seed \(seed), \(mode): opaque must stay exactly opaque")
            #expect(max(result.red[i], result.green[i], result.blue[i]) <= 1)
            #expect(min(result.red[i], result.green[i], result.blue[i]) >= 0)
        }
    }

    @Test(arguments: BlendMode.allCases)
    func aTransparentSourceChangesNothing(mode: BlendMode) {
        let all = pairs(seed: 14)
        var sources = all.0
        let backdrops = all.1
        // Now and then a visible neighbour, so that the whole group is not simply left out.
        for i in sources.indices where i % 9 != 0 { sources[i].alpha = 0 }
        let before = planes(backdrops, width: 37)
        let after = planes(backdrops, width: 37)
        LayerCompositor.blend(source: planes(sources, width: 37), onto: after, mode: mode)
        for i in backdrops.indices where sources[i].alpha == 0 {
            #expect(bits(after, i) == bits(before, i), "seed 14, \(mode): \(backdrops[i])")
        }
    }

    @Test(arguments: [BlendMode.colorBurn, .colorDodge, .vividLight, .screen])
    func whiteUnderTranslucentWhiteStaysExactlyWhite(mode: BlendMode) {
        var random = SeededGenerator(seed: 15)
        for _ in 0..<500 {
            let source = StraightColor(channels: [1, 1, 1], alpha: Double(Float.random(in: 0...1, using: &random)))
            let backdrop = StraightColor(channels: [1, 1, 1], alpha: Double(Float.random(in: 0...1, using: &random)))
            let result = planes([backdrop], width: 1)
            LayerCompositor.blend(source: planes([source], width: 1), onto: result, mode: mode)
            #expect(result.red[0] == result.alpha[0], "seed 15, \(mode): \(source) onto \(backdrop)")
        }
    }

    // MARK: - Layers

    @Test func maskAndOpacityMultiplyEveryPlane() {
        let (colors, _) = pairs(seed: 16)
        let layer = planes(colors, width: 37)
        let mask = colors.indices.map { Float($0 % 11) / 10 }
        LayerCompositor.applyMaskAndOpacity(layer: layer, mask: mask, opacity: 0.75)
        let original = planes(colors, width: 37)
        for i in colors.indices {
            #expect(layer.red[i] == original.red[i] * (mask[i] * 0.75))
            #expect(layer.alpha[i] == original.alpha[i] * (mask[i] * 0.75))
        }
        LayerCompositor.applyMaskAndOpacity(layer: layer, mask: nil, opacity: 0)
        #expect((0..<layer.count).allSatisfy { layer.alpha[$0] == 0 && layer.green[$0] == 0 })
    }

    @Test(arguments: [RGBA8(red: 200, green: 30, blue: 255), RGBA8(red: 9, green: 90, blue: 0, alpha: 100)])
    func inkCoversWhatIsNotLeft(ink: RGBA8) {
        let (colors, _) = pairs(seed: 17)
        let layer = planes(colors, width: 37)
        let remaining = colors.indices.map { $0 < 64 ? Float(1) : Float($0 % 7) / 6 }
        LayerCompositor.coverWithColor(layer: layer, remaining: remaining, color: ink)
        for (i, color) in colors.enumerated() {
            let alpha = Double(ink.alpha) / 255 * (1 - Double(remaining[i]))
            let wanted = Double(ink.green) / 255 * alpha + color.channels[1] * color.alpha * (1 - alpha)
            #expect(abs(Double(layer.green[i]) - wanted) < 1e-6)
            #expect(abs(Double(layer.alpha[i]) - (alpha + color.alpha * (1 - alpha))) < 1e-6)
        }
    }

    @Test func erasingTakesAlphaAndColourAlike() {
        let (colors, _) = pairs(seed: 18)
        let layer = planes(colors, width: 37)
        let original = planes(colors, width: 37)
        let remaining = colors.indices.map { Float($0 % 5) / 4 }
        LayerCompositor.erase(layer: layer, remaining: remaining)
        for i in colors.indices {
            #expect(layer.blue[i] == original.blue[i] * remaining[i])
            #expect(layer.alpha[i] == original.alpha[i] * remaining[i])
        }
    }

    // MARK: - Material

    /// Random colours of k / 255 mixed with all meetings of the corner values.
    private func pairs(seed: UInt64) -> ([StraightColor], [StraightColor]) {
        var random = SeededGenerator(seed: seed)
        var sources: [StraightColor] = []
        var backdrops: [StraightColor] = []
        let corners = [0, 0.25, 0.5, 1]
        for s in corners {
            for b in corners {
                for a in [0, 0.5, 1] {
                    for ab in [0, 0.5, 1] {
                        sources.append(StraightColor(channels: [s, 1 - s, 0.5], alpha: a))
                        backdrops.append(StraightColor(channels: [b, b, 1 - b], alpha: ab))
                    }
                }
            }
        }
        func level() -> Double { Double(Int.random(in: 0...255, using: &random)) / 255 }
        while sources.count < 37 * 27 {
            let equal = Int.random(in: 0..<8, using: &random) == 0
            let color = [level(), level(), level()]
            sources.append(StraightColor(channels: color, alpha: level()))
            backdrops.append(StraightColor(channels: equal ? color : [level(), level(), level()], alpha: level()))
        }
        return (sources, backdrops)
    }

    private func planes(_ colors: [StraightColor], width: Int) -> FloatPlanes {
        let result = FloatPlanes(width: width, height: colors.count / width)
        for (i, color) in colors.enumerated() {
            let a = Float(color.alpha)
            result.red[i] = Float(color.channels[0]) * a
            result.green[i] = Float(color.channels[1]) * a
            result.blue[i] = Float(color.channels[2]) * a
            result.alpha[i] = a
        }
        return result
    }

    private func bits(_ planes: FloatPlanes, _ i: Int) -> [UInt32] {
        [planes.red[i], planes.green[i], planes.blue[i], planes.alpha[i]].map(\.bitPattern)
    }

    /// Where the choice between two colours hangs on the last bits of the inputs.
    private func isNearTie(_ source: StraightColor, _ backdrop: StraightColor, _ mode: BlendMode) -> Bool {
        let gap = abs(BlendOracle.luminosity(source.channels) - BlendOracle.luminosity(backdrop.channels))
        return (mode == .darkerColor || mode == .lighterColor) && abs(gap - 1 / 1024.0) < 1e-6
    }
}
