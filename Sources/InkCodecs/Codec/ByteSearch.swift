import CSystem

extension ArraySlice<UInt8> {
    /// Whether these bytes contain those of a text. Every document is asked for many words: searching strings for
    /// characters would take longer than reading a small project.
    package func holds(_ text: String) -> Bool {
        var text = text
        return withUnsafeBytes { bytes in
            text.withUTF8 { wanted in
                guard let start = bytes.baseAddress, let word = wanted.baseAddress else { return wanted.isEmpty }
                return ink_holds(start, UInt(bytes.count), word, UInt(wanted.count))
            }
        }
    }
}

extension [UInt8] {
    package func holds(_ text: String) -> Bool { self[...].holds(text) }
}
