import InkEngine
import InkReference
import Testing

@Suite("Reference: blending and scaling (spec 5)")
struct ReferenceBlendTests {
    /// Worked by hand from the formulas of W3C section 10.1 and of spec 5.4.
    @Test(
        arguments: [
            (BlendMode.normal, 0.4, 0.7, 0.7), (.multiply, 0.4, 0.7, 0.28), (.screen, 0.4, 0.7, 0.82),
            (.overlay, 0.25, 0.6, 0.3), (.overlay, 0.75, 0.6, 0.8), (.darken, 0.4, 0.7, 0.4), (.lighten, 0.4, 0.7, 0.7),
            (.colorDodge, 0.2, 0.6, 0.5), (.colorDodge, 0, 1, 0), (.colorDodge, 0.1, 1, 1), (.colorBurn, 0.8, 0.5, 0.6),
            (.colorBurn, 1, 0, 1), (.colorBurn, 0.9, 0, 0), (.hardLight, 0.4, 0.25, 0.2), (.hardLight, 0.4, 0.75, 0.7),
            (.softLight, 0.5, 0.25, 0.375), (.softLight, 0.25, 1, 0.5), (.softLight, 0.125, 1, 0.34375),
            (.difference, 0.4, 0.7, 0.3), (.exclusion, 0.4, 0.7, 0.54), (.linearDodge, 0.4, 0.7, 1),
            (.linearDodge, 0.4, 0.5, 0.9), (.linearBurn, 0.4, 0.7, 0.1), (.linearBurn, 0.2, 0.7, 0),
            (.linearLight, 0.4, 0.7, 0.8), (.linearLight, 0.9, 0.7, 1), (.linearLight, 0.1, 0.3, 0),
            (.vividLight, 0.8, 0.25, 0.6), (.vividLight, 0.2, 0.8, 0.5), (.pinLight, 0.6, 0.2, 0.4),
            (.pinLight, 0.2, 0.9, 0.8), (.hardMix, 0.5, 0.5, 1), (.hardMix, 0.5, 0.49, 0), (.subtract, 0.7, 0.4, 0.3),
            (.colorDodge, 0.0009, 1, 0), (.colorDodge, 0.001, 1, 1), (.colorBurn, 0.9991, 0, 1),
            (.colorBurn, 0.999, 0, 0), (.vividLight, 0.0009, 1, 0), (.vividLight, 0.9991, 0, 1),
            (.subtract, 0.4, 0.7, 0), (.divide, 0.2, 0.8, 0.25), (.divide, 0, 0, 0), (.divide, 0.9, 0.3, 1),
            (.divide, 0.0009, 0, 0), (.divide, 0.0009, 0.0009, 0), (.divide, 0.001, 0, 1), (.divide, 0.001, 0.0009, 1),
            (.divide, 0.001, 0.002, 0.5),
        ] as [(BlendMode, Double, Double, Double)])
    func separableModes(mode: BlendMode, backdrop: Double, source: Double, expected: Double) throws {
        #expect(abs(try #require(blendChannel(mode, backdrop, source)) - expected) < 1e-12)
    }

    @Test func nonSeparableModesKeepWhatTheyShould() {
        let cb = StraightColor(0.2, 0.5, 0.4)
        let cs = StraightColor(0.9, 0.6, 0.7)
        for mode in [BlendMode.hue, .saturation, .color] {
            #expect(abs(luminosity(blend(mode, backdrop: cb, source: cs)) - luminosity(cb)) < 1e-12)
        }
        let light = blend(.luminosity, backdrop: cb, source: cs)
        #expect(abs(luminosity(light) - luminosity(cs)) < 1e-12)
        // Lum(Cb) 0.399, Lum(Cs) 0.701: shifted by 0.302, inside the gamut.
        #expect(abs(light.red - 0.502) < 1e-12 && abs(light.green - 0.802) < 1e-12)
        // Gray has no saturation to give or to take a hue from.
        let gray = StraightColor(0.5, 0.5, 0.5)
        let expected = luminosity(cb)
        #expect(abs(blend(.hue, backdrop: cb, source: gray).red - expected) < 1e-12)
        #expect(blend(.darkerColor, backdrop: cb, source: cs) == cb)
        #expect(blend(.lighterColor, backdrop: cb, source: cs) == cs)
        let tie = StraightColor(0.2, 0.5, 0.405)
        #expect(blend(.lighterColor, backdrop: cb, source: tie) == cb)
    }

