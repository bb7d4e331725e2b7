/// EXIF data in files.
enum ExifSegment {
    /// What precedes the data in a segment of JPEG.
    static let mark = Array("Exif\0\0".utf8)

    /// Some writers of other formats put the mark before the data, too.
    static func withoutMark(_ bytes: some Collection<UInt8>) -> [UInt8] {
        Array(bytes.starts(with: mark) ? bytes.dropFirst(mark.count) : bytes.dropFirst(0))
    }
}

extension [JPEGSegment] {
    /// By the first EXIF segment.
    func orientation(in file: [UInt8]) -> ImageOrientation {
        let segment = first { $0.marker == 0xE1 && file[$0.data].starts(with: ExifSegment.mark) }
        guard let segment else { return .upright }
        return ImageOrientation(exif: file[segment.data].dropFirst(ExifSegment.mark.count))
    }

    /// The ICC profile, whose parts are numbered from 1 (ICC.1, annex B.4); nil if there is none or a part is missing.
    func profile(in file: [UInt8]) -> [UInt8]? {
        let mark = [UInt8]("ICC_PROFILE\0".utf8)
        var parts: [UInt8: ArraySlice<UInt8>] = [:]
        var count: UInt8 = 0
        for segment in self where segment.marker == 0xE2 && file[segment.data].starts(with: mark) {
            let data = file[segment.data].dropFirst(mark.count)
            guard data.count >= 2 else { return nil }
            count = data[data.startIndex + 1]
            parts[data[data.startIndex]] = data.dropFirst(2)
        }
        guard count > 0 else { return nil }
        var profile: [UInt8] = []
        for number in 1...count {
            guard let part = parts[number] else { return nil }
            profile += part
        }
        return profile
    }
}
