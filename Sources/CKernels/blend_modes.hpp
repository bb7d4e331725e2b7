// The blend functions of W3C Compositing and Blending Level 1, section 10, and the further ones of Photoshop.
//
// Most return as ab B(Cb, Cs), the mixed part of the general formula. They compute it directly from premultiplied
// colours, without the divisions that B itself needs. The result is at most the rounded as ab, and equals it where B is
// 1. Therefore no colour exceeds its alpha, and white stays exactly white.
#pragma once

#include "blend_lanes.hpp"

namespace INK_LEVEL::blend {
namespace {

/// A channel of backdrop and source, premultiplied; both alphas and their product.
struct channels {
    lanes b, ab, s, as, both;
};

/// c / alpha, at most 1; 0 for no alpha.
INK_INLINE lanes straight(lanes c, lanes alpha) { return lesser(c / (alpha > 0 ? alpha : 1), 1); }

struct Multiply {
    INK_INLINE lanes mix(channels c) { return c.b * c.s; }
};

struct Screen {
    INK_INLINE lanes mix(channels c) { return c.both - (c.ab - c.b) * (c.as - c.s); }
};

struct Overlay {
    INK_INLINE lanes mix(channels c) {
        lanes twice = c.b + c.b;
        lanes room = c.ab - c.b;
        return twice <= c.ab ? twice * c.s : c.both - (room + room) * (c.as - c.s);
    }
};

struct HardLight {
    INK_INLINE lanes mix(channels c) {
        lanes twice = c.s + c.s;
        lanes room = c.as - c.s;
        return twice <= c.as ? c.b * twice : c.both - (c.ab - c.b) * (room + room);
    }
};

struct Darken {
    INK_INLINE lanes mix(channels c) { return lesser(c.b * c.as, c.s * c.ab); }
};

struct Lighten {
    INK_INLINE lanes mix(channels c) { return greater(c.b * c.as, c.s * c.ab); }
};

/// as min(ab, part as / whole), for a whole above 0.
INK_INLINE lanes share(channels c, lanes part, lanes whole) { return c.as * lesser(part * c.as / whole, c.ab); }

/// Colours of the backdrop that are nearer than this to black or white count as such where a mode jumps there.
constexpr float tie = 1.0f / 1024.0f;

struct ColorDodge {
    INK_INLINE lanes mix(channels c) {
        lanes room = c.as - c.s;
        lanes lit = share(c, c.b, room > 0 ? room : 1);
        return c.b <= c.ab * tie ? 0 : room <= 0 ? c.both : lit;
    }
};

struct ColorBurn {
    INK_INLINE lanes mix(channels c) {
        lanes room = c.ab - c.b;
        lanes burnt = c.both - share(c, room, c.s > 0 ? c.s : 1);
        return room <= c.ab * tie ? c.both : c.s <= 0 ? 0 : burnt;
    }
};

struct VividLight {
    INK_INLINE lanes mix(channels c) {
        lanes twice = c.s + c.s;
        lanes above = c.as - c.s;
        mask_lanes burns = twice <= c.as;
        lanes part = burns ? c.ab - c.b : c.b;
        lanes whole = burns ? twice : above + above;
        lanes result = share(c, part, whole > 0 ? whole : 1);
        // If the part is 0 the channel does not change; if the whole is 0 it changes completely.
        result = part <= c.ab * tie ? 0 : whole <= 0 ? c.both : result;
        return burns ? c.both - result : result;
    }
};

struct Divide {
    INK_INLINE lanes mix(channels c) {
        lanes quotient = share(c, c.b, c.s > 0 ? c.s : 1);
        return c.b <= c.ab * tie ? 0 : c.s <= c.as * tie ? c.both : quotient;
    }
};

struct SoftLight {
    INK_INLINE lanes mix(channels c) {
        lanes b = straight(c.b, c.ab);
        lanes tilt = c.s + c.s - c.as;
        lanes way = b * (1 - b);
        if (any(tilt > 0)) {
            lanes polynomial = ((16 * b - 12) * b + 4) * b;
            lanes curve = b <= 0.25f ? polynomial : __builtin_elementwise_sqrt(b);
            way = tilt > 0 ? curve - b : way;
        }
        return lesser(greater(c.b * c.as + tilt * c.ab * way, 0), c.both);
    }
};

struct Difference {
    INK_INLINE lanes mix(channels c) {
        lanes b = c.b * c.as;
        lanes s = c.s * c.ab;
        return greater(b, s) - lesser(b, s);
    }
};

struct Exclusion {
    INK_INLINE lanes mix(channels c) { return lesser(c.b * (c.as - c.s) + c.s * (c.ab - c.b), c.both); }
};

struct LinearDodge {
    INK_INLINE lanes mix(channels c) { return lesser(c.b * c.as + c.s * c.ab, c.both); }
};

struct LinearBurn {
    // Computed from the complements, so that white on white is exactly white.
    INK_INLINE lanes mix(channels c) { return greater(c.b * c.as - (c.as - c.s) * c.ab, 0); }
};

struct LinearLight {
    INK_INLINE lanes mix(channels c) {
        return lesser(greater(c.b * c.as + (c.s + c.s - c.as) * c.ab, 0), c.both);
    }
};

struct PinLight {
    INK_INLINE lanes mix(channels c) {
        lanes b = c.b * c.as;
        lanes twice = c.s + c.s;
        return twice <= c.as ? lesser(b, twice * c.ab) : greater(b, (twice - c.as) * c.ab);
    }
};

struct HardMix {
    INK_INLINE lanes mix(channels c) {
        return c.b * c.as + c.s * c.ab >= c.both * (1.0f - 1.0f / 1024.0f) ? c.both : 0;
    }
};

struct Subtract {
    INK_INLINE lanes mix(channels c) { return greater(c.b * c.as - c.s * c.ab, 0); }
};

/// Lum of section 10.2.
INK_INLINE lanes luminosity(colors c) { return 0.3f * c.red + 0.59f * c.green + 0.11f * c.blue; }

INK_INLINE lanes least(colors c) { return lesser(lesser(c.red, c.green), c.blue); }

INK_INLINE lanes most(colors c) { return greater(greater(c.red, c.green), c.blue); }

/// Sat of section 10.2.
INK_INLINE lanes saturation(colors c) { return most(c) - least(c); }

/// SetSat of section 10.2. Its sorting by channel is one linear map, which takes the least channel to 0 and the
/// greatest to `saturation`. Returns black for a gray.
INK_INLINE colors with_saturation(colors c, lanes saturation) {
    lanes low = least(c);
    lanes range = most(c) - low;
    lanes divisor = range > 0 ? range : 1;
    return {
        (c.red - low) * saturation / divisor,
        (c.green - low) * saturation / divisor,
        (c.blue - low) * saturation / divisor,
    };
}

struct clipping {
    lanes middle, low_divisor, high_divisor;
    mask_lanes is_low, is_high;
};

/// ClipColor of section 10.2 for one channel.
INK_INLINE lanes clipped(lanes channel, clipping c) {
    lanes raised = c.is_low ? c.middle + (channel - c.middle) * c.middle / c.low_divisor : channel;
    lanes lowered = c.is_high ? c.middle + (raised - c.middle) * (1 - c.middle) / c.high_divisor : raised;
    // Anything outside 0...1 is rounding error.
    return lesser(greater(lowered, 0), 1);
}

/// SetLum of section 10.2.
INK_INLINE colors with_luminosity(colors c, lanes wanted) {
    lanes shift = wanted - luminosity(c);
    colors moved = {c.red + shift, c.green + shift, c.blue + shift};
    lanes middle = luminosity(moved);
    lanes low = least(moved);
    lanes high = most(moved);
    // The channels of a gray are equal except for rounding, and only rounding takes them below 0 or above 1.
    clipping clip = {
        middle, middle > low ? middle - low : 1, high > middle ? high - middle : 1, low < 0, high > 1};
    return {clipped(moved.red, clip), clipped(moved.green, clip), clipped(moved.blue, clip)};
}

struct Hue {
    INK_INLINE colors mix(colors b, colors s) {
        return with_luminosity(with_saturation(s, saturation(b)), luminosity(b));
    }
};

struct Saturation {
    INK_INLINE colors mix(colors b, colors s) {
        return with_luminosity(with_saturation(b, saturation(s)), luminosity(b));
    }
};

struct Color {
    INK_INLINE colors mix(colors b, colors s) { return with_luminosity(s, luminosity(b)); }
};

struct Luminosity {
    INK_INLINE colors mix(colors b, colors s) { return with_luminosity(b, luminosity(s)); }
};

/// Two luminosities closer than this count as equal, and the backdrop stays: rounding must not choose between colours.
constexpr float luminosity_tie = 1.0f / 1024.0f;

INK_INLINE colors pick(mask_lanes condition, colors a, colors b) {
    return {condition ? a.red : b.red, condition ? a.green : b.green, condition ? a.blue : b.blue};
}

struct DarkerColor {
    INK_INLINE colors mix(colors b, colors s) {
        return pick(luminosity(b) - luminosity(s) >= luminosity_tie, s, b);
    }
};

struct LighterColor {
    INK_INLINE colors mix(colors b, colors s) {
        return pick(luminosity(s) - luminosity(b) >= luminosity_tie, s, b);
    }
};

}  // namespace
}  // namespace INK_LEVEL::blend
