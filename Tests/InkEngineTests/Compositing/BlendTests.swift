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
        LayerCompositor().blend(source, mode: mode, onto: result)
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
        LayerCompositor().blend(planes(sources, width: 211), mode: mode, onto: whole)
        for i in sources.indices {
            let single = planes([backdrops[i]], width: 1)
            LayerCompositor().blend(planes([sources[i]], width: 1), mode: mode, onto: single)
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
        LayerCompositor().blend(planes(sources, width: 37), mode: mode, onto: result)
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
        LayerCompositor().blend(planes(sources, width: 37), mode: mode, onto: after)
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
            LayerCompositor().blend(planes([source], width: 1), mode: mode, onto: result)
            #expect(result.red[0] == result.alpha[0], "seed 15, \(mode): \(source) onto \(backdrop)")
        }
    }

    // MARK: - Layers

    @Test(arguments: BlendMode.allCases)
    func maskAndOpacityMultiplyTheLayer(mode: BlendMode) {
        let (sources, backdrops) = pairs(seed: 16)
        let mask = sources.indices.map { Float($0 % 11) / 10 }
        let layer = planes(sources, width: 37)
        let result = planes(backdrops, width: 37)
        LayerCompositor().blend(layer, mask: mask, opacity: 0.75, mode: mode, onto: result)
        for i in sources.indices {
            layer.red[i] *= mask[i] * 0.75
            layer.green[i] *= mask[i] * 0.75
            layer.blue[i] *= mask[i] * 0.75
            layer.alpha[i] *= mask[i] * 0.75
        }
        let wanted = planes(backdrops, width: 37)
        LayerCompositor().blend(layer, mode: mode, onto: wanted)
        for i in sources.indices { #expect(bits(result, i) == bits(wanted, i), "seed 16, \(mode), pixel \(i)") }
    }

    @Test(arguments: BlendMode.allCases)
    func anOpaqueBackdropGivesTheSameColours(mode: BlendMode) {
        var (sources, backdrops) = pairs(seed: 17)
        for i in backdrops.indices { backdrops[i].alpha = 1 }
        var random = SeededGenerator(seed: 17)
        sources.shuffle(using: &random)
        let wanted = planes(backdrops, width: 37)
        LayerCompositor().blend(planes(sources, width: 37), opacity: 0.9, mode: mode, onto: wanted)
        let result = planes(backdrops, width: 37)
        for i in 0..<result.count { result.alpha[i] = .nan }
        LayerCompositor().blend(planes(sources, width: 37), opacity: 0.9, mode: mode, onto: result, isOpaque: true)
        for i in backdrops.indices {
            #expect(bits(result, i).dropLast() == bits(wanted, i).dropLast(), "seed 17, \(mode), pixel \(i)")
            #expect(result.alpha[i].isNaN && wanted.alpha[i] == 1)
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
