/// Random numbers of a seed (SplitMix64), the same on every machine: whole-number arithmetic, and of the operations on
/// doubles only those that IEEE 754 rounds in one way.
struct SceneNumbers: Sendable {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Evenly spread, `range.lowerBound` included, the other end not.
    mutating func number(in range: Range<Double>) -> Double {
        let unit = Double(next() >> 11) * 0x1p-53
        return range.lowerBound + unit * (range.upperBound - range.lowerBound)
    }

    /// Evenly spread but for a bias of range/2^64.
    mutating func integer(in range: ClosedRange<Int>) -> Int {
        range.lowerBound + Int(next() % UInt64(range.count))
    }

    /// One of `values`, with chances in proportion to `weights`.
    mutating func choice<Value>(_ values: [(value: Value, weight: Int)]) -> Value {
        var left = integer(in: 0...(values.reduce(0) { $0 + $1.weight } - 1))
        for (value, weight) in values.dropLast() {
            if left < weight { return value }
            left -= weight
        }
        return values[values.count - 1].value
    }

    /// Returns the values in another order (Fisher and Yates).
    mutating func shuffled<Value>(_ values: [Value]) -> [Value] {
        var values = values
        for last in values.indices.dropFirst().reversed() { values.swapAt(last, integer(in: 0...last)) }
        return values
    }
}
