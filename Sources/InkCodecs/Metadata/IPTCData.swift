import InkEngine

/// Captions as agencies write them: the records of the IPTC Information Interchange Model (IIM 4.2).
struct IPTCData {
    /// The values of the application record, by the numbers of its datasets, in order.
    private(set) var values: [UInt8: [String]] = [:]
    /// Whether the data end in the middle of a dataset.
    private(set) var isDamaged = false

    /// A text may be 2,000 bytes long, a list 1,000 values.
    private static let textBytesMax = 32_768
    private static let countMax = 1_000

    /// - Parameter data: of which `MetadataSize.embeddedBytesMax` bytes at most are read.
    init(_ data: [UInt8]) {
        var data = Array(data.prefix(MetadataSize.embeddedBytesMax))
        // Some writers of TIFF take them for numbers of 32 bits, and turn these around.
        if data.count >= 4, data[0] != 0x1C, data[3] == 0x1C {
            data = TagValue(kind: 4, count: data.count / 4, bytes: data).swapped
        }
        var isUTF8 = false
        var found: [(number: UInt8, bytes: ArraySlice<UInt8>)] = []
        var at = 0
        while at < data.count, data[at] == 0x1C {
            guard at + 5 <= data.count else { break }
            var count = Int(data[at + 3]) << 8 | Int(data[at + 4])
            var start = at + 5
            if count >= 0x8000 {
                // The length of a length.
                let bytes = count & 0x7FFF
                guard (1...4).contains(bytes), start + bytes <= data.count else { break }
                count = data[start..<(start + bytes)].reduce(0) { $0 << 8 | Int($1) }
                start += bytes
            }
            guard count <= data.count - start else { break }
            let value = data[start..<(start + count)]
            switch data[at + 1] {
            // The escape sequence of ISO 2022 for UTF-8.
            case 1: if data[at + 2] == 90 { isUTF8 = value.starts(with: [0x1B, 0x25, 0x47]) }
            case 2: if found.count < Self.countMax { found.append((data[at + 2], value)) }
            default: break
            }
            at = start + count
        }
        // Zeros may fill the rest.
        isDamaged = data[min(at, data.count)...].contains { $0 != 0 }
        let isASCIIOrUTF8 = found.allSatisfy { String(validating: $0.bytes, as: UTF8.self) != nil }
        for (number, bytes) in found where bytes.count <= Self.textBytesMax {
            let text =
                (isUTF8 || isASCIIOrUTF8 ? String(validating: bytes, as: UTF8.self) : nil) ?? Self.windows(bytes)
            let trimmed = text.filter { $0 != "\0" }.trimmingBlanks
            if !trimmed.isEmpty { values[number, default: []].append(trimmed) }
        }
    }

    /// Without a named set of characters most programs wrote that of Windows (code page 1252).
    private static func windows(_ bytes: ArraySlice<UInt8>) -> String {
        var text = String.UnicodeScalarView()
        for byte in bytes {
            let special = (0x80...0x9F).contains(byte) ? windowsScalars[Int(byte) - 0x80] : UInt32(byte)
            text.append(Unicode.Scalar(special) ?? "\u{FFFD}")
        }
        return String(text)
    }

    private static let windowsScalars: [UInt32] = [
        0x20AC, 0xFFFD, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0xFFFD,
        0x017D, 0xFFFD, 0xFFFD, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A,
        0x0153, 0xFFFD, 0x017E, 0x0178,
    ]

    private typealias Space = XMPData.Namespace

    /// The properties of XMP for datasets (IPTC Photo Metadata Standard).
    private static let properties: [(number: UInt8, name: XMPData.Name, form: XMPData.Form)] = [
        (5, .init(Space.dc, "title"), .language), (10, .init(Space.photoshop, "Urgency"), .text),
        (15, .init(Space.photoshop, "Category"), .text),
        (20, .init(Space.photoshop, "SupplementalCategories"), .bag), (25, .init(Space.dc, "subject"), .bag),
        (40, .init(Space.photoshop, "Instructions"), .text), (65, .init(Space.xmp, "CreatorTool"), .text),
        (80, .init(Space.dc, "creator"), .sequence), (85, .init(Space.photoshop, "AuthorsPosition"), .text),
        (90, .init(Space.photoshop, "City"), .text), (92, .init(Space.iptcCore, "Location"), .text),
        (95, .init(Space.photoshop, "State"), .text), (100, .init(Space.iptcCore, "CountryCode"), .text),
        (101, .init(Space.photoshop, "Country"), .text),
        (103, .init(Space.photoshop, "TransmissionReference"), .text),
        (105, .init(Space.photoshop, "Headline"), .text), (110, .init(Space.photoshop, "Credit"), .text),
        (115, .init(Space.photoshop, "Source"), .text), (116, .init(Space.dc, "rights"), .language),
        (120, .init(Space.dc, "description"), .language), (122, .init(Space.photoshop, "CaptionWriter"), .text),
    ]

    /// Datasets that are not texts of a person: versions, and small pictures.
    private static let plainNumbers: Set<UInt8> = [0, 3, 22, 70, 200, 201, 202]

