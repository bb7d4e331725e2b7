import Glibc
package import InkSystem

/// Finds entries in an archive as `ZipArchive` makes them, by its directory. It holds one part of that at a time, and
/// believes no number beyond the archive's end.
package struct ZipArchiveReader {
    package struct Entry: Hashable, Sendable {
        package var name: String
        /// Where its bytes are in the archive.
        package var bytes: Range<Int>
        /// CRC-32 of the content.
        package var crc: UInt32
        /// Bytes of the content that is deflated; nil where it is stored.
        package var deflatedFrom: Int?
    }

    private let read: (Range<Int>) throws(SystemFailure) -> [UInt8]
    private let directory: Range<Int>

    private static let headerBytes = 30
    private static let entryBytes = 46
    private static let endBytes = 22
    private static let bigEndBytes = 56
    /// The ends, the place of the one with numbers of 64 bits, and a comment.
    private static let tailBytes = 512
    /// Much more than an entry of the directory has.
    private static let partBytes = 1 << 16
    private static let nameBytesMax = 200

    /// - Throws: also `EBADMSG` for what is no such archive.
    package init(_ file: FileDescriptor) throws(SystemFailure) {
        try self.init(byteCount: try file.status().byteCount) { range throws(SystemFailure) in
            try file.read(range.count, at: range.lowerBound)
        }
    }

    init(
        byteCount: Int, _ read: @escaping (Range<Int>) throws(SystemFailure) -> [UInt8]
    ) throws(SystemFailure) {
        self.read = read
        let tailStart = max(0, byteCount - Self.tailBytes)
        let tail = try read(tailStart..<byteCount)
        let places = (0..<max(0, tail.count - Self.endBytes + 1)).reversed()
        guard
            let end = places.first(where: {
                tail[$0...].starts(with: [0x50, 0x4B, 5, 6])
                    && Self.number(tail, $0 + 20, 2) == tail.count - $0 - Self.endBytes
            })
        else { throw Self.damaged }
        var (count, start) = (Self.number(tail, end + 12, 4), Self.number(tail, end + 16, 4))
        if end >= 20, tail[(end - 20)...].starts(with: [0x50, 0x4B, 6, 7]) {
            let place = Self.number(tail, end - 12, 8)
            guard place >= 0, place <= byteCount - Self.bigEndBytes else { throw Self.damaged }
            let big = try read(place..<(place + Self.bigEndBytes))
            guard big.starts(with: [0x50, 0x4B, 6, 6]) else { throw Self.damaged }
            (count, start) = (Self.number(big, 40, 8), Self.number(big, 48, 8))
        }
        guard start >= 0, count >= 0, start <= tailStart + end, count <= tailStart + end - start else {
            throw Self.damaged
        }
        directory = start..<(start + count)
    }

    static var damaged: SystemFailure { SystemFailure(operation: "unpack", errno: EBADMSG) }

    /// Little-endian; of eight bytes below zero where it is beyond all files.
    private static func number(_ bytes: [UInt8], _ offset: Int, _ count: Int) -> Int {
        bytes[offset..<(offset + count)].reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    /// Passes on entries in their order, until there is one that ends it.
    ///
    /// - Parameter take: returns whether it wants the next one.
    package func forEach(_ take: (Entry) throws(SystemFailure) -> Bool) throws(SystemFailure) {
        var offset = directory.lowerBound
        while offset < directory.upperBound {
            let part = try read(offset..<min(directory.upperBound, offset + Self.partBytes))
            var next = 0
            while let (entry, byteCount) = try entry(part, at: next) {
                guard try take(entry) else { return }
                next += byteCount
            }
            guard next > 0 else { throw Self.damaged }
            offset += next
        }
    }

    /// nil if the archive has none of this name.
    package func entry(named name: String) throws(SystemFailure) -> Entry? {
        var found: Entry?
        try forEach { entry throws(SystemFailure) in
            if entry.name == name { found = entry }
            return found == nil
        }
        return found
    }

    /// The entry there, and its length; nil if not all of it is in the part.
    private func entry(_ part: [UInt8], at offset: Int) throws(SystemFailure) -> (Entry, byteCount: Int)? {
        guard part.count - offset >= Self.entryBytes else { return nil }
        func number(_ at: Int, _ count: Int) -> Int { Self.number(part, offset + at, count) }
        let (nameCount, extraCount) = (number(28, 2), number(30, 2))
        let byteCount = Self.entryBytes + nameCount + extraCount
        guard part[offset...].starts(with: [0x50, 0x4B, 1, 2]), [0, 8].contains(number(10, 2)),
            number(32, 2) == 0, nameCount <= Self.nameBytesMax
        else { throw Self.damaged }
        guard part.count - offset >= byteCount else { return nil }
        let isBig = number(42, 4) == Int(UInt32.max) && extraCount == 12
        let header = isBig ? number(Self.entryBytes + nameCount + 4, 8) : number(42, 4)
        let name = String(decoding: part[(offset + Self.entryBytes)...].prefix(nameCount), as: UTF8.self)
        let (start, size) = (Self.headerBytes + nameCount, number(20, 4))
        guard header >= 0, header <= directory.lowerBound - start - size, name.isPlainRelativePath else {
            throw Self.damaged
        }
        return (
            Entry(
                name: name, bytes: (header + start)..<(header + start + size), crc: UInt32(number(16, 4)),
                deflatedFrom: number(10, 2) == 8 ? number(24, 4) : nil), byteCount
        )
    }

    /// The content of an entry.
    ///
    /// - Parameter deflatedMax: the most bytes of a content that is deflated.
    /// - Throws: `EBADMSG` if it is not what the archive was made of, or a deflated one has more bytes than that.
    package func bytes(of entry: Entry, deflatedMax: Int = 0) throws(SystemFailure) -> [UInt8] {
        guard entry.deflatedFrom.map({ max($0, entry.bytes.count) <= deflatedMax }) ?? true else { throw Self.damaged }
        var bytes = try read(entry.bytes)
        if let count = entry.deflatedFrom {
            // What cannot be unpacked is damaged, whatever the reason.
            guard let content = try? RawInflate.open(bytes, limit: count).content else { throw Self.damaged }
            bytes = content
        }
        guard crc32(bytes) == entry.crc else { throw Self.damaged }
        return bytes
    }
}
