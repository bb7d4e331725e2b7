/// A zip archive (APPNOTE 6.3.10) whose entries are stored as they are, or deflated, with the fields of ZIP64 where 32
/// or 16 bits are too few. Pure: it gives the bytes around the entries.
package struct ZipArchive: Sendable {
    private struct Entry {
        var nameStart: Int
        var byteCount: UInt32
        /// The bytes of the content before it was deflated.
        var wholeCount: UInt32
        var isDeflated: Bool
        var crc: UInt32
        var offset: UInt64
        var isASCII: Bool
    }

    /// The number of all bytes so far.
    package private(set) var byteCount: UInt64
    private let madeBy: UInt16
    private var entries: [Entry] = []
    /// The names of all entries, in their order.
    private var names: [UInt8] = []

    private static let limit32 = UInt64(UInt32.max)
    /// Entries of the directory in an array of bytes.
    private static let directoryPart = 4096

    /// - Parameters:
    ///   - byteCount: of what lies before the first entry.
    ///   - madeBy: the system and the version that the directory names.
    package init(byteCount: UInt64 = 0, madeBy: UInt16 = 20) {
        self.byteCount = byteCount
        self.madeBy = madeBy
    }

    /// An entry; its name has at most 65,535 bytes.
    ///
    /// - Parameters:
    ///   - bytes: its content, or the deflated content.
    ///   - crc: CRC-32 of the content.
    ///   - wholeCount: bytes of the content that is deflated; nil for one that is stored.
    package mutating func add(
        _ name: String, _ bytes: ArraySlice<UInt8>, crc: UInt32, deflatedFrom wholeCount: Int? = nil
    ) -> [UInt8] {
        precondition(
            max(bytes.count, wholeCount ?? 0) <= Int(Int32.max) && name.utf8.count <= Int(UInt16.max))
        let entry = Entry(
            nameStart: names.count, byteCount: UInt32(bytes.count),
            wholeCount: UInt32(wholeCount ?? bytes.count), isDeflated: wholeCount != nil, crc: crc,
            offset: byteCount, isASCII: name.utf8.allSatisfy { $0 < 0x80 })
        entries.append(entry)
        names += name.utf8
        var made: [UInt8] = []
        made.reserveCapacity(30 + name.utf8.count + bytes.count)
        made +=
            [0x50, 0x4B, 3, 4] + ZipArchive.common(entry, nameCount: name.utf8.count, extraCount: 0, isBig: false)
        made += name.utf8
        made += bytes
        byteCount += UInt64(made.count)
        return made
    }

    /// The directory, and the end of the archive up to its comment.
    ///
    /// - Parameter commentCount: bytes that follow, at most 65,535.
    package mutating func end(commentCount: Int) -> [[UInt8]] {
        let start = byteCount
        var parts: [[UInt8]] = []
        var part: [UInt8] = []
        for (index, entry) in entries.enumerated() {
            let nameEnd = index + 1 < entries.count ? entries[index + 1].nameStart : names.count
            let isBig = entry.offset >= ZipArchive.limit32
            let extra: [UInt8] = isBig ? [1, 0, 8, 0] + littleEndian(entry.offset) : []
            part += [0x50, 0x4B, 1, 2] + littleEndian(isBig ? max(madeBy, 45) : madeBy)
            part += ZipArchive.common(
                entry, nameCount: nameEnd - entry.nameStart, extraCount: extra.count, isBig: isBig)
            // No comment, disk 0, no attributes.
            part += [UInt8](repeating: 0, count: 10)
            part += littleEndian(UInt32(truncatingIfNeeded: min(entry.offset, ZipArchive.limit32)))
            part += names[entry.nameStart..<nameEnd]
            part += extra
            if (index + 1) % ZipArchive.directoryPart == 0 {
                parts.append(part)
                part = []
            }
        }
        let directoryCount = UInt64(parts.reduce(0) { $0 + $1.count } + part.count)
        let count = UInt64(entries.count)
        let isBig =
            count >= UInt64(UInt16.max) || start >= ZipArchive.limit32 || directoryCount >= ZipArchive.limit32
        if isBig {
            let place = start + directoryCount
            part += [0x50, 0x4B, 6, 6] + littleEndian(UInt64(44)) + littleEndian(UInt16(45)) + littleEndian(UInt16(45))
            part += littleEndian(UInt32(0)) + littleEndian(UInt32(0)) + littleEndian(count) + littleEndian(count)
            part += littleEndian(directoryCount) + littleEndian(start)
            part += [0x50, 0x4B, 6, 7] + littleEndian(UInt32(0)) + littleEndian(place) + littleEndian(UInt32(1))
        }
        let shownCount = UInt16(min(count, UInt64(UInt16.max)))
        part += [0x50, 0x4B, 5, 6, 0, 0, 0, 0] + littleEndian(shownCount) + littleEndian(shownCount)
        part += littleEndian(UInt32(min(directoryCount, ZipArchive.limit32)))
        part += littleEndian(UInt32(min(start, ZipArchive.limit32))) + littleEndian(UInt16(commentCount))
        return parts + [part]
    }

    /// Version, flags (the 11th: the name is UTF-8), method (stored or deflated), time and date (1 January 1980, so
    /// that equal pictures are equal archives), checksum, sizes, lengths of name and further fields.
    private static func common(_ entry: Entry, nameCount: Int, extraCount: Int, isBig: Bool) -> [UInt8] {
        littleEndian(UInt16(isBig ? 45 : 20)) + [0, entry.isASCII ? 0 : 8, entry.isDeflated ? 8 : 0, 0, 0, 0, 0x21, 0]
            + littleEndian(entry.crc)
            + littleEndian(entry.byteCount) + littleEndian(entry.wholeCount) + littleEndian(UInt16(nameCount))
            + littleEndian(UInt16(extraCount))
    }
}
