/// Puts the files of a picture into one archive of the form `ustar` (POSIX.1-1988), where there can only be one file.
struct ArchiveAssembler: PictureAssembler {
    private var files: any PictureAssembler
    private let names: [String]
    /// Bytes of each of the inner assembler's files and stores.
    private var byteCounts: [Int: Int] = [:]

    /// - Precondition: a name for each file.
    init(_ files: any PictureAssembler, names: [String]) {
        precondition(names.count == files.fileCount, "an archive has a name for each file")
        self.files = files
        self.names = names
    }

    mutating func begin() -> [PictureWrite] { kept(files.begin()) }

    mutating func add(_ piece: EncodedPiece) -> [PictureWrite] { kept(files.add(piece)) }

    mutating func end() -> [PictureWrite] {
        var writes = kept(files.end())
        for (index, name) in names.enumerated() {
            let count = byteCounts[index] ?? 0
            writes += [
                .append(PictureArchive.header(name: name, byteCount: count)), .move(index + 1),
                .append(PictureArchive.padding(after: count)),
            ]
        }
        return writes + [.append(PictureArchive.trailer)]
    }

    /// The files become stores: how long they are is known at the end.
    private mutating func kept(_ writes: [PictureWrite]) -> [PictureWrite] {
        for write in writes {
            switch write {
            case .append(let bytes, let stream): byteCounts[stream, default: 0] += bytes.count
            case .patch, .refuse: break
            case .copy(_, _, let count, let stream): byteCounts[stream, default: 0] += count
            case .move(let store, let stream):
                byteCounts[stream, default: 0] += byteCounts.removeValue(forKey: store) ?? 0
            }
        }
        return writes.map { $0.renumbered { $0 + 1 } }
    }
}

/// The form of an archive with the files of a picture: `ustar`, each file a header of 512 bytes and its content, which
/// is padded to a multiple of that.
public enum PictureArchive {
    public static let blockBytes = 512
    /// Two empty blocks.
    static let trailer = [UInt8](repeating: 0, count: 2 * blockBytes)

    /// - Precondition: the name has at most 100 bytes.
    static func header(name: String, byteCount: Int) -> [UInt8] {
        precondition(name.utf8.count <= 100)
        var block = [UInt8](repeating: 0, count: blockBytes)
        func put(_ text: String, at offset: Int) {
            block.replaceSubrange(offset..<(offset + text.utf8.count), with: text.utf8)
        }
        put(name, at: 0)
        put("0000644\0" + "0000000\0" + "0000000\0", at: 100)
        block.replaceSubrange(124..<136, with: sizeField(byteCount))
        // A fixed time, so that equal pictures are equal archives.
        put("00000000000\0", at: 136)
        put("        0", at: 148)
        put("ustar\0" + "00", at: 257)
        let sum = block.reduce(0) { $0 + Int($1) }
        put(octal(sum, digits: 6) + "\0 ", at: 148)
        return block
    }

    static func padding(after byteCount: Int) -> [UInt8] {
        [UInt8](repeating: 0, count: (blockBytes - byteCount % blockBytes) % blockBytes)
    }

    /// The name and the size of the file that a header stands for; nil for the blocks at the end, and anything else.
    public static func file(ofHeader block: [UInt8]) -> (name: String, byteCount: Int)? {
        guard block.count == blockBytes, Array(block[257..<262]) == Array("ustar".utf8) else { return nil }
        let name = String(decoding: block[..<100].prefix { $0 != 0 }, as: UTF8.self)
        let field = Array(block[124..<136])
        if field[0] & 0x80 != 0 {
            let size = field[4...].reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
            return Int(exactly: size).map { (name, $0) }
        }
        return Int(String(decoding: field.prefix { $0 != 0 && $0 != 0x20 }, as: UTF8.self), radix: 8).map { (name, $0) }
    }

    /// Octal where 11 digits suffice (8 GiB), else binary as GNU tar has it.
    private static func sizeField(_ byteCount: Int) -> [UInt8] {
        if byteCount < 1 << 33 { return Array((octal(byteCount, digits: 11) + "\0").utf8) }
        return [0x80, 0, 0, 0] + (0..<8).reversed().map { UInt8(truncatingIfNeeded: byteCount >> (8 * $0)) }
    }

    private static func octal(_ value: Int, digits: Int) -> String {
        let text = String(value, radix: 8)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }
}
