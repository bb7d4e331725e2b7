package import InkEngine

/// What a picture file says about itself, as it is to be written into another file that shows the picture upright and in
/// sRGB; who made it; and what of it stays behind.
package struct SourceMetadata: Hashable {
    /// A TIFF directory, without the mark that JPEG puts before it.
    package private(set) var exif: [UInt8]?
    /// XML: what the file says in XMP, then what it says in IPTC and in texts.
    package private(set) var xmp: [UInt8]?
    package private(set) var density: PictureDensity?
    package private(set) var author: String?
    package private(set) var copyright: String?
    /// What is not taken over, as a message says it.
    package private(set) var leftOut: [String] = []

    static let xmpMark = Array("http://ns.adobe.com/xap/1.0/\0".utf8)

    package init(of file: [UInt8]) { self.init(MetadataCarriers(of: file)) }

    package init(_ carriers: MetadataCarriers) {
        for what in carriers.lost { lose(what) }
        let tree = carriers.tags ?? carriers.exif.flatMap { ExifTree($0) }
        if let found = carriers.exif, tree == nil || found.count > MetadataSize.embeddedBytesMax {
            lose("the EXIF data is left out: it is damaged")
        }
        if tree?.isDamaged == true { lose("part of the EXIF data is left out: it is damaged or too large") }
        if let tree, !tree.isEmpty {
            exif = tree.written(nil, nil)
            if exif == nil { lose("the EXIF data is left out: it has more than \(MetadataSize.bytesMax) bytes") }
        }
        density = carriers.density ?? tree?.density ?? carriers.resources.density
        if carriers.turnsDensity, let orientation = tree?.orientation { density = density?.turned(orientation) }
        makeXMP(carriers)
        author = tree?.text(315) ?? author
        copyright = tree?.text(33432) ?? copyright
    }

    private mutating func lose(_ what: String) { if !leftOut.contains(what) { leftOut.append(what) } }

    private mutating func makeXMP(_ carriers: MetadataCarriers) {
        var data = XMPData()
        if let found = carriers.xmp {
            if found.count > MetadataSize.embeddedBytesMax {
                lose(
                    "the XMP data is left out: it has \(found.count) bytes, of at most \(MetadataSize.embeddedBytesMax)"
                )
            } else {
                do throws(XMLFault) {
                    data = try XMPData(found)
                } catch {
                    lose("the XMP data is left out: it is damaged (" + error.reason + ")")
                }
            }
            for what in data.removeWhatStaysBehind() { lose(what) }
        }
        let own = data
        addCaptions(carriers, to: &data)
        xmp = data.packet()
        if let count = xmp?.count, count > MetadataSize.bytesMax {
            var (shorter, shorterOwn) = (data, own)
            shorter.removeHistory()
            shorterOwn.removeHistory()
            // The XMP of the file comes before what would be added to it.
            for (candidate, what) in [(shorter, "its history"), (shorterOwn, "its history, and IPTC data, are")] {
                guard let packet = candidate.packet(), packet.count <= MetadataSize.bytesMax else { continue }
                lose("of the XMP data \(what) left out: it has \(count) bytes, of at most \(MetadataSize.bytesMax)")
                (xmp, data) = (packet, candidate)
                break
            }
            if let count = xmp?.count, count > MetadataSize.bytesMax {
                lose("the XMP data is left out: it has \(count) bytes, of at most \(MetadataSize.bytesMax)")
                (xmp, data) = (nil, XMPData())
            }
        }
        typealias Space = XMPData.Namespace
        author = data.text(.init(Space.dc, "creator"))
        copyright = data.text(.init(Space.dc, "rights"))
    }

    /// IPTC, Photoshop's resources and texts, where XMP does not say the same.
    private mutating func addCaptions(_ carriers: MetadataCarriers, to data: inout XMPData) {
        if let bytes = carriers.iptc ?? carriers.resources.data[1028] {
            let iptc = IPTCData(bytes)
            if iptc.isDamaged { lose("part of the IPTC data is left out: it is damaged") }
            let others = iptc.add(to: &data)
            if !others.isEmpty {
                let names = others.map { "2:\($0)" }.joined(separator: ", ")
                lose("the IPTC data \(names) \(others.count == 1 ? "is" : "are") left out: XMP has no like")
            }
        }
        carriers.resources.add(to: &data)
        for text in carriers.texts { text.property?.add(to: &data, text.text) }
    }
}

/// A text that a PNG, a JPEG or a GIF has by itself.
struct CarriedText: Hashable {
    /// A keyword of PNG, in lower case.
    var keyword: String
    var text: String

    struct Property {
        var name: XMPData.Name
        var form: XMPData.Form

        func add(to data: inout XMPData, _ text: String) { data.add(name, [text.trimmingBlanks], form) }
    }

    /// nil for texts that XMP has no like for.
    var property: Property? {
        typealias Space = XMPData.Namespace
        return switch keyword {
        case "title": Property(name: .init(Space.dc, "title"), form: .language)
        case "author": Property(name: .init(Space.dc, "creator"), form: .sequence)
        case "description": Property(name: .init(Space.dc, "description"), form: .language)
        case "copyright": Property(name: .init(Space.dc, "rights"), form: .language)
        case "disclaimer": Property(name: .init(Space.rights, "UsageTerms"), form: .language)
        case "warning": Property(name: .init(Space.photoshop, "Instructions"), form: .text)
        case "source": Property(name: .init(Space.dc, "source"), form: .text)
        case "comment": Property(name: .init(Space.exif, "UserComment"), form: .language)
        default: nil
        }
    }
}
