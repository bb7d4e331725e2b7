/// A text that a picture carries. Its keywords are those of PNG (PNG specification, 11.3.3).
public struct PictureText: Hashable, Sendable {
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
            guard byteCount <= PictureText.byteCountMax else { break }
            cleaned.append(written)
        }
        return String(cleaned)
    }

    /// What an export of `project` says; empty values are left out.
    ///
    /// - Parameters:
    ///   - project: whose title, author, licence and date it is.
    ///   - software: the program's name and version.
    public static func entries(of project: Project, software: String) -> [PictureText] {
        let values: [(Keyword, String?)] = [
            (.title, project.name), (.software, software), (.author, project.metadata.author),
            (.copyright, project.metadata.license), (.creationTime, project.createdAt),
        ]
        return values.compactMap { keyword, text in
            guard let text, !text.isEmpty else { return nil }
            return PictureText(keyword, text)
        }
    }
}
