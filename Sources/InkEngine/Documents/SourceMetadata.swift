/// What a picture file says of itself: EXIF and XMP, as they are to be written into another file that shows the picture
/// upright and in sRGB.
struct SourceMetadata: Hashable {
    /// A TIFF directory, without the mark that JPEG puts before it.
    private(set) var exif: [UInt8]?
    /// XML.
    private(set) var xmp: [UInt8]?
    /// Whether the file has a second picture for screens of a higher dynamic range.
    private(set) var hasGainMap = false

    /// What a file of a format has room for: the data of one segment of a JPEG.
    static let bytesMax = 65_000

    static let xmpMark = Array("http://ns.adobe.com/xap/1.0/\0".utf8)

    /// Of XMP in a PNG: not compressed, no language, no translated keyword.
    static let pngKey = Array("XML:com.adobe.xmp".utf8) + [0, 0, 0, 0, 0]

    init(of file: [UInt8]) {
        var (exif, xmp): ([UInt8]?, [UInt8]?) = (nil, nil)
        if JPEGImages().recognizes(file) {
            let segments = JPEGSegment.head(of: file).filter { $0.marker == 0xE1 }
            func find(_ mark: [UInt8]) -> [UInt8]? {
                segments.first { file[$0.data].starts(with: mark) }.map { Array(file[$0.data].dropFirst(mark.count)) }
            }
            (exif, xmp) = (find(ExifSegment.mark), find(Self.xmpMark))
        } else if PNGImages().recognizes(file) {
            (exif, xmp) = Self.chunks(ofPNG: file)
        } else if WebPImages().recognizes(file) {
            (exif, xmp) = Self.chunks(ofWebP: file)
        }
        // A PNG is shown as it is stored.
        let isTurned = !PNGImages().recognizes(file)
        if let found = exif, found.count <= Self.bytesMax { self.exif = SourceExif(found)?.cleaned(isTurned: isTurned) }
        guard let found = xmp, found.count <= Self.bytesMax, let text = String(validating: found, as: UTF8.self) else {
            return
        }
        hasGainMap = text.contains("hdrgm:") || text.contains("HDRGainMap")
        // What it says of the gain map would be wrong without it.
        if !hasGainMap { self.xmp = Self.upright(text) }
    }

    /// XMP that says the same of a picture that lies upright.
    private static func upright(_ text: String) -> [UInt8] {
        var bytes = Array(text.utf8)
        for mark in ["tiff:Orientation=\"", "tiff:Orientation='", "<tiff:Orientation>"] {
            guard let place = bytes.firstRange(of: Array(mark.utf8)), place.upperBound < bytes.count else { continue }
            if (UInt8(ascii: "1")...UInt8(ascii: "8")).contains(bytes[place.upperBound]) {
                bytes[place.upperBound] = UInt8(ascii: "1")
            }
        }
        return bytes
    }

    private static func chunks(ofPNG file: [UInt8]) -> (exif: [UInt8]?, xmp: [UInt8]?) {
        var (exif, xmp): ([UInt8]?, [UInt8]?) = (nil, nil)
        var at = PNGHeader.signature.count
        while at + 12 <= file.count {
            let length = Int(bigEndian(file, at: at))
            guard length <= file.count - at - 12 else { break }
            let (type, data) = (file[(at + 4)..<(at + 8)], file[(at + 8)..<(at + 8 + length)])
            if type.elementsEqual("eXIf".utf8) { exif = Array(data) }
            if type.elementsEqual("iTXt".utf8), data.starts(with: pngKey) { xmp = Array(data.dropFirst(pngKey.count)) }
            at += length + 12
        }
        return (exif, xmp)
    }

    private static func chunks(ofWebP file: [UInt8]) -> (exif: [UInt8]?, xmp: [UInt8]?) {
        var (exif, xmp): ([UInt8]?, [UInt8]?) = (nil, nil)
        var at = 12
        while at + 8 <= file.count {
            let length = (0..<4).reduce(0) { $0 | Int(file[at + 4 + $1]) << (8 * $1) }
            guard length <= file.count - at - 8 else { break }
            let (type, data) = (file[at..<(at + 4)], file[(at + 8)..<(at + 8 + length)])
            if type.elementsEqual("EXIF".utf8) {
                // Some writers put the mark of JPEG's segment before the data.
                exif = Array(data.starts(with: ExifSegment.mark) ? data.dropFirst(ExifSegment.mark.count) : data)
            }
            if type.elementsEqual("XMP ".utf8) { xmp = Array(data) }
            at += 8 + length + length % 2
        }
        return (exif, xmp)
    }
}

