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

extension PictureOptions {
    /// What is written into a file of a picture apart from its pixels.
    ///
    /// - Parameters:
    ///   - project: what the picture shows.
    ///   - output: the picture's size in pixels.
    ///   - software: the program's name and version.
    ///   - digest: of this file.
    public func description(
        of project: Project, output: PixelSize, software: String, digest: [UInt8]?
    ) -> PictureDescription {
        var description = PictureDescription(
            text: hasMetadata ? PictureText.entries(of: project, software: software, keeping: keeps) : [],
            digest: digest.flatMap { PictureDigest(bytes: $0) }, hasProfile: hasMetadata)
        description.density = density(of: project, output: output)
        guard hasMetadata else { return description }
        (description.exif, description.xmp) = (project.metadata.exif, project.metadata.xmp)
        guard keeps != .all else { return description }
        description.exif = description.exif.flatMap { bytes in
            let kept = ExifTree(bytes)?.keeping(keeps)
            return kept?.isEmpty == false ? kept?.written(nil, nil) : nil
        }
        description.xmp = description.xmp.flatMap { bytes in
            // What cannot be read cannot be sorted.
            guard var data = try? XMPData(bytes) else { return nil }
            data.removeAll { !keeps.keeps($0) }
            return data.packet()
        }
        return description
    }
}
