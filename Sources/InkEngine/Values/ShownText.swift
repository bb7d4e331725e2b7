/// Text from a file for a one-line message: control characters replaced, cut at `limit` characters.
package func shownText(_ text: some StringProtocol, limit: Int = 60) -> String {
    var shown = ""
    var count = 0
    for scalar in text.unicodeScalars {
        if count == limit { return shown + "..." }
        count += 1
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: shown += "\u{FFFD}"
        default: shown.unicodeScalars.append(scalar)
        }
    }
    return shown
}

/// A number for messages: `2048`, not `2048.0`.
package func shownNumber(_ value: Double) -> String {
    if let integer = Int64(exactly: value), abs(integer) < 1 << 53 { return "\(integer)" }
    return "\(value)"
}
