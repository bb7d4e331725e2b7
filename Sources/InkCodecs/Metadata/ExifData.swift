import InkEngine

/// EXIF data of a picture (CIPA DC-008): a header as in TIFF, and two directories.
enum ExifData {
    /// Longer texts are cut, so that all fit into a segment of JPEG.
    private static let textBytesMax = 12_000

    /// Those of the photo that the picture was made of, else made of its texts; nil if there is nothing to write.
    static func make(_ description: PictureDescription, _ size: PixelSize) -> [UInt8]? {
        if let written = photo(description, size) { return written }
        guard description.text.contains(where: { !$0.cleanedText.isEmpty }) else { return nil }
        let header: [UInt8] = [0x49, 0x49, 42, 0, 8, 0, 0, 0]
        var main = TagDirectory()
        main.add(description, textBytesMax: textBytesMax)
        main[274] = .short([1])
        // Chroma is in the middle of its pixels.
        main[531] = .short([1])
        main[pointer] = .long([0])
        let start = header.count + main.bytes(at: UInt64(header.count)).count
        main[pointer] = .long([UInt32(start)])
        var exif = TagDirectory()
        exif[36864] = .undefined(Array("0232".utf8))
        exif[36867] = description.date.map { .text($0.exif) }
        exif[36881] = description.date?.exifOffset.map { .text($0) }
        // Y, Cb, Cr.
        exif[37121] = .undefined([1, 2, 3, 0])
        exif[40960] = .undefined(Array("0100".utf8))
        // sRGB.
        exif[40961] = .short([1])
        exif[40962] = .long([UInt32(size.width)])
        exif[40963] = .long([UInt32(size.height)])
        return header + main.bytes(at: UInt64(header.count)) + exif.bytes(at: UInt64(start))
    }

    /// Those of the photo; nil if there are none.
    static func photo(_ description: PictureDescription, _ size: PixelSize) -> [UInt8]? {
        description.exif.flatMap { ExifTree($0) }.flatMap { $0.isEmpty ? nil : $0.written(size, description.density) }
    }

    /// Where the second directory is.
    private static let pointer: UInt16 = 34665
}
