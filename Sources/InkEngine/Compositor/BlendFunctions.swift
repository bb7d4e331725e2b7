// The blend functions B(Cb, Cs) of W3C Compositing and Blending Level 1, section 10, and Photoshop's further ones,
// on straight colours in 0...1. All give values in 0...1.

/// B of a mode that treats each channel alone.
protocol SeparableBlend {
    static func mix(backdrop: Lanes, source: Lanes) -> Lanes
}

/// B of any mode.
protocol ColorBlend {
    static func mix(backdrop: LaneColor, source: LaneColor) -> LaneColor
}

/// A separable mode as a mode of whole colours.
enum EachChannel<Blend: SeparableBlend>: ColorBlend {
    @inline(__always)
    static func mix(backdrop: LaneColor, source: LaneColor) -> LaneColor {
        LaneColor(
            Blend.mix(backdrop: backdrop.red, source: source.red),
            Blend.mix(backdrop: backdrop.green, source: source.green),
            Blend.mix(backdrop: backdrop.blue, source: source.blue))
    }
}

private var zero: Lanes { @inline(__always) get { .zero } }
private var one: Lanes { @inline(__always) get { Lanes(repeating: 1) } }
private var half: Lanes { @inline(__always) get { Lanes(repeating: 0.5) } }

/// The functions B, by mode; `normal` and `plus` need none.
enum BlendFunction {
    enum Multiply: SeparableBlend {
        @inline(__always)
        static func mix(backdrop: Lanes, source: Lanes) -> Lanes { backdrop * source }
    }

    enum Screen: SeparableBlend {
        // 1 - (1 - Cb)(1 - Cs) stays in 0...1 in Float, which Cb + Cs - Cb Cs need not.
        @inline(__always)
        static func mix(backdrop: Lanes, source: Lanes) -> Lanes { one - (one - backdrop) * (one - source) }
    }

    enum Overlay: SeparableBlend {
        @inline(__always)
        static func mix(backdrop: Lanes, source: Lanes) -> Lanes { HardLight.mix(backdrop: source, source: backdrop) }
    }

    enum Darken: SeparableBlend {
        @inline(__always)
        static func mix(backdrop: Lanes, source: Lanes) -> Lanes { lesser(backdrop, source) }
    }

    enum Lighten: SeparableBlend {
        @inline(__always)
        static func mix(backdrop: Lanes, source: Lanes) -> Lanes { greater(backdrop, source) }
    }

    enum ColorDodge: SeparableBlend {
        @inline(__always)
        static func mix(backdrop: Lanes, source: Lanes) -> Lanes {
            let room = one - source
            let lit = lesser(backdrop / choose(room .> zero, room, one), one)
            return choose(backdrop .<= zero, zero, choose(room .<= zero, one, lit))
        }
    }

    enum ColorBurn: SeparableBlend {
        @inline(__always)
        static func mix(backdrop: Lanes, source: Lanes) -> Lanes {
            let burnt = one - lesser((one - backdrop) / choose(source .> zero, source, one), one)
            return choose(backdrop .>= one, one, choose(source .<= zero, zero, burnt))
        }
    }

    enum HardLight: SeparableBlend {
        @inline(__always)
        static func mix(backdrop: Lanes, source: Lanes) -> Lanes {
            let twice = source + source
            return choose(
                source .<= half,
                Multiply.mix(backdrop: backdrop, source: twice),
                Screen.mix(backdrop: backdrop, source: twice - one))
        }
    }

    enum SoftLight: SeparableBlend {
        @inline(__always)
        static func mix(backdrop: Lanes, source: Lanes) -> Lanes {
            let tilt = source + source - one
            let darker = backdrop + tilt * backdrop * (one - backdrop)
            let polynomial = ((16 * backdrop - 12) * backdrop + 4) * backdrop
            let curve = choose(backdrop .<= Lanes(repeating: 0.25), polynomial, backdrop.squareRoot())
            let lighter = backdrop + tilt * (curve - backdrop)
            return lesser(greater(choose(source .<= half, darker, lighter), zero), one)
        }
    }

    enum Difference: SeparableBlend {
        @inline(__always)
        static func mix(backdrop: Lanes, source: Lanes) -> Lanes {
            greater(backdrop, source) - lesser(backdrop, source)
        }
    }

    enum Exclusion: SeparableBlend {
        // Cb + Cs - 2 Cb Cs in a form that is exact when either is 0 or 1.
        @inline(__always)
        static func mix(backdrop: Lanes, source: Lanes) -> Lanes {
            backdrop * (one - source) + source * (one - backdrop)
        }
    }

    enum LinearDodge: SeparableBlend {
        @inline(__always)
        static func mix(backdrop: Lanes, source: Lanes) -> Lanes { lesser(backdrop + source, one) }
    }

    enum LinearBurn: SeparableBlend {
        @inline(__always)
        static func mix(backdrop: Lanes, source: Lanes) -> Lanes { greater(backdrop + source - one, zero) }
    }

    enum LinearLight: SeparableBlend {
        @inline(__always)
        static func mix(backdrop: Lanes, source: Lanes) -> Lanes {
            lesser(greater(backdrop + (source + source - one), zero), one)
        }
    }

    enum VividLight: SeparableBlend {
        @inline(__always)
        static func mix(backdrop: Lanes, source: Lanes) -> Lanes {
            let twice = source + source
            return choose(
                source .<= half,
                ColorBurn.mix(backdrop: backdrop, source: twice),
                ColorDodge.mix(backdrop: backdrop, source: twice - one))
        }
    }

    enum PinLight: SeparableBlend {
        @inline(__always)
        static func mix(backdrop: Lanes, source: Lanes) -> Lanes {
            let twice = source + source
            return choose(source .<= half, lesser(backdrop, twice), greater(backdrop, twice - one))
        }
    }

    enum HardMix: SeparableBlend {
        @inline(__always)
        static func mix(backdrop: Lanes, source: Lanes) -> Lanes {
            choose(backdrop + source .>= Lanes(repeating: 1 - 1 / 1024), one, zero)
        }
    }

    enum Subtract: SeparableBlend {
        @inline(__always)
        static func mix(backdrop: Lanes, source: Lanes) -> Lanes { greater(backdrop - source, zero) }
    }

    enum Divide: SeparableBlend {
        @inline(__always)
        static func mix(backdrop: Lanes, source: Lanes) -> Lanes {
            choose(source .<= zero, one, lesser(backdrop / choose(source .> zero, source, one), one))
        }
    }
}