    /// Black, white and grays, where W3C's ClipColor divides by nothing when noise pushes white above 1.
    @Test(arguments: [BlendMode.hue, .saturation, .color, .luminosity])
    func graysStayColors(mode: BlendMode) {
        for backdrop in 0...20 {
            for source in 0...20 {
                let b = Double(backdrop) / 20
                let s = Double(source) / 20
                let found = blend(mode, backdrop: StraightColor(b, b, b), source: StraightColor(s, s, s))
                let expected = mode == .luminosity ? s : b
                for value in [found.red, found.green, found.blue] { #expect(abs(value - expected) < 1e-12) }
            }
        }
    }

    /// (0, 255, 0) at 1/2 under (0, 0, 255) at 3/4, straight result in steps of 1/255, from the W3C formula; the colours
    /// are those of the Web Platform Tests' 2d.composite.transparent.* (numbers only; BSD 3-Clause).
    @Test(
        arguments: [
            (BlendMode.multiply, 0, 36.43, 109.29), (.screen, 0, 145.71, 218.57), (.overlay, 0, 145.71, 109.29),
            (.darken, 0, 36.43, 109.29), (.lighten, 0, 145.71, 218.57), (.colorDodge, 0, 145.71, 109.29),
            (.colorBurn, 0, 145.71, 109.29), (.softLight, 0, 145.71, 109.29), (.difference, 0, 145.71, 218.57),
            (.exclusion, 0, 145.71, 218.57), (.hue, 58.94, 95.37, 218.57), (.saturation, 0, 145.71, 109.29),
            (.color, 58.94, 95.37, 218.57), (.luminosity, 0, 56.8, 109.29),
        ] as [(BlendMode, Double, Double, Double)])
    func greenUnderBlue(mode: BlendMode, red: Double, green: Double, blue: Double) {
        var pixel = [0, 0.5, 0, 0.5]
        blendLayer([0, 0, 0.75, 0.75], onto: &pixel, mode: mode)
        #expect(abs(pixel[3] - 0.875) < 1e-12)
        for (found, expected) in zip(pixel, [red, green, blue]) {
            #expect(abs(found / pixel[3] * 255 - expected) < 0.006, "\(pixel)")
        }
    }

    @Test(arguments: BlendMode.allCases)
    func generalFormula(mode: BlendMode) {
        // On a transparent backdrop every mode leaves the source; a transparent source leaves the backdrop.
        let source = [0.1, 0.2, 0.3, 0.4]
        var backdrop = [0.0, 0, 0, 0]
        blendLayer(source, onto: &backdrop, mode: mode)
        #expect(zip(backdrop, source).allSatisfy { abs($0 - $1) < 1e-12 })
        blendLayer([0, 0, 0, 0], onto: &backdrop, mode: mode)
        #expect(zip(backdrop, source).allSatisfy { abs($0 - $1) < 1e-12 })
        // Half multiplied onto half: ao = 0.75; co = 0.25 Cs + 0.25 B + 0.25 Cb.
        guard let mixed = blendChannel(mode, 0.8, 0.25) else { return }
        var half = [0.4, 0.4, 0.4, 0.5]
        blendLayer([0.125, 0.125, 0.125, 0.5], onto: &half, mode: mode)
        #expect(abs(half[0] - 0.25 * (0.25 + mixed + 0.8)) < 1e-12)
        #expect(abs(half[3] - 0.75) < 1e-12)
    }

    @Test func plusAddsPremultiplied() {
        var backdrop = [0.4, 0.1, 0, 0.5]
        blendLayer([0.3, 0.7, 0, 0.75], onto: &backdrop, mode: .plus)
        #expect(zip(backdrop, [0.7, 0.8, 0, 1]).allSatisfy { abs($0 - $1) < 1e-12 })
    }

    @Test(arguments: [ReferenceFilter.lanczos3, .triangle], [(7, 3), (3, 7), (5, 5), (1, 9), (40, 1)])
    func aConstantStaysConstant(filter: ReferenceFilter, sizes: (from: Int, to: Int)) {
        let from = PixelSize(width: sizes.from, height: sizes.from)
        let to = PixelSize(width: sizes.to, height: sizes.to)
        let found = resampled(Array(repeating: 0.3, count: from.area), channels: 1, from: from, to: to, filter: filter)
        #expect(found.count == to.area)
        #expect(found.allSatisfy { abs($0 - 0.3) < 1e-12 })
    }

    @Test func triangleHalvesAndDoublesByHand() {
        // Halving: weights 1/8, 3/8, 3/8, 1/8 about the middle of a pair of samples; cut and normalised at the edge.
        let four = resampled(
            [0, 0, 1, 1], channels: 1, from: PixelSize(width: 4, height: 1), to: PixelSize(width: 2, height: 1),
            filter: .triangle)
        #expect(abs(four[0] - 1.0 / 7) < 1e-12 && abs(four[1] - 6.0 / 7) < 1e-12)
        // Doubling: 3/4 of the nearer sample, 1/4 of the other.
        let two = resampled(
            [0, 1], channels: 1, from: PixelSize(width: 2, height: 1), to: PixelSize(width: 4, height: 1),
            filter: .triangle)
        #expect(zip(two, [0, 0.25, 0.75, 1]).allSatisfy { abs($0 - $1) < 1e-12 })
    }

    @Test func lanczosWeightsAreSymmetricAndOvershoot() {
        let (first, weights) = ReferenceFilter.lanczos3.weights(output: 10, sourceSize: 10, outputSize: 20)
        let used = weights.enumerated().filter { abs($0.element) > 1e-12 }.map { $0.offset + first }
        // Output centre 10.5 lies at 5.25 in the source: samples with centres within 3 of it are 2...7.
        #expect(used == Array(2...7))
        #expect(abs(weights.reduce(0, +) - 1) < 1e-12)
        #expect(weights.contains { $0 < 0 })
    }
}
