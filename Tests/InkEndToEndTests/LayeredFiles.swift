import Foundation

/// A reader of Photoshop files, as far as `ink` writes them.
struct PSDFile {
    struct Unreadable: Error, CustomStringConvertible {
        let description: String
    }

    struct Record {
        var name = ""
        var key = ""
        var opacity = 0
        var isClipped = false
        var isHidden = false
        /// 1: the head of a group, 3: its other end; nil for layers.
        var divider: Int?
        var (left, top, right, bottom) = (0, 0, 0, 0)
        var mask: (left: Int, top: Int, right: Int, bottom: Int)?
        fileprivate var lengths: [(channel: Int, count: Int)] = []
        /// Unpacked, by number: 0 to 2 the colours, -1 alpha, -2 the mask.
        var planes: [Int: [UInt8]] = [:]

        var width: Int { right - left }
    }

    private(set) var version = 0
    private(set) var (channels, width, height) = (0, 0, 0)
    /// From the bottom up.
    private(set) var records: [Record] = []
    private(set) var resources: [Int: [UInt8]] = [:]
    private(set) var hasMergedAlpha = false
    private(set) var merged: [[UInt8]] = []

    private let bytes: [UInt8]
    private var at = 0
    private var isLarge: Bool { version == 2 }

    init(_ bytes: [UInt8]) throws {
        self.bytes = bytes
        guard try text(4) == "8BPS" else { throw Unreadable(description: "no signature") }
        version = try number(2)
        _ = try take(6)
        (channels, height, width) = (try number(2), try number(4), try number(4))
        guard try number(2) == 8, try number(2) == 3, try number(4) == 0 else {
            throw Unreadable(description: "not RGB of 8 bits")
        }
        try readResources()
        try readLayers()
        guard try number(2) == 1 else { throw Unreadable(description: "the merged picture is not packed") }
        merged = try unpacked(rows: height * channels, width: width).chunks(of: width * height)
        guard at == bytes.count else { throw Unreadable(description: "\(bytes.count - at) bytes behind the end") }
    }

    private mutating func readResources() throws {
        let count = try number(4)
        let end = at + count
        while at < end {
            guard try text(4) == "8BIM" else { throw Unreadable(description: "resource at \(at)") }
            let id = try number(2)
            _ = try take(2)
            let size = try number(4)
            resources[id] = try take(size)
            _ = try take(size % 2)
        }
        guard at == end else { throw Unreadable(description: "resources end at \(at), not \(end)") }
    }

    private mutating func readLayers() throws {
        let length = isLarge ? 8 : 4
        let count = try number(length)
        let end = at + count
        guard count > 0 else { return }
        let info = try number(length)
        let infoEnd = at + info
        let records = Int(Int16(truncatingIfNeeded: try number(2)))
        hasMergedAlpha = records < 0
        for _ in 0..<abs(records) { self.records.append(try record()) }
        for index in self.records.indices {
            for (channel, count) in self.records[index].lengths {
                let start = at
                let record = self.records[index]
                let packing = try number(2)
                if packing == 1 {
                    let isMask = channel == -2
                    let box = record.mask ?? (record.left, record.top, record.right, record.bottom)
                    let (width, height) =
                        isMask
                        ? (box.right - box.left, box.bottom - box.top) : (record.width, record.bottom - record.top)
                    self.records[index].planes[channel] = try unpacked(rows: height, width: width)
                }
                guard at - start == count else {
                    throw Unreadable(description: "channel \(channel) of \(record.name): \(at - start), not \(count)")
                }
            }
        }
        guard at <= infoEnd, infoEnd - at < 4 else { throw Unreadable(description: "layers end at \(at)") }
        at = infoEnd
        guard try number(4) == 0, at == end else { throw Unreadable(description: "the global mask") }
    }

