extension String {
    /// As content of an XML element or value of an attribute. What XML 1.0 has no form for is left out.
    var xmlEscaped: String {
        var escaped = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            // In attributes they would become spaces.
            case "\t", "\n", "\r": escaped += "&#\(scalar.value);"
            case _ where scalar.value < 0x20 || scalar.value & 0xFFFE == 0xFFFE || scalar.value == 0x7F: continue
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    /// As content of an XML element: line ends stay readable.
    var xmlContent: String {
        split(separator: "\n", omittingEmptySubsequences: false).map { String($0).xmlEscaped }.joined(separator: "\n")
    }
}
