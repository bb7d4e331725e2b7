/// The tags of a directory of TIFF or EXIF, read by the rules of TIFF 6.0 alone.
struct TagReader {
    /// The type of each tag, and its bytes.
    private(set) var tags: [Int: (kind: Int, bytes: [UInt8])] = [:]

    /// nil if the file is damaged.
    init?(_ file: [UInt8], at directory: Int? = nil) {
        guard file.starts(with: [0x49, 0x49]), file.count >= 16 else { return nil }
        let isBig = file[2] == 43
        func number(_ at: Int, _ count: Int) -> Int? {
            guard at >= 0, at + count <= file.count else { return nil }
            return file[at..<(at + count)].reversed().reduce(0) { $0 << 8 | Int($1) }
        }
        let (countBytes, entryBytes, offsetBytes) = isBig ? (8, 20, 8) : (2, 12, 4)
        guard let start = directory ?? number(isBig ? 8 : 4, offsetBytes), start % 2 == 0,
            let count = number(start, countBytes)
        else { return nil }
        var last = 0
        for index in 0..<count {
            let entry = start + countBytes + index * entryBytes
            guard let tag = number(entry, 2), let kind = number(entry + 2, 2),
                let values = number(entry + 4, offsetBytes),
                tag > last, let size = [1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 7: 1, 16: 8][kind]
            else { return nil }
            last = tag
            let field = entry + 4 + offsetBytes
            guard let offset = size * values <= offsetBytes ? field : number(field, offsetBytes),
                offset % 2 == 0, offset + size * values <= file.count
            else { return nil }
            tags[tag] = (kind, Array(file[offset..<(offset + size * values)]))
        }
        guard number(start + countBytes + count * entryBytes, offsetBytes) == 0 else { return nil }
    }

    func numbers(_ tag: Int) -> [Int] {
        guard let (kind, bytes) = tags[tag], let size = [1: 1, 3: 2, 4: 4, 5: 4, 7: 1, 16: 8][kind] else { return [] }
        return stride(from: 0, to: bytes.count, by: size).map { start in
            bytes[start..<(start + size)].reversed().reduce(0) { $0 << 8 | Int($1) }
        }
    }

    /// nil if it is no text that ends in NUL.
    func text(_ tag: Int) -> String? {
        guard let (kind, bytes) = tags[tag], kind == 2, bytes.last == 0 else { return nil }
        return String(decoding: bytes.dropLast(), as: UTF8.self)
    }
}
