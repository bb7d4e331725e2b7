import InkCodecs

/// Names files of other programs by their content, for messages. Readers recognize theirs by themselves.
public enum ForeignFormat {
    /// The part at the end of an archive that is examined for names, bytes.
    private static let tailBytes = 1 << 18

    /// The kind of a file that is not text, such as `a Krita document`; nil for text and unknown files.
    public static func name(of bytes: [UInt8]) -> String? {
        for kind in binary where bytes.dropFirst(kind.offset).starts(with: kind.start) { return kind.name }
        if bytes.starts(with: [0x1F, 0x8B]) { return packedName(bytes) }
        // Text may begin with the same two letters.
        if bytes.starts(with: Array("BM".utf8)), bytes.dropFirst(6).prefix(4).elementsEqual([0, 0, 0, 0]) {
            return "a BMP picture"
        }
        if InputKind.isArchive(bytes) { return archiveName(bytes) }
        return nil
    }

    /// The kind of a text that could not be read as an Ink project; nil if unknown.
    public static func name(ofText bytes: some Collection<UInt8>) -> String? {
        TextFormat(of: bytes)?.name
    }

    private static let binary: [(start: [UInt8], offset: Int, name: String)] = [
        (Array("CSFCHUNK".utf8), 0, "a Clip Studio document"),
        (Array("8BPS".utf8), 0, "a Photoshop file"),
        (Array("gimp xcf".utf8), 0, "a GIMP picture (XCF)"),
        ([0x00, 0xFF, 0x4B, 0x41], 0, "an Affinity document"),
        (Array("PDN3".utf8), 0, "a Paint.NET picture"),
        ([0xE0, 0xA5], 4, "an Aseprite picture"),
        (Array("RNOTE".utf8), 0, "an rnote document"),
        (Array("reMarkable .lines".utf8), 0, "a reMarkable notebook"),
        ([0xE4, 0x52, 0x5C, 0x7B, 0x8C, 0xD8, 0xA7, 0x4D], 0, "a OneNote section"),
        (Array("WEBP".utf8), 8, "a WebP picture"),
        (Array("UINK".utf8), 8, TextFormat.wacomInk.name),
        (Array("II*\u{0}".utf8), 0, "a TIFF picture"),
        (Array("MM\u{0}*".utf8), 0, "a TIFF picture"),
        (Array("ftypavif".utf8), 4, "an AVIF picture"),
        (Array("ftyphe".utf8), 4, "a HEIF picture"),
        (Array("ftypmif1".utf8), 4, "a HEIF picture"),
        (Array("ftyp".utf8), 4, "a video"),
        (Array("jP  ".utf8), 4, "a JPEG 2000 picture"),
        (Array("JXL ".utf8), 4, "a JPEG XL picture"),
        (Array("%!PS".utf8), 0, "a PostScript file"),
        (Array("{\\rtf".utf8), 0, "an RTF text"),
        ([0x37, 0x7A, 0xBC, 0xAF], 0, "a 7z archive"),
        (Array("Rar!".utf8), 0, "a RAR archive"),
        (Array("BZh".utf8), 0, "a bzip2 file"),
        ([0xFD, 0x37, 0x7A, 0x58, 0x5A], 0, "an xz file"),
    ]

    /// The kind of a gzip file, by the first bytes of its content.
    private static func packedName(_ bytes: [UInt8]) -> String? {
        guard let content = RawInflate.gzipHead(bytes, limit: TextFormat.headBytes) else { return nil }
        if content.holds("<xournal") { return "a Xournal++ document" }
        if content.holds("\"engine_snapshot\"") || content.holds("\"store_snapshot\"") { return "an rnote document" }
        return name(ofText: content).map { "\($0), packed with gzip" }
    }

    /// The kind of a zip archive. OpenDocument and similar formats start with an uncompressed file that names the
    /// format.
    private static func archiveName(_ bytes: [UInt8]) -> String? {
        if bytes.dropFirst(30).starts(with: "mimetype".utf8) {
            let type = String(decoding: bytes.dropFirst(38).prefix(64), as: UTF8.self)
            for (start, name) in [
                ("image/openraster", "an OpenRaster picture"), ("application/x-krita", "a Krita document"),
                ("application/vnd.oasis.opendocument", "an OpenDocument file"), ("application/epub", "an EPUB book"),
            ] where type.hasPrefix(start) { return name }
        }
        let names = bytes.suffix(tailBytes)
        for (entry, name) in [
            ("Document.archive", "a Procreate document"), ("maindoc.xml", "a Krita document"),
            ("stack.xml", "an OpenRaster picture"), ("Session.plist", "a Notability note"),
            ("index.notes.pb", "a GoodNotes document"), ("[Content_Types].xml", "an Office document"),
            ("canvas.fig", "a Figma file"),
        ] where names.holds(entry) { return name }
        return nil
    }
}

extension TextFormat {
    fileprivate var name: String {
        switch self {
        case .svg: "an SVG drawing"
        case .xournal: "a Xournal document"
        case .inkML: "an InkML document"
        case .otherXML: "XML or HTML text"
        case .excalidraw: "an Excalidraw drawing"
        case .excalidrawLibrary: "an Excalidraw library"
        case .tldraw: "a tldraw drawing"
        case .rnote: "an rnote document"
        case .wacomInk: "a Wacom ink document (Universal Ink Model)"
        case .lottie: "a Lottie animation"
        }
    }
}