    private mutating func record() throws -> Record {
        var record = Record()
        (record.top, record.left, record.bottom, record.right) = (
            try number(4), try number(4), try number(4), try number(4)
        )
        for _ in 0..<(try number(2)) {
            let channel = Int(Int16(truncatingIfNeeded: try number(2)))
            record.lengths.append((channel, try number(isLarge ? 8 : 4)))
        }
        guard try text(4) == "8BIM" else { throw Unreadable(description: "record at \(at)") }
        record.key = try text(4)
        record.opacity = try number(1)
        record.isClipped = try number(1) == 1
        record.isHidden = try number(1) & 2 != 0
        _ = try number(1)
        let extra = try number(4)
        let end = at + extra
        if try number(4) == 20 {
            let (top, left, bottom, right) = (try number(4), try number(4), try number(4), try number(4))
            record.mask = (left, top, right, bottom)
            _ = try take(4)
        }
        _ = try take(try number(4))
        let name = try number(1)
        _ = try take(name + (3 - name % 4))
        while at < end {
            guard try text(4) == "8BIM" else { throw Unreadable(description: "block at \(at)") }
            let key = try text(4)
            let data = try take(try number(4))
            switch key {
            case "luni":
                let units = (0..<(Int(data[2]) << 8 | Int(data[3]))).map {
                    UInt16(data[4 + 2 * $0]) << 8 | UInt16(data[5 + 2 * $0])
                }
                record.name = String(decoding: units, as: UTF16.self)
            case "lsct": record.divider = Int(data[3])
            default: break
            }
        }
        guard at == end else { throw Unreadable(description: "the record of \(record.name)") }
        return record
    }

    private mutating func unpacked(rows: Int, width: Int) throws -> [UInt8] {
        let counts = try (0..<rows).map { _ in try number(isLarge ? 4 : 2) }
        var plane: [UInt8] = []
        for count in counts {
            let (end, start) = (at + count, plane.count)
            while at < end {
                let head = try number(1)
                if head < 128 {
                    plane += try take(head + 1)
                } else {
                    let value = try take(1)[0]
                    plane += [UInt8](repeating: value, count: 257 - head)
                }
            }
            guard plane.count - start == width, at == end else { throw Unreadable(description: "a row of \(width)") }
        }
        return plane
    }

    private mutating func take(_ count: Int) throws -> [UInt8] {
        guard count >= 0, at + count <= bytes.count else { throw Unreadable(description: "ends at \(at)") }
        defer { at += count }
        return Array(bytes[at..<(at + count)])
    }

    private mutating func number(_ count: Int) throws -> Int { try take(count).reduce(0) { $0 << 8 | Int($1) } }

    private mutating func text(_ count: Int) throws -> String { String(decoding: try take(count), as: UTF8.self) }
}

extension [UInt8] {
    fileprivate func chunks(of count: Int) -> [[UInt8]] {
        stride(from: 0, to: self.count, by: count).map { Array(self[$0..<($0 + count)]) }
    }
}

/// A reader of zip archives in which nothing is compressed.
struct StoredZip {
    /// In the archive's order.
    private(set) var names: [String] = []
    private(set) var files: [String: [UInt8]] = [:]

    init(_ bytes: [UInt8]) throws {
        func number(_ at: Int, _ count: Int) -> Int {
            (0..<count).reduce(0) { $0 | Int(bytes[at + $1]) << (8 * $1) }
        }
        var at = 0
        while at + 30 <= bytes.count, number(at, 4) == 0x0403_4B50 {
            guard number(at + 8, 2) == 0, number(at + 18, 4) == number(at + 22, 4) else {
                throw PSDFile.Unreadable(description: "a compressed entry at \(at)")
            }
            let (size, length) = (number(at + 18, 4), number(at + 26, 2))
            let start = at + 30 + length + number(at + 28, 2)
            guard start + size <= bytes.count else { throw PSDFile.Unreadable(description: "cut at \(at)") }
            let name = String(decoding: bytes[(at + 30)..<(at + 30 + length)], as: UTF8.self)
            names.append(name)
            files[name] = Array(bytes[start..<(start + size)])
            at = start + size
        }
        guard at + 4 <= bytes.count, number(at, 4) == 0x0201_4B50 else {
            throw PSDFile.Unreadable(description: "no directory at \(at)")
        }
    }
}
