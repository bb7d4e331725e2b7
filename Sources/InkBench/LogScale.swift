import Glibc

/// Places of times on a logarithmic axis.
struct LogScale: Hashable, Sendable {
    /// Milliseconds at both ends, and where these are.
    let domain: ClosedRange<Double>
    let range: ClosedRange<Double>

    /// An axis that holds all values, from the 1, 2 or 5 of a decade on.
    init(holding values: [Double], range: ClosedRange<Double>) {
        let values = values.filter { $0 > 0 && $0.isFinite }
        let least = (values.min() ?? 1) * 0.7
        let most = max((values.max() ?? 1000) * 1.15, least * 10)
        domain = (Self.steps(from: least / 10, to: least).last ?? least)...most
        self.range = range
    }

    /// The position of a time, clamped to the ends.
    func place(_ value: Double) -> Double {
        let share = log(max(value, domain.lowerBound) / domain.lowerBound) / log(domain.upperBound / domain.lowerBound)
        return range.lowerBound + min(1, share) * (range.upperBound - range.lowerBound)
    }

    /// The round times on the axis: 1, 2 and 5 of each decade, or, when it is long, where it begins and each 1 that is not near.
    var ticks: [Double] {
        let all = Self.steps(from: domain.lowerBound, to: domain.upperBound)
        return all.count <= 8
            ? all : all.filter { $0 == all.first || Self.isDecade($0) && $0 >= 4 * domain.lowerBound }
    }

    private static func isDecade(_ value: Double) -> Bool {
        let exponent = log10(value)
        return abs(exponent - exponent.rounded()) < 0.01
    }

    private static func steps(from low: Double, to high: Double) -> [Double] {
        let first = Int(log10(low).rounded(.down))
        let last = max(first, Int(log10(high).rounded(.up)))
        let all = (first...last).flatMap { (exponent: Int) -> [Double] in
            let decade = pow(10, Double(exponent))
            return [decade, 2 * decade, 5 * decade]
        }
        return all.filter { $0 >= low * 0.999 && $0 <= high * 1.001 }
    }
}
