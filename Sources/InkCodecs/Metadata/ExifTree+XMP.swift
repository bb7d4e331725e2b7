extension ExifTree {
    private typealias Space = XMPData.Namespace

    /// How a value is written in XMP.
    private enum Form {
        case text, date, number, numbers, fraction
        /// A text in a language, or a list of one.
        case language, sequence
    }

    private static let properties: [(directory: Directory, tag: UInt16, name: XMPData.Name, form: Form)] = [
        (.main, 270, .init(Space.dc, "description"), .language), (.main, 271, .init(Space.tiff, "Make"), .text),
        (.main, 272, .init(Space.tiff, "Model"), .text), (.main, 306, .init(Space.xmp, "ModifyDate"), .date),
        (.main, 315, .init(Space.dc, "creator"), .sequence), (.main, 33432, .init(Space.dc, "rights"), .language),
        (.camera, 33434, .init(Space.exif, "ExposureTime"), .fraction),
        (.camera, 33437, .init(Space.exif, "FNumber"), .fraction),
        (.camera, 34850, .init(Space.exif, "ExposureProgram"), .number),
        (.camera, 34855, .init(Space.exif, "ISOSpeedRatings"), .numbers),
        (.camera, 36867, .init(Space.exif, "DateTimeOriginal"), .date),
        (.camera, 36868, .init(Space.exif, "DateTimeDigitized"), .date),
        (.camera, 37380, .init(Space.exif, "ExposureBiasValue"), .fraction),
        (.camera, 37383, .init(Space.exif, "MeteringMode"), .number),
        (.camera, 37386, .init(Space.exif, "FocalLength"), .fraction),
        (.camera, 41986, .init(Space.exif, "ExposureMode"), .number),
        (.camera, 41987, .init(Space.exif, "WhiteBalance"), .number),
        (.camera, 41989, .init(Space.exif, "FocalLengthIn35mmFilm"), .number),
        (.camera, 42032, .init(Space.exifEX, "CameraOwnerName"), .text),
        (.camera, 42033, .init(Space.exifEX, "BodySerialNumber"), .text),
        (.camera, 42035, .init(Space.exifEX, "LensMake"), .text),
        (.camera, 42036, .init(Space.exifEX, "LensModel"), .text),
        (.camera, 42037, .init(Space.exifEX, "LensSerialNumber"), .text),
    ]

    /// Where the offsets from UTC of dates are.
    private static let offsets: [UInt16: UInt16] = [306: 36880, 36867: 36881, 36868: 36882]

    /// Adds what XMP has properties for, and does not say itself (XMP specification, part 2, section 2.6), for files that have
    /// no place for EXIF.
    func add(to xmp: inout XMPData) {
        for (directory, tag, name, form) in Self.properties {
            guard let value = values[directory]?[tag] else { continue }
            switch form {
            case .text: xmp.add(name, [value.text].compactMap(\.self), .text)
            case .language: xmp.add(name, [value.text].compactMap(\.self), .language)
            case .sequence: xmp.add(name, [value.text].compactMap(\.self), .sequence)
            case .date: xmp.add(name, [date(value, tag)].compactMap(\.self), .text)
            case .number: xmp.add(name, [value.number.map(String.init)].compactMap(\.self), .text)
            case .numbers: xmp.add(name, [value.number.map(String.init)].compactMap(\.self), .sequence)
            case .fraction: xmp.add(name, [Self.fraction(value)].compactMap(\.self), .text)
            }
        }
        let places = values[.places] ?? [:]
        for (tag, name) in [(2, "GPSLatitude"), (4, "GPSLongitude")] as [(UInt16, String)] {
            xmp.add(.init(Space.exif, name), [angle(places[tag], places[tag - 1])].compactMap(\.self), .text)
        }
        if let altitude = places[6].flatMap(Self.fraction) {
            xmp.add(.init(Space.exif, "GPSAltitude"), [altitude], .text)
            xmp.add(.init(Space.exif, "GPSAltitudeRef"), ["\(places[5]?.number == 1 ? 1 : 0)"], .text)
        }
    }

    /// `2026:05:04 10:20:30` with its offset, as XMP writes it.
    private func date(_ value: TagValue, _ tag: UInt16) -> String? {
        guard let text = value.text, let match = text.wholeMatch(of: /(\d{4}):(\d\d):(\d\d) (\d\d:\d\d:\d\d)/) else {
            return nil
        }
        let offset = Self.offsets[tag].flatMap { values[.camera]?[$0]?.text } ?? ""
        let zone = offset.wholeMatch(of: /[+-]\d\d:\d\d|Z/) == nil ? "" : offset
        return "\(match.1)-\(match.2)-\(match.3)T\(match.4)\(zone)"
    }

    /// The number at an index, of a rational its numerator and denominator.
    private static func parts(_ value: TagValue, _ index: Int) -> (over: Int, under: Int)? {
        guard value.kind == 5 || value.kind == 10, value.bytes.count >= 8 * (index + 1) else { return nil }
        func part(_ at: Int) -> Int {
            let bits = value.bytes[at..<(at + 4)].reversed().reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
            return value.kind == 10 ? Int(Int32(bitPattern: bits)) : Int(bits)
        }
        return (part(8 * index), part(8 * index + 4))
    }

    private static func fraction(_ value: TagValue) -> String? {
        parts(value, 0).flatMap { $0.under == 0 ? nil : "\($0.over)/\($0.under)" }
    }

    /// Degrees and minutes with decimals, as in `54,19.392600N`.
    private func angle(_ value: TagValue?, _ reference: TagValue?) -> String? {
        guard let value, let letter = reference?.text, ["N", "S", "E", "W"].contains(letter) else { return nil }
        var degrees = 0.0
        for (index, unit) in [1.0, 60, 3600].enumerated() {
            guard let (over, under) = Self.parts(value, index) else { return nil }
            // Without seconds these are 0/0.
            if under != 0 { degrees += Double(over) / Double(under) / unit }
        }
        guard (0...180).contains(degrees) else { return nil }
        let millionths = Int((degrees * 60e6).rounded())
        let (minutes, rest) = (millionths / 1_000_000, String(millionths % 1_000_000))
        return "\(minutes / 60),\(minutes % 60).\(String(repeating: "0", count: 6 - rest.utf8.count))\(rest)\(letter)"
    }
}
