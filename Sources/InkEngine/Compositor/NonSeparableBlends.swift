// The modes of W3C Compositing and Blending Level 1, section 10.2, and Photoshop's two that choose a whole colour.

extension LaneColor {
    /// Lum of section 10.2.
    @inline(__always)
    fileprivate var luminosity: Lanes { 0.3 * red + 0.59 * green + 0.11 * blue }

    @inline(__always)
    fileprivate var least: Lanes { lesser(lesser(red, green), blue) }

    @inline(__always)
    fileprivate var most: Lanes { greater(greater(red, green), blue) }

    /// Sat of section 10.2.
    @inline(__always)
    fileprivate var saturation: Lanes { most - least }

    /// SetSat of section 10.2: its sorting by channel is the one linear map of the least to 0 and the most to
    /// `saturation`. Black for a gray.
    @inline(__always)
    fileprivate func withSaturation(_ saturation: Lanes) -> LaneColor {
        let low = least
        let range = most - low
        let divisor = choose(range .> .zero, range, Lanes(repeating: 1))
        return LaneColor(
            (red - low) * saturation / divisor,
            (green - low) * saturation / divisor,
            (blue - low) * saturation / divisor)
    }

    /// SetLum of section 10.2, with its ClipColor.
    @inline(__always)
    fileprivate func withLuminosity(_ luminosity: Lanes) -> LaneColor {
        let shift = luminosity - self.luminosity
        return LaneColor(red + shift, green + shift, blue + shift).clipped
    }

    /// ClipColor of section 10.2.
    @inline(__always)
    private var clipped: LaneColor {
        let one = Lanes(repeating: 1)
        let middle = luminosity
        let low = least
        let high = most
        let isLow = low .< .zero
        let isHigh = high .> one
        let lowDivisor = choose(isLow, middle - low, one)
        let highDivisor = choose(isHigh, high - middle, one)
        @inline(__always)
        func clip(_ channel: Lanes) -> Lanes {
            let raised = choose(isLow, middle + (channel - middle) * middle / lowDivisor, channel)
            let lowered = choose(isHigh, middle + (raised - middle) * (one - middle) / highDivisor, raised)
            // What is left outside is rounding error.
            return lesser(greater(lowered, .zero), one)
        }
        return LaneColor(clip(red), clip(green), clip(blue))
    }

    @inline(__always)
    fileprivate static func pick(
        _ condition: SIMDMask<SIMD8<Int32>>, _ a: LaneColor, _ b: LaneColor
    ) -> LaneColor {
        LaneColor(
            choose(condition, a.red, b.red),
            choose(condition, a.green, b.green),
            choose(condition, a.blue, b.blue))
    }
}

/// Luminosities nearer than this are a tie, which keeps the backdrop: rounding must not choose between colours.
private var luminosityTie: Lanes { @inline(__always) get { Lanes(repeating: 1 / 1024) } }

extension BlendFunction {
    enum Hue: ColorBlend {
        @inline(__always)
        static func mix(backdrop: LaneColor, source: LaneColor) -> LaneColor {
            source.withSaturation(backdrop.saturation).withLuminosity(backdrop.luminosity)
        }
    }

    enum Saturation: ColorBlend {
        @inline(__always)
        static func mix(backdrop: LaneColor, source: LaneColor) -> LaneColor {
            backdrop.withSaturation(source.saturation).withLuminosity(backdrop.luminosity)
        }
    }

    enum Color: ColorBlend {
        @inline(__always)
        static func mix(backdrop: LaneColor, source: LaneColor) -> LaneColor {
            source.withLuminosity(backdrop.luminosity)
        }
    }

    enum Luminosity: ColorBlend {
        @inline(__always)
        static func mix(backdrop: LaneColor, source: LaneColor) -> LaneColor {
            backdrop.withLuminosity(source.luminosity)
        }
    }

    enum DarkerColor: ColorBlend {
        @inline(__always)
        static func mix(backdrop: LaneColor, source: LaneColor) -> LaneColor {
            .pick(backdrop.luminosity - source.luminosity .>= luminosityTie, source, backdrop)
        }
    }

    enum LighterColor: ColorBlend {
        @inline(__always)
        static func mix(backdrop: LaneColor, source: LaneColor) -> LaneColor {
            .pick(source.luminosity - backdrop.luminosity .>= luminosityTie, source, backdrop)
        }
    }
}
