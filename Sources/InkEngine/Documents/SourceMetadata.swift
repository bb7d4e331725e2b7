/// What a picture file says of itself: EXIF and XMP, as they are to be written into another file that shows the picture
/// upright and in sRGB, and who made it.
struct SourceMetadata: Hashable {
    /// A TIFF directory, without the mark that JPEG puts before it.
    private(set) var exif: [UInt8]?
    /// XML.
    private(set) var xmp: [UInt8]?
    private(set) var author: String?
    private(set) var copyright: String?
    /// What is not taken over, as a message says it.
    private(set) var leftOut: [String] = []

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
        } else if let reader = [false, true].map(HEIFImages.init).first(where: { $0.recognizes(file) }) {
            (exif, xmp) = reader.metadata(file)
        }
        // The tags of a TIFF lie among those of its pixels.
        let isTIFF = TIFFImages().recognizes(file)
        let tags = isTIFF ? SourceExif(file) : exif.flatMap { SourceExif($0) }
        (author, copyright) = (tags?.text(315), tags?.text(33432))
        if isTIFF ? tags?.hasSecondPage == true : Self.isSequence(file) {
            leftOut.append("only the first picture of the file is taken")
        }
        if isTIFF { xmp = tags?.bytes(of: 700) }
        if let found = exif {
            if found.count > Self.bytesMax {
                leftOut.append("the EXIF data is left out: it has \(found.count) bytes, of at most \(Self.bytesMax)")
            } else {
                self.exif = SourceExif(found)?.cleaned()
                if self.exif == nil { leftOut.append("the EXIF data is left out: it is damaged") }
            }
        }
        guard let found = xmp else { return }
        guard found.count <= Self.bytesMax else {
            leftOut.append("the XMP data is left out: it has \(found.count) bytes, of at most \(Self.bytesMax)")
            return
        }
        guard let text = String(validating: found, as: UTF8.self) else {
            leftOut.append("the XMP data is left out: it is not UTF-8")
            return
        }
        if text.contains("hdrgm:") || text.contains("HDRGainMap") {
            leftOut.append("the picture's gain map for HDR screens is left out")
        }
        if text.contains("xmpNote:HasExtendedXMP") { leftOut.append("the second part of the XMP data is left out") }
        self.xmp = Self.withoutOtherPictures(Self.upright(text))
        if self.xmp == nil { leftOut.append("the XMP data is left out: it is damaged") }
    }

    /// Whether a file says that it is an animation, or has several pictures.
    private static func isSequence(_ file: [UInt8]) -> Bool {
        if PNGImages().recognizes(file) {
            // Before the picture's data, which may be long.
            return file.prefix(1 << 16).holds("acTL")
        }
        if WebPImages().recognizes(file) {
            return file.count > 20 && file[12..<16].elementsEqual("VP8X".utf8) && file[20] & 2 != 0
        }
        if GIFImages().recognizes(file) { return GIFImages.hasSecondFrame(file) }
        let brand = file.count >= 12 && file[4..<8].elementsEqual("ftyp".utf8) ? file[8..<12] : []
        return ["avis", "msf1", "hevc", "hevx"].contains { brand.elementsEqual($0.utf8) }
    }

    /// XMP without what it says of a gain map, of further pictures in the file and of further XMP, which would be wrong
    /// without these; nil where that cannot be taken out.
    private static func withoutOtherPictures(_ text: [UInt8]) -> [UInt8]? {
        let names = ["hdrgm:", "HDRGainMap:", "xmpNote:HasExtendedXMP"].map { Array($0.utf8) }
        let directory = Array("Container:Directory".utf8)
        let spaces = Array(" \t\r\n".utf8)
        let (open, slash) = (UInt8(ascii: "<"), UInt8(ascii: "/"))
        var kept: [UInt8] = []
        var at = 0
        while at < text.count {
            let rest = text[(at + 1)...]
            let isSpace = spaces.contains(text[at])
            guard isSpace || text[at] == open,
                names.contains(where: { rest.starts(with: $0) }) || !isSpace && rest.starts(with: directory)
            else {
                kept.append(text[at])
                at += 1
                continue
            }
            guard let nameEnd = rest.firstIndex(where: { spaces.contains($0) || "=>/".utf8.contains($0) }) else {
                return nil
            }
            if isSpace {
                // An attribute: name="value".
                guard let quote = text[nameEnd...].firstIndex(where: { $0 == 0x22 || $0 == 0x27 }),
                    let end = text[(quote + 1)...].firstIndex(of: text[quote])
                else { return nil }
                at = end + 1
            } else {
                // An element, up to its end.
                let close = [open, slash] + rest[..<nameEnd] + [UInt8(ascii: ">")]
                guard let tagEnd = text[nameEnd...].firstIndex(of: UInt8(ascii: ">")) else { return nil }
                if text[tagEnd - 1] == slash {
                    at = tagEnd + 1
                } else {
                    guard let end = text[tagEnd...].firstRange(of: close) else { return nil }
                    at = end.upperBound
                }
            }
        }
        return kept
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

    /// A text of the first directory; nil if there is none, or it is empty.
    func text(_ tag: Int) -> String? {
        guard let found = bytes(of: tag)?.prefix(while: { $0 != 0 }) else { return nil }
        // Not all programs write UTF-8, which is right for ASCII too.
        let text =
            String(validating: found, as: UTF8.self)
            ?? String(String.UnicodeScalarView(found.map { Unicode.Scalar($0) }))
        let trimmed = text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed()
        return trimmed.isEmpty ? nil : String(trimmed)
    }

    /// A text, or bytes, of the first directory.
    func bytes(of tag: Int) -> [UInt8]? {
        guard let first = firstDirectory, let entry = entries(of: first).entries.first(where: { $0.tag == tag }),
            [1, 2, 7].contains(entry.kind), let count = number(at: entry.value - 4, bytes: 4),
            count <= SourceMetadata.bytesMax
        else { return nil }
        guard let start = count <= 4 ? entry.value : number(at: entry.value, bytes: 4), start <= bytes.count - count
        else { return nil }
        return Array(bytes[start..<(start + count)])
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

    /// Whether another picture follows that is not a smaller one of the same, or a mask of it.
    var hasSecondPage: Bool {
        guard let first = firstDirectory, let second = number(at: entries(of: first).next, bytes: 4), second > 0 else {
            return false
        }
        let kind = entries(of: second).entries.first { $0.tag == 254 }.flatMap { number(at: $0.value, bytes: 4) }
        return (kind ?? 0) & 5 == 0 && !entries(of: second).entries.isEmpty
    }

    /// The same of an upright picture in sRGB, without the thumbnail.
    func cleaned() -> [UInt8] {
        var exif = self
        guard let first = firstDirectory else { return bytes }
        exif.set(274, 1, in: first)
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
    ///
    /// - Parameters:
    ///   - size: in pixels.
    ///   - dotsPerInch: that is said in place of what the data say; nil: they stay.
    func sized(_ size: PixelSize, dotsPerInch: Double? = nil) -> [UInt8] {
        var exif = self
        for directory in [firstDirectory, camera].compactMap(\.self) {
            exif.set(0x100, size.width, in: directory)
            exif.set(0x101, size.height, in: directory)
            exif.set(0xA002, size.width, in: directory)
            exif.set(0xA003, size.height, in: directory)
        }
        if let dotsPerInch, dotsPerInch.isFinite, dotsPerInch > 0, let first = firstDirectory {
            // Without an entry for it nothing is said that could be wrong.
            for entry in entries(of: first).entries where [282, 283].contains(entry.tag) && entry.kind == 5 {
                guard let value = number(at: entry.value, bytes: 4) else { continue }
                exif.write(Int((min(dotsPerInch, 4_000_000) * 1000).rounded()), at: value, bytes: 4)
                exif.write(1000, at: value + 4, bytes: 4)
            }
            // Dots per inch.
            exif.set(296, 2, in: first)
        }
        return exif.bytes
    }
}
