import InkEngine

/// Writes the page, then the picture's stream, then alpha, which waits in a store until then.
struct PDFAssembler: PictureAssembler {
    private let head: PictureHead
    private var body = PDFBody()
    private let hasAlpha: Bool
    private let metadata, info: Int
    /// The sum of the stream so far, with its head.
    private var colors = StreamSum()
    private var alpha = StreamSum()

    /// The store of the soft mask.
    private static let alphaStore = 1

    /// The numbers of the objects that every file has, and of the soft mask, which pictures with alpha have.
    enum Numbers {
        static let (catalog, pages, page, contents, image, length, profile, mask) = (1, 2, 3, 4, 5, 6, 7, 8)
    }

    /// The comment with bytes above 127 shows that the file is not text.
    static let header = Array("%PDF-1.7\n%".utf8) + [0xE2, 0xE3, 0xCF, 0xD3, 0x0A]

    /// A zlib stream that grows.
    private struct StreamSum {
        /// Deflate with a window of 32 KB, as in a PNG.
        static let head: [UInt8] = [0x78, 0x01]
        var byteCount = 0
        var adler32 = Adler32.empty
        var crc = crc32([])

        mutating func add(_ bytes: [UInt8]) -> [UInt8] {
            byteCount += bytes.count
            crc = crc32(bytes, seed: crc)
            return bytes
        }
    }

    init(_ head: PictureHead) {
        self.head = head
        hasAlpha = head.pixels == .rgba
        for _ in Numbers.catalog...(hasAlpha ? Numbers.mask : Numbers.profile) { _ = body.reserve() }
        metadata = XMPPacket.makeWithExif(head.description) == nil ? 0 : body.reserve()
        info = PDFAssembler.info(head.description) == nil ? 0 : body.reserve()
    }

    mutating func begin() -> [PictureWrite] {
        var bytes = body.add(PDFAssembler.header)
        let packet = XMPPacket.makeWithExif(head.description)
        bytes += body.object(
            Numbers.catalog,
            PDFAssembler.catalog(
                pages: Numbers.pages, profile: Numbers.profile, metadata: packet == nil ? nil : metadata))
        bytes += body.object(Numbers.pages, "<< /Type /Pages /Kids [\(Numbers.page) 0 R] /Count 1 >>")
        bytes += body.object(Numbers.page, pageDictionary)
        let size = PDFPage(fitting: head.size, head.encoding, head.description.density)
        let matrix = "\(PDFText.number(size.width)) 0 0 \(PDFText.number(size.height)) 0 0"
        bytes += body.stream(Numbers.contents, "", Array("q \(matrix) cm /Im0 Do Q".utf8))
        bytes += body.stream(Numbers.profile, "/N 3", SRGBProfile.bytes)
        if let packet { bytes += body.stream(metadata, "/Type /Metadata /Subtype /XML", packet) }
        if let info = PDFAssembler.info(head.description) { bytes += body.object(self.info, info) }
        bytes += body.begin(Numbers.image)
        bytes += body.add(
            "<< \(imageDictionary(colorSpace: "DeviceRGB", channels: 3))"
                + (hasAlpha ? " /SMask \(Numbers.mask) 0 R" : "") + " /Length \(Numbers.length) 0 R >>\nstream\n")
        bytes += body.add(colors.add(StreamSum.head))
        var writes: [PictureWrite] = [.append(bytes)]
        if hasAlpha { writes.append(.append(alpha.add(StreamSum.head), to: PDFAssembler.alphaStore)) }
        return writes
    }

    /// The colours are sRGB for all that is shown.
    static func catalog(pages: Int, profile: Int, metadata: Int?) -> String {
        "<< /Type /Catalog /Pages \(pages) 0 R" + (metadata.map { " /Metadata \($0) 0 R" } ?? "")
            + " /OutputIntents [<< /Type /OutputIntent /S /GTS_PDFA1 /OutputConditionIdentifier (sRGB)"
            + " /Info (sRGB) /DestOutputProfile \(profile) 0 R >>] >>"
    }

    private var pageDictionary: String {
        PDFPage(fitting: head.size, head.encoding, head.description.density).dictionary(
            isTransparent: hasAlpha, resources: "<< /XObject << /Im0 \(Numbers.image) 0 R >> >>")
    }

    private func imageDictionary(colorSpace: String, channels: Int) -> String {
        "/Type /XObject /Subtype /Image /Width \(head.size.width) /Height \(head.size.height)"
            + " /ColorSpace /\(colorSpace) /BitsPerComponent 8 /Filter /FlateDecode"
            + " /DecodeParms << /Predictor 15 /Colors \(channels) /BitsPerComponent 8 /Columns \(head.size.width) >>"
    }

    static func info(_ description: PictureDescription) -> String? {
        var entries: [String] = []
        func add(_ key: String, _ keyword: PictureText.Keyword) {
            if let text = description.text(keyword) { entries.append("/\(key) \(PDFText.text(text))") }
        }
        add("Title", .title)
        add("Author", .author)
        add("Creator", .software)
        add("Producer", .software)
        if let date = description.date { entries.append("/CreationDate \(PDFText.text(date.pdf))") }
        return entries.isEmpty ? nil : "<< \(entries.joined(separator: " ")) >>"
    }

