import InkCodecs

/// Formats of text that other programs write, recognized by the beginning of a file.
enum TextFormat {
    case svg
    case xournal
    case inkML
    /// XML of another kind, or HTML.
    case otherXML
    case excalidraw
    case excalidrawLibrary
    case tldraw
    case rnote
    /// Universal Ink Model.
    case wacomInk
    case lottie

    /// The part of a text that is examined, bytes.
    static let headBytes = 1 << 16

    /// nil for an Ink project, and for a text of no known format.
    init?(of bytes: some Collection<UInt8>) {
        var text = Array(bytes.prefix(TextFormat.headBytes))[...]
        if text.starts(with: [0xEF, 0xBB, 0xBF]) { text = text.dropFirst(3) }
        text = text.drop { " \t\r\n".utf8.contains($0) }
        switch text.first {
        case UInt8(ascii: "<"): self = TextFormat.ofXML(text)
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            guard let format = TextFormat.ofJSON(text) else { return nil }
            self = format
        default: return nil
        }
    }

    private static func ofXML(_ text: ArraySlice<UInt8>) -> TextFormat {
        let lowercased = text.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        for (tag, format) in [("<svg", svg), ("<xournal", xournal), ("inkml", inkML)] where lowercased.holds(tag) {
            return format
        }
        return otherXML
    }

    private static func ofJSON(_ text: ArraySlice<UInt8>) -> TextFormat? {
        func holds(_ keys: String...) -> Bool { keys.allSatisfy { text.holds("\"\($0)\"") } }
        if holds("type", "excalidraw") { return excalidraw }
        if holds("type", "excalidrawlib") { return excalidrawLibrary }
        if holds("tldrawFileFormatVersion") { return tldraw }
        if holds("engine_snapshot") { return rnote }
        if holds("inputContextData", "sensorContexts") || holds("inkData", "splineX") { return wacomInk }
        if holds("ip", "op", "fr", "layers") { return lottie }
        return nil
    }

    /// Whether a text looks like drawings of Quick, Draw!: one object per line, with a word and its drawing.
    static func isQuickDraw(_ bytes: some Collection<UInt8>) -> Bool {
        let blanks = Array(" \t\r\n".utf8)
        let text = bytes.prefix(headBytes).drop { blanks.contains($0) }
        guard text.first == UInt8(ascii: "{") else { return false }
        let line = Array(text.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") })
        return line.holds("\"drawing\"") && (line.holds("\"word\"") || line.holds("\"key_id\""))
    }
}
