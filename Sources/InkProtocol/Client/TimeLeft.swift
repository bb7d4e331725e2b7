/// How long something still takes, seconds: the expected time, and an interval that contains the true one 90 times of
/// 100.
public struct TimeLeft: Hashable, Sendable {
    /// The expected time.
    public let seconds: Double
    /// The beginning of the interval; at most `seconds`.
    public let low: Double
    /// The end of the interval; at least `seconds`.
    public let high: Double

    /// The longest time that is reported: 30 years.
    public static let secondsMax = 1e9

    /// - Parameters: put in order, and within 0 to `secondsMax`; a number that is none counts as the most.
    public init(seconds: Double, low: Double, high: Double) {
        func bounded(_ value: Double) -> Double { value.isNaN ? Self.secondsMax : min(max(value, 0), Self.secondsMax) }
        self.seconds = bounded(seconds)
        self.low = min(bounded(low), self.seconds)
        self.high = max(bounded(high), self.seconds)
    }

    /// This estimate when so many seconds have passed and nothing more is known.
    public func after(seconds passed: Double) -> TimeLeft {
        TimeLeft(seconds: seconds - passed, low: low - passed, high: high - passed)
    }

    /// Until both have ended.
    public func joined(_ other: TimeLeft) -> TimeLeft {
        TimeLeft(seconds: max(seconds, other.seconds), low: max(low, other.low), high: max(high, other.high))
    }

    /// One after the other. Their errors may have one cause, and so add up.
    public static func + (first: TimeLeft, second: TimeLeft) -> TimeLeft {
        TimeLeft(
            seconds: first.seconds + second.seconds, low: first.low + second.low, high: first.high + second.high)
    }
}

extension TimeLeft: WireValue {
    /// Milliseconds on the wire.
    package init(from reader: inout ByteReader) throws(ProtocolError) {
        let range = 0...Int(Self.secondsMax * 1000)
        let expected = try reader.integer("time left", in: range)
        let low = try reader.integer("least time left", in: 0...expected)
        let high = try reader.integer("most time left", in: expected...range.upperBound)
        self.init(seconds: Double(expected) / 1000, low: Double(low) / 1000, high: Double(high) / 1000)
    }

    package func write(to writer: inout ByteWriter) {
        for seconds in [seconds, low, high] { writer.integer(Int((seconds * 1000).rounded())) }
    }
}
