import InkCodecs
import InkEngine

/// Recognizes inputs by their first bytes.
public enum InputKind {
    /// Whether the bytes start like a zip archive.
    static func isArchive(_ bytes: [UInt8]) -> Bool {
        bytes.starts(with: [0x50, 0x4B, 0x03, 0x04]) || bytes.starts(with: [0x50, 0x4B, 0x05, 0x06])
    }

    private static let foreign: [(start: [UInt8], name: String)] = [
        ([0x89, 0x50, 0x4E, 0x47], "a PNG picture"),
        ([0xFF, 0xD8, 0xFF], "a JPEG picture"),
        (Array("GIF8".utf8), "a GIF picture"),
        (Array("RIFF".utf8), "a RIFF file"),
        (Array("%PDF".utf8), "a PDF file"),
        ([0x50, 0x4B, 0x03, 0x04], "a zip archive"),
        ([0x50, 0x4B, 0x05, 0x06], "a zip archive"),
        ([0x1F, 0x8B], "a gzip file"),
        ([0x28, 0xB5, 0x2F, 0xFD], "a zstd file"),
        ([0x7F, 0x45, 0x4C, 0x46], "a program"),
        (Array("SQLite format".utf8), "an SQLite database"),
    ]

    /// The name of a format that is certainly not UTF-8 text; nil if the bytes may be such text.
    public static func name(of bytes: [UInt8]) -> String? {
        ForeignFormat.name(of: bytes) ?? TextEncoding(of: bytes).map { "\($0) text, must be UTF-8" }
            ?? foreign.first { bytes.starts(with: $0.start) }?.name
    }

    /// Rejects bytes that are certainly not JSON text, with a clearer message than the JSON parser's.
    static func requireProjectText(_ bytes: borrowing [UInt8], file: String) throws(EngineError) {
        guard !bytes.isEmpty else { throw .badInput(Place(file: file), reason: "the file is empty") }
        if let encoding = TextEncoding(of: bytes) {
            throw .badInput(
                Place(file: file), reason: "is text in \(encoding); a project must be UTF-8, so save it as that")
        }
        let isMarkup = bytes[0] == UInt8(ascii: "<")
        if let name = isMarkup ? ForeignFormat.name(ofText: copy bytes) : name(of: copy bytes) {
            throw .badInput(Place(file: file), reason: "is \(name), not an Ink project")
        }
        if bytes[0] == 0 { throw .badInput(Place(file: file), reason: "is binary data, not an Ink project") }
    }
}
