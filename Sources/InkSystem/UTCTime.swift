/// Times as text: milliseconds since 1970, UTC.
package enum UTCTime {
    /// `2026-11-20T10:20:30.123Z` (RFC 3339).
    package static func text(unixMilliseconds milliseconds: Int64) -> String {
        let days = milliseconds.flooredQuotient(86_400_000)
        let rest = milliseconds - days * 86_400_000
        let (year, month, day) = date(days)
        func digits(_ value: Int64, _ count: Int) -> String {
            let text = String(value)
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
        return "\(digits(year, 4))-\(digits(month, 2))-\(digits(day, 2))T\(digits(rest / 3_600_000, 2)):"
            + "\(digits(rest / 60_000 % 60, 2)):\(digits(rest / 1000 % 60, 2)).\(digits(rest % 1000, 3))Z"
    }

    /// The Gregorian date this number of days after 1970-01-01, by eras of 400 years that begin in March.
    private static func date(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let era = shifted.flooredQuotient(146_097)
        let ofEra = shifted - era * 146_097
        let yearOfEra = (ofEra - ofEra / 1460 + ofEra / 36_524 - ofEra / 146_096) / 365
        let ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * ofYear + 2) / 153
        let day = ofYear - (153 * monthFromMarch + 2) / 5 + 1
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }
}

extension Int64 {
    fileprivate func flooredQuotient(_ divisor: Int64) -> Int64 {
        let quotient = self / divisor
        return self % divisor < 0 ? quotient - 1 : quotient
    }
}
