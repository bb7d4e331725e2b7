import InkEngine

/// A text in a picture. Its keywords are those of PNG (PNG specification, 11.3.3).
public struct PictureText: Hashable, Sendable {
    /// The keywords that are written, a subset of the registered ones.
    public enum Keyword: String, Hashable, Sendable, CaseIterable {
        case title = "Title"
        case software = "Software"
        case author = "Author"
        case copyright = "Copyright"
        /// RFC 1123 or ISO 8601, as in the project.
        case creationTime = "Creation Time"
    }

    public var keyword: Keyword
    /// Any text; `cleanedText` is written.
    public var text: String

    public init(_ keyword: Keyword, _ text: String) {
        self.keyword = keyword
        self.text = text
    }

    /// Maximum length of a written text, bytes of UTF-8. Readers refuse texts far longer.
    public static let byteCountMax = 32_768

    /// The text as it is written: line ends become LF, other control characters (such as NUL, which would end the text)
    /// are removed, and the text is cut at `byteCountMax`.
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

    /// The texts for an export of `project`, without empty values.
    ///
    /// - Parameters:
    ///   - project: provides title, author, licence and date.
    ///   - software: the program's name and version.
    ///   - kinds: what is written.
    static func entries(of project: Project, software: String, keeping kinds: MetadataKinds) -> [PictureText] {
        let values: [(Keyword, String?)] = [
            (.title, project.name), (.software, software), (.author, project.metadata.author),
            (.copyright, project.metadata.license), (.creationTime, project.createdAt),
        ]
        return values.compactMap { keyword, text in
            guard let text, !text.isEmpty, keyword.kind.map(kinds.contains) ?? true else { return nil }
            return PictureText(keyword, text)
        }
    }
}