    /// Adds the properties that the XMP data do not have.
    ///
    /// - Returns: the numbers of the datasets that have no property.
    func add(to xmp: inout XMPData) -> [UInt8] {
        var known = Self.plainNumbers
        for (number, name, form) in Self.properties {
            known.insert(number)
            if let texts = values[number] { xmp.add(name, texts, form) }
        }
        // A number and a name, separated by a colon; subjects have three more names.
        let genres = (values[4] ?? []).compactMap { $0.split(separator: ":").last.map(String.init) }
        xmp.add(.init(Space.iptcCore, "IntellectualGenre"), genres, .text)
        let subjects = (values[12] ?? []).compactMap { text -> String? in
            let fields = text.split(separator: ":", omittingEmptySubsequences: false)
            return fields.count > 1 ? String(fields[1]) : nil
        }
        xmp.add(.init(Space.iptcCore, "SubjectCode"), subjects, .bag)
        xmp.add(.init(Space.photoshop, "DateCreated"), [date(55, 60)].compactMap(\.self), .text)
        xmp.add(.init(Space.xmp, "CreateDate"), [date(62, 63)].compactMap(\.self), .text)
        if let contact = values[118] {
            let name = XMPData.Name(Space.iptcCore, "CreatorContactInfo")
            let address = XMPData.Node(
                name: .init(Space.iptcCore, "CiAdrExtadr"), text: contact.joined(separator: "\n"))
            let resource = XMPData.Attribute(name: .init(Space.rdf, "parseType"), value: "Resource")
            xmp.add(XMPData.Node(name: name, attributes: [resource], children: [address]))
        }
        known.formUnion([4, 12, 55, 60, 62, 63, 118])
        return values.keys.filter { !known.contains($0) }.sorted()
    }

    /// `20260504` and `102030+0200`, as XMP writes them.
    private func date(_ day: UInt8, _ time: UInt8) -> String? {
        guard let day = values[day]?.first?.filter({ $0 != "-" && $0 != ":" }),
            let match = day.wholeMatch(of: /(\d{4})(\d\d)(\d\d)/)
        else { return nil }
        let (year, month, date) = (match.1, match.2, match.3)
        // Parts that are not known are zero.
        guard month != "00" else { return year == "0000" ? nil : String(year) }
        guard date != "00" else { return "\(year)-\(month)" }
        let clock = values[time]?.first?.filter { $0 != ":" }.wholeMatch(of: /(\d\d)(\d\d)(\d\d)([+-]\d{4})?/)
        guard let clock else { return "\(year)-\(month)-\(date)" }
        let zone = clock.4.map { $0.prefix(3) + ":" + $0.suffix(2) } ?? ""
        return "\(year)-\(month)-\(date)T\(clock.1):\(clock.2):\(clock.3)\(zone)"
    }
}

/// The resources of Photoshop, as its documents, JPEG (APP13) and TIFF (tag 34377) have them.
package struct PhotoshopResources {
    /// The first of each number.
    private(set) var data: [Int: [UInt8]] = [:]

    private static let countMax = 4_000

    /// Those that are read: resolution, IPTC, copyright flag, address, EXIF, XMP.
    private static let numbers: Set<Int> = [1005, 1028, 1034, 1035, 1058, 1060]

    package init(_ bytes: [UInt8]) {
        var at = 0
        for _ in 0..<Self.countMax {
            guard at + 12 <= bytes.count else { return }
            let mark = bytes[at..<(at + 4)]
            guard ["8BIM", "PHUT", "AgHg", "DCSR", "MeSa"].contains(where: { mark.elementsEqual($0.utf8) }) else {
                return
            }
            let number = Int(bytes[at + 4]) << 8 | Int(bytes[at + 5])
            at += 6
            // A name, with its length before it, of an even number of bytes.
            at += (Int(bytes[at]) + 2) & ~1
            guard at + 4 <= bytes.count else { return }
            let count = Int(bigEndian(bytes, at: at))
            at += 4
            guard count <= bytes.count - at else { return }
            add(number, bytes[at..<(at + count)])
            at += (count + 1) & ~1
        }
    }

    init() {}

    mutating func add(_ number: Int, _ bytes: ArraySlice<UInt8>) {
        guard Self.numbers.contains(number), bytes.count <= MetadataSize.embeddedBytesMax, data[number] == nil else {
            return
        }
        data[number] = Array(bytes)
    }

    /// 16.16 fixed point, dots per inch, whatever unit is shown.
    var density: PictureDensity? {
        guard let bytes = data[1005], bytes.count >= 16 else { return nil }
        return PictureDensity(
            across: Double(bigEndian(bytes, at: 0)) / 65_536, down: Double(bigEndian(bytes, at: 8)) / 65_536)
    }

    /// What they say of rights.
    func add(to xmp: inout XMPData) {
        if data[1034]?.first == 1 { xmp.add(.init(XMPData.Namespace.rights, "Marked"), ["True"], .text) }
        if let address = data[1035], let text = String(validating: address, as: UTF8.self)?.trimmingBlanks {
            xmp.add(.init(XMPData.Namespace.rights, "WebStatement"), [text.filter { $0 != "\0" }], .text)
        }
    }
}
