extension PNGStream {
    /// A text that a picture carries (PNG specification, 11.3.3).
    public struct TextEntry: Hashable, Sendable {
        /// The keywords that are written, of those the specification registers.
        public enum Keyword: String, Hashable, Sendable, CaseIterable {
            case title = "Title"
            case software = "Software"
            case author = "Author"
            case copyright = "Copyright"
            /// RFC 1123 or ISO 8601, as the project has it.
            case creationTime = "Creation Time"
        }

        public var keyword: Keyword
        /// Any text; what is written is `cleanedText`.
        public var text: String

        public init(_ keyword: Keyword, _ text: String) {
            self.keyword = keyword
            self.text = text
        }

        /// The longest text that is written, bytes of UTF-8. Readers refuse texts far above it.
        public static let byteCountMax = 32_768

        /// The text as it is written: line ends are LF, other control characters (NUL among them, which would end the
        /// text) are left out, and it is cut at `byteCountMax`.
        var cleanedText: String {
            var cleaned = String.UnicodeScalarView()
            var byteCount = 0
            var previous: Unicode.Scalar?
            for scalar in text.unicodeScalars {
                defer { previous = scalar }
                var written = scalar
                if scalar == "\r" { written = "\n" } else if scalar == "\n", previous == "\r" { continue }
                guard written == "\n" || written == "\t" || written.properties.generalCategory != .control else {
                    continue
                }
                byteCount += UTF8.width(written)
                guard byteCount <= TextEntry.byteCountMax else { break }
                cleaned.append(written)
            }
            return String(cleaned)
        }

        /// `tEXt` when Latin-1 can say it, else `iTXt`, uncompressed; nothing when no text is left.
        var chunk: [UInt8] {
            let text = cleanedText
            guard !text.isEmpty else { return [] }
            let key = Array(keyword.rawValue.utf8)
            // Tabs are not among the characters that the specification gives tEXt.
            if text.unicodeScalars.allSatisfy({ $0.value < 256 && $0 != "\t" }) {
                return PNGStream.chunk("tEXt", key + [0] + text.unicodeScalars.map { UInt8($0.value) })
            }
            // Not compressed, method 0, no language, no translated keyword.
            return PNGStream.chunk("iTXt", key + [0, 0, 0, 0, 0] + Array(text.utf8))
        }
    }
}