    mutating func add(_ piece: EncodedPiece) -> [PictureWrite] {
        guard hasAlpha else {
            colors.adler32 = Adler32.combine(colors.adler32, piece.adler32, lengthB: piece.rawByteCount)
            return [.append(body.add(colors.add(piece.bytes)))]
        }
        guard let parts = PDFPiece(piece.bytes[...]) else { preconditionFailure("a piece without alpha") }
        let alphaBytes = piece.rowCount * (1 + head.size.width)
        colors.adler32 = Adler32.combine(
            colors.adler32, piece.adler32, lengthB: piece.rawByteCount - alphaBytes)
        alpha.adler32 = Adler32.combine(alpha.adler32, parts.alphaAdler32, lengthB: alphaBytes)
        return [
            .append(body.add(colors.add(Array(parts.colors)))),
            .append(alpha.add(Array(parts.alpha)), to: PDFAssembler.alphaStore),
        ]
    }

    mutating func end() -> [PictureWrite] {
        var writes: [PictureWrite] = [
            .append(body.add(colors.add(bigEndian(colors.adler32))) + body.add("\nendstream\nendobj\n"))
        ]
        if hasAlpha {
            let store = PDFAssembler.alphaStore
            writes.append(.append(alpha.add(bigEndian(alpha.adler32)), to: store))
            let dictionary = imageDictionary(colorSpace: "DeviceGray", channels: 1)
            writes.append(
                .append(body.begin(Numbers.mask) + body.add("<< \(dictionary) /Length \(alpha.byteCount) >>\nstream\n"))
            )
            writes.append(.move(store))
            body.add(byteCount: alpha.byteCount, crc: alpha.crc)
            writes.append(.append(body.add("\nendstream\nendobj\n")))
        }
        var bytes = body.object(Numbers.length, "\(colors.byteCount)")
        bytes += body.ending(
            info: info, streams: littleEndian(colors.adler32) + littleEndian(alpha.adler32),
            digest: head.description.digest)
        return writes + [.append(bytes)]
    }

    /// 16 bytes by everything in the file so far, which equal pictures share.
    static func identifier(_ body: PDFBody, _ more: [UInt8]) -> String {
        let known = littleEndian(UInt64(body.crc)) + littleEndian(UInt64(body.byteCount)) + more
        return Array(SHA256.digest(known).prefix(16)).hexadecimal
    }
}

extension PDFBody {
    /// The table of objects and all that follows it.
    ///
    /// - Parameters:
    ///   - info: the number of the document information; 0: there is none.
    ///   - streams: more that identifies the file.
    mutating func ending(info: Int, streams: [UInt8] = [], digest: PictureDigest?) -> [UInt8] {
        let id = PDFAssembler.identifier(self, streams + (digest?.bytes ?? []))
        var (bytes, offset) = crossReferences(
            "/Root \(PDFAssembler.Numbers.catalog) 0 R" + (info == 0 ? "" : " /Info \(info) 0 R")
                + " /ID [<\(id)> <\(id)>]")
        guard let digest else { return bytes + PDFDigest.ending(offset).dropFirst() }
        bytes += add(PDFDigest.mark + digest.description + " ")
        let ending = PDFDigest.ending(offset)
        return bytes + littleEndian(crc32(ending, seed: crc)).hexadecimal.utf8 + ending
    }
}

/// The digest of a picture's inputs, and the checksum that detects an incomplete or damaged picture: a comment before the
/// file's last lines.
enum PDFDigest {
    static let mark = "%inKD "

    /// The line's end and the last lines.
    static func ending(_ crossReferences: Int) -> [UInt8] { Array("\nstartxref\n\(crossReferences)\n%%EOF\n".utf8) }

    private static let crcDigits = 8
    /// Longer than mark, digest, checksum and ending together.
    private static let tailBytes = 160

    /// The digest of a complete file; nil for any other file.
    static func read(_ file: BufferedFile) throws(EngineError) -> PictureDigest? {
        var (tail, isFirst): ([UInt8], Bool) = ([], true)
        var crc = crc32([])
        while let piece = try file.readUpTo(BufferedFile.bufferByteCount) {
            if isFirst, !piece.starts(with: "%PDF-".utf8) { return nil }
            isFirst = false
            tail += piece
            guard tail.count > tailBytes else { continue }
            crc = crc32(tail.dropLast(tailBytes), seed: crc)
            tail = tail.suffix(tailBytes)
        }
        let mark = Array(mark.utf8)
        let lineBytes = mark.count + 2 * PictureDigest.byteCount + 1 + crcDigits
        guard let start = tail.indices.last(where: { tail[$0...].starts(with: mark) }),
            start + lineBytes < tail.count
        else { return nil }
        let sumAt = start + lineBytes - crcDigits
        let ending = tail[(sumAt + crcDigits)...]
        let sum = crc32(ending, seed: crc32(tail[..<sumAt], seed: crc))
        guard tail[sumAt..<(sumAt + crcDigits)].elementsEqual(littleEndian(sum).hexadecimal.utf8) else { return nil }
        let digits = tail[(start + mark.count)..<(sumAt - 1)]
        return PictureDigest(bytes: PDFDigest.bytes(ofHexadecimal: digits))
    }

    private static func bytes(ofHexadecimal digits: ArraySlice<UInt8>) -> [UInt8] {
        let text = Array(digits)
        return stride(from: 0, to: text.count - 1, by: 2).compactMap {
            UInt8(String(decoding: text[$0..<($0 + 2)], as: UTF8.self), radix: 16)
        }
    }
}
