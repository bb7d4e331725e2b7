package import InkProtocol

/// Numbers for people.
package enum Shown {
    /// A value with this number of decimals, rounded to nearest.
    package static func decimal(_ value: Double, places: Int) -> String {
        guard value.isFinite, abs(value) < 1e15 else { return value.isFinite ? "huge" : "-" }
        var scale = 1.0
        for _ in 0..<places { scale *= 10 }
        let units = Int((abs(value) * scale).rounded())
        let sign = value < 0 && units > 0 ? "-" : ""
        guard places > 0 else { return sign + String(units) }
        let fraction = String(units % Int(scale))
        return sign + String(units / Int(scale)) + "." + String(repeating: "0", count: places - fraction.count)
            + fraction
    }

    /// Without `.0`: `300`, `0.5`.
    package static func plain(_ value: Double) -> String {
        value == value.rounded() && value.magnitude < 1e15 ? String(Int(value)) : String(value)
    }

    /// `850 ms`, `3.2 s`, `4:05`, `2:10:07`.
    package static func duration(milliseconds: Double) -> String {
        guard milliseconds.isFinite, milliseconds < 1e12 else { return "-" }
        if milliseconds < 1000 { return "\(decimal(max(0, milliseconds), places: 0)) ms" }
        if milliseconds < 60_000 { return "\(decimal(milliseconds / 1000, places: 1)) s" }
        let seconds = Int((milliseconds / 1000).rounded())
        func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
        let minutes = seconds / 60
        return minutes < 60
            ? "\(minutes):\(two(seconds % 60))" : "\(minutes / 60):\(two(minutes % 60)):\(two(seconds % 60))"
    }

    /// `about 12 s`; `8 to 20 s` where less is known, `up to 3 s`.
    package static func time(_ time: TimeLeft) -> String {
        if time.high < 1 { return "less than 1 s" }
        if time.high <= 1.5 * time.low + 1 { return "about \(rounded(seconds: max(1, time.seconds)))" }
        let high = rounded(seconds: time.high)
        if time.low < 1 { return "up to \(high)" }
        let low = rounded(seconds: time.low)
        let isSameUnit = low.hasSuffix(" s") && high.hasSuffix(" s")
        return "\(isSameUnit ? String(low.dropLast(2)) : low) to \(high)"
    }

    /// To the second, and no finer than such an estimate can be: `12 s`, `4:10`, `2:10:00`.
    private static func rounded(seconds: Double) -> String {
        let step = seconds < 60 ? 1.0 : seconds < 600 ? 5 : seconds < 3600 ? 30 : 300
        let steps = (seconds / step).rounded() * step
        return steps < 60 ? "\(decimal(steps, places: 0)) s" : duration(milliseconds: steps * 1000)
    }

    /// `920 pixels/s`, `3.4 kpixels/s`, `12.1 Mpixels/s`.
    package static func scaled(_ value: Double, unit: String) -> String {
        for (factor, prefix) in [(1e9, "G"), (1e6, "M"), (1e3, "k")] where value >= factor {
            return "\(decimal(value / factor, places: 1)) \(prefix)\(unit)"
        }
        return "\(decimal(value, places: 0)) \(unit)"
    }
}
