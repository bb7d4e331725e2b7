/// Eight pixels of one plane at a time.
///
/// Explicit vectors rather than loops left to the optimizer: eight planes that might overlap defeat it. Every
/// operation used is one that IEEE 754 rounds correctly, lane by lane, so the width of the processor's registers
/// does not show in the result.
typealias Lanes = SIMD8<Float>

/// The lanes' width in pixels.
let laneCount = 8

extension Lanes {
    /// Loads up to eight values; the lanes from `count` on are 0.
    @inline(__always)
    static func load(_ source: UnsafePointer<Float>, count: Int) -> Lanes {
        if count >= laneCount { return UnsafeRawPointer(source).loadUnaligned(as: Lanes.self) }
        var lanes = Lanes.zero
        for lane in 0..<count { lanes[lane] = source[lane] }
        return lanes
    }

    /// Stores the first `count` lanes, at most eight.
    @inline(__always)
    func store(_ target: UnsafeMutablePointer<Float>, count: Int) {
        if count >= laneCount {
            UnsafeMutableRawPointer(target).storeBytes(of: self, as: Lanes.self)
        } else {
            for lane in 0..<count { target[lane] = self[lane] }
        }
    }

    /// Whether every lane has the bits of `value`, which must not be zero of the other sign.
    @inline(__always)
    func isEverywhere(_ value: Float) -> Bool {
        let difference = unsafeBitCast(self, to: SIMD8<UInt32>.self) ^ SIMD8<UInt32>(repeating: value.bitPattern)
        let words = unsafeBitCast(difference, to: SIMD4<UInt64>.self)
        return words[0] | words[1] | words[2] | words[3] == 0
    }
}

/// The lesser in each lane. The standard library's `pointwiseMin` stays an outlined call; this becomes one instruction.
@inline(__always)
func lesser(_ a: Lanes, _ b: Lanes) -> Lanes { a.replacing(with: b, where: b .< a) }

/// The greater in each lane.
@inline(__always)
func greater(_ a: Lanes, _ b: Lanes) -> Lanes { a.replacing(with: b, where: b .> a) }

/// `a` where the condition holds, `b` elsewhere.
@inline(__always)
func choose(_ condition: SIMDMask<SIMD8<Int32>>, _ a: Lanes, _ b: Lanes) -> Lanes {
    b.replacing(with: a, where: condition)
}

/// Three colour channels of eight pixels.
struct LaneColor {
    var red: Lanes
    var green: Lanes
    var blue: Lanes

    @inline(__always)
    init(_ red: Lanes, _ green: Lanes, _ blue: Lanes) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    /// Straight colour from premultiplied; 0 where alpha is 0, never above 1. A channel equal to alpha gives exactly 1.
    @inline(__always)
    func straight(alpha: Lanes) -> LaneColor {
        // A division by 1 changes nothing, so leaving it out does not either.
        if alpha.isEverywhere(1) { return self }
        let divisor = choose(alpha .> 0, alpha, Lanes(repeating: 1))
        let one = Lanes(repeating: 1)
        return LaneColor(lesser(red / divisor, one), lesser(green / divisor, one), lesser(blue / divisor, one))
    }
}
