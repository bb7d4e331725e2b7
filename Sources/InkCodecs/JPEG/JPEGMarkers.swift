/// The marker segments of a JPEG file (ITU-T T.81, annex B).
enum JPEGMarker {
    static let startOfImage: UInt8 = 0xD8
    static let endOfImage: UInt8 = 0xD9
    static let startOfScan: UInt8 = 0xDA
    /// RST0; RST1 to RST7 follow.
    static let restart: UInt8 = 0xD0
    /// APP1: EXIF and XMP.
    static let metadata: UInt8 = 0xE1
    /// APP2: ICC profiles.
    static let profile: UInt8 = 0xE2
    /// The marker of a segment of this program, APP15.
    static let application: UInt8 = 0xEF

    /// SOF0 to SOF15, except for the markers in that range with other meanings.
    static func isFrame(_ marker: UInt8) -> Bool {
        (0xC0...0xCF).contains(marker) && ![0xC4, 0xC8, 0xCC].contains(marker)
    }

    /// Whether the marker has no length and no data.
    static func isAlone(_ marker: UInt8) -> Bool { (0xD0...0xD8).contains(marker) || marker == 0x01 }

    /// A segment of at most 65,533 bytes.
    static func segment(_ marker: UInt8, _ data: [UInt8]) -> [UInt8] {
        let count = data.count + 2
        return [0xFF, marker, UInt8(count >> 8), UInt8(count & 0xFF)] + data
    }
}

/// A segment of a file in memory.
struct JPEGSegment {
    var marker: UInt8
    /// Offset of its marker.
    var start: Int
    /// The bytes after marker and length.
    var data: Range<Int>

    /// The segment at or after `offset`; nil if there is none or it is truncated.
    init?(in file: [UInt8], from offset: Int) {
        var at = offset
        guard at < file.count, file[at] == 0xFF else { return nil }
        // Any number of fill bytes may precede a marker.
        while at + 1 < file.count, file[at + 1] == 0xFF { at += 1 }
        guard at + 1 < file.count else { return nil }
        marker = file[at + 1]
        start = at
        if JPEGMarker.isAlone(marker) {
            data = (at + 2)..<(at + 2)
            return
        }
        guard at + 3 < file.count else { return nil }
        let length = Int(file[at + 2]) << 8 | Int(file[at + 3])
        guard length >= 2, at + 2 + length <= file.count else { return nil }
        data = (at + 4)..<(at + 2 + length)
    }

    /// The segments up to the first scan; the header of that scan is the last. What lies between segments is passed
    /// over, as libjpeg does: some cameras and editors leave padding there.
    static func head(of file: [UInt8]) -> [JPEGSegment] {
        var segments: [JPEGSegment] = []
        var offset = 0
        while let segment = JPEGSegment(in: file, from: offset) {
            segments.append(segment)
            if segment.marker == JPEGMarker.startOfScan || segment.marker == JPEGMarker.endOfImage { break }
            offset = segment.data.upperBound
            while offset + 1 < file.count, file[offset] != 0xFF || file[offset + 1] == 0 { offset += 1 }
        }
        return segments
    }
}