/// EXIF data: a TIFF of directories without pictures.
struct SourceExif {
    private var bytes: [UInt8]
    private let isLittle: Bool

    /// nil for what is none.
    init?(_ bytes: [UInt8]) {
        self.bytes = bytes
        isLittle = bytes.starts(with: [0x49, 0x49, 42, 0])
        guard isLittle || bytes.starts(with: [0x4D, 0x4D, 0, 42]), firstDirectory != nil else { return nil }
    }

    private struct Entry {
        var tag: Int
        /// 3 for 16 bits, 4 for 32 bits.
        var kind: Int
        /// Where its value, or the value's offset, stands.
        var value: Int
    }

    private func number(at offset: Int, bytes count: Int) -> Int? {
        guard offset >= 0, offset <= bytes.count - count else { return nil }
        let field = bytes[offset..<(offset + count)]
        return (isLittle ? Array(field.reversed()) : Array(field)).reduce(0) { $0 << 8 | Int($1) }
    }

    private mutating func write(_ value: Int, at offset: Int, bytes count: Int) {
        guard offset >= 0, offset <= bytes.count - count else { return }
        for index in 0..<count {
            bytes[offset + index] = UInt8(truncatingIfNeeded: value >> (8 * (isLittle ? index : count - 1 - index)))
        }
    }

    private var firstDirectory: Int? {
        guard let offset = number(at: 4, bytes: 4), number(at: offset, bytes: 2) != nil else { return nil }
        return offset
    }

    private func entries(of directory: Int) -> (entries: [Entry], next: Int) {
        let count = number(at: directory, bytes: 2) ?? 0
        let entries = (0..<count).compactMap { index -> Entry? in
            let at = directory + 2 + 12 * index
            guard let tag = number(at: at, bytes: 2), let kind = number(at: at + 2, bytes: 2), at + 12 <= bytes.count
            else { return nil }
            return Entry(tag: tag, kind: kind, value: at + 8)
        }
        return (entries, directory + 2 + 12 * count)
    }

    private mutating func set(_ tag: Int, _ value: Int, in directory: Int) {
        for entry in entries(of: directory).entries where entry.tag == tag {
            if entry.kind == 3 { write(value, at: entry.value, bytes: 2) }
            if entry.kind == 4 { write(value, at: entry.value, bytes: 4) }
        }
    }

    /// Where the directory of the camera's data lies.
    private var camera: Int? {
        guard let first = firstDirectory else { return nil }
        return entries(of: first).entries.first { $0.tag == 0x8769 }.flatMap { number(at: $0.value, bytes: 4) }
    }

    /// The same of a picture in sRGB, without the thumbnail.
    ///
    /// - Parameter isTurned: whether the picture has been turned upright.
    func cleaned(isTurned: Bool) -> [UInt8] {
        var exif = self
        guard let first = firstDirectory else { return bytes }
        if isTurned { exif.set(274, 1, in: first) }
        if let camera { exif.set(0xA001, 1, in: camera) }
        let link = entries(of: first).next
        if let second = number(at: link, bytes: 4), second > 0 {
            let thumbnail = entries(of: second).entries
            func value(_ tag: Int) -> Int? {
                thumbnail.first { $0.tag == tag }.flatMap { number(at: $0.value, bytes: 4) }
            }
            exif.write(0, at: link, bytes: 4)
            if let start = value(0x201), let count = value(0x202), start > 0, count > 0, start <= bytes.count - count {
                if start + count + 1 >= bytes.count {
                    exif.bytes.removeLast(bytes.count - start)
                } else {
                    for index in start..<(start + count) { exif.bytes[index] = 0 }
                }
            }
        }
        return exif.bytes
    }

    /// The same of a picture of this size.
    func sized(_ size: PixelSize) -> [UInt8] {
        var exif = self
        for directory in [firstDirectory, camera].compactMap(\.self) {
            exif.set(0x100, size.width, in: directory)
            exif.set(0x101, size.height, in: directory)
            exif.set(0xA002, size.width, in: directory)
            exif.set(0xA003, size.height, in: directory)
        }
        return exif.bytes
    }
}
