/// The media type that an archive begins with, as OpenDocument has it: a stored file `mimetype`.
enum ArchiveType {
    static func of(_ bytes: [UInt8]) -> String? {
        guard bytes.count > 38, bytes.dropFirst(30).starts(with: "mimetype".utf8) else { return nil }
        let text = bytes[38...].prefix(64).prefix { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "P") }
        return String(decoding: text, as: UTF8.self)
    }
}
