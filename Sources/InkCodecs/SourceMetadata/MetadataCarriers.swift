package import InkEngine

/// What of a file holds metadata, by its format, not yet read further.
package struct MetadataCarriers {
    /// EXIF data without a mark before them.
    var exif: [UInt8]?
    /// The tags of a TIFF.
    var tags: ExifTree?
    var xmp: [UInt8]?
    var iptc: [UInt8]?
    var resources = PhotoshopResources()
    /// What the format says in a place of its own.
    package var density: PictureDensity?
    /// Whether the density is that of the stored pixels, which EXIF may turn.
    var turnsDensity = true
    var texts: [CarriedText] = []
    /// What stays behind, as a message says it.
    var lost: [String] = []

    private static let secondPicture = "only the first picture of the file is taken"
    private static let textsMax = 100

    /// Those of a Photoshop file, whose pixels EXIF does not turn.
    package init(of resources: PhotoshopResources) {
        self.resources = resources
        (exif, xmp) = (resources.data[1058], resources.data[1060])
        turnsDensity = false
    }

    package init(of file: [UInt8]) {
        if JPEGImages().recognizes(file) {
            readJPEG(file)
        } else if PNGImages().recognizes(file) {
            readPNG(file)
        } else if WebPImages().recognizes(file) {
            readWebP(file)
        } else if GIFImages().recognizes(file) {
            readGIF(file)
        } else if TIFFImages().recognizes(file) {
            readTIFF(file)
        } else if file.count >= 12, file[4..<8].elementsEqual("ftyp".utf8) {
            readHEIF(file)
        }
    }

    private mutating func add(_ keyword: String, _ text: String) {
        let text = text.trimmingBlanks
        guard !text.isEmpty, text.utf8.count <= PictureText.byteCountMax, texts.count < Self.textsMax else { return }
        texts.append(CarriedText(keyword: keyword, text: text))
    }

    private mutating func lose(_ what: String) { if !lost.contains(what) { lost.append(what) } }

    /// UTF-8 if it is that, else Latin-1.
    private static func text(_ bytes: some Collection<UInt8>) -> String {
        let found = bytes.prefix { $0 != 0 }
        return String(validating: found, as: UTF8.self)
            ?? String(String.UnicodeScalarView(found.map { Unicode.Scalar($0) }))
    }

    // MARK: - JPEG

    private mutating func readJPEG(_ file: [UInt8]) {
        var photoshop: [UInt8] = []
        let photoshopMark = Array("Photoshop 3.0\0".utf8)
        for segment in JPEGSegment.head(of: file) {
            let data = file[segment.data]
            func content(after mark: [UInt8]) -> [UInt8]? {
                data.starts(with: mark) ? Array(data.dropFirst(mark.count)) : nil
            }
            switch segment.marker {
            case 0xE0: if let found = content(after: Array("JFIF\0".utf8)) { readJFIF(found) }
            case JPEGMarker.metadata:
                exif = exif ?? content(after: ExifSegment.mark)
                xmp = xmp ?? content(after: SourceMetadata.xmpMark)
                if data.starts(with: "http://ns.adobe.com/xmp/extension/\0".utf8) {
                    lose("the second part of the XMP data is left out")
                }
                if data.starts(with: "FLIR\0".utf8) { lose("the thermal data of the camera (FLIR) are left out") }
            case JPEGMarker.profile:
                if let found = content(after: Array("MPF\0".utf8)), Self.hasOtherPictures(found) {
                    lose(XMPData.otherPicture)
                }
            case 0xEB: if data.holds("jumb"), data.holds("c2pa") { lose(XMPData.credentials) }
            // Long resources go on in the next segment.
            case 0xED: if let found = content(after: photoshopMark) { photoshop += found }
            case 0xFE: add("comment", Self.text(data))
            default: break
            }
        }
        resources = PhotoshopResources(photoshop)
        // A gain map is such a picture, and is what a person knows of.
        if let xmp, xmp.holds("hdrgm:") || xmp.holds("HDRGainMap") { lost.removeAll { $0 == XMPData.otherPicture } }
        let videos = ["ftypmp4", "ftypisom", "ftypqt  ", "ftypMSNV", "ftyp3gp", "ftypavc1", "MotionPhoto_Data"]
        if videos.contains(where: { file.holds($0) }) { lose(XMPData.video) }
    }

    private mutating func readJFIF(_ data: [UInt8]) {
        guard data.count >= 7 else { return }
        let (across, down) = (Double(Int(data[3]) << 8 | Int(data[4])), Double(Int(data[5]) << 8 | Int(data[6])))
        // 0 tells the shape of pixels only.
        switch data[2] {
        case 1: density = density ?? PictureDensity(across: across, down: down)
        case 2: density = density ?? PictureDensity(across: across, down: down, perInch: 2.54)
        default: break
        }
    }

    /// Whether an index of pictures (CIPA DC-007) has one that is neither the first nor a smaller one of the same.
    private static func hasOtherPictures(_ data: [UInt8]) -> Bool {
        guard let index = TagFile(data), let first = index.firstDirectory,
            let list = index.entries(at: first, countMax: 100)?.entries.first(where: { $0.tag == 0xB002 }),
            let entries = index.bytes(of: list, bytesMax: 1 << 12)
        else { return false }
        return stride(from: 16, to: entries.count - 15, by: 16).contains { at in
            let kind = index.isLittle ? entries[at + 2] : entries[at + 1]
            return kind != 1
        }
    }

    // MARK: - PNG

    private mutating func readPNG(_ file: [UInt8]) {
        exif = PNGExif.find(in: file)
        var profiles: [PNGText] = []
        var unknown: [String] = []
        for (type, data) in PNGChunks(file) {
            switch String(decoding: type, as: UTF8.self) {
            case "pHYs":
                let bytes = Array(data)
                // 0 tells the shape of pixels only.
                if bytes.count == 9, bytes[8] == 1 {
                    density =
                        density
                        ?? PictureDensity(
                            across: Double(bigEndian(bytes, at: 0)), down: Double(bigEndian(bytes, at: 4)),
                            perInch: 0.0254)
                }
            case "acTL": lose(Self.secondPicture)
            case "caBX": lose(XMPData.credentials)
            case "tEXt", "zTXt", "iTXt":
                guard let text = PNGText(type: type, data: data) else {
                    lose("a damaged text of the PNG is left out")
                    break
                }
                if text.profileKind != nil {
                    if profiles.count < 8 { profiles.append(text) }
                } else if text.keyword == "XML:com.adobe.xmp" {
                    xmp = xmp ?? text.bytes
                    if xmp == nil { lose("the XMP data is left out: it is damaged") }
                } else {
                    readText(text, &unknown)
                }
            default: break
            }
        }
        for text in profiles { readProfile(text) }
        for keyword in unknown { lose("the text \"\(shownText(keyword))\" of the PNG is left out") }
    }

    private mutating func readText(_ text: PNGText, _ unknown: inout [String]) {
        let keyword = text.keyword.lowercased()
        // Texts about the program and the day of the file, and what ImageMagick and file managers copy from elsewhere.
        let ownKeywords = ["software", "creation time", "signature", "create-date", "modify-date", "timestamp"]
        let ownPrefixes = ["date:", "exif:", "tiff:", "png:", "icc:", "xmp:", "jpeg:", "thumb::", "dcterms:"]
        guard !ownKeywords.contains(keyword), !ownPrefixes.contains(where: keyword.hasPrefix) else { return }
        guard CarriedText(keyword: keyword, text: "").property != nil else {
            if unknown.count < 10, !unknown.contains(text.keyword) { unknown.append(text.keyword) }
            return
        }
        if texts.count < Self.textsMax, let found = text.text { add(keyword, found) }
    }

    private mutating func readProfile(_ text: PNGText) {
        guard let kind = text.profileKind, ["xmp", "app1", "iptc", "8bim"].contains(kind) else { return }
        guard let found = text.profile else {
            lose("a damaged profile (\(shownText(text.keyword))) of the PNG is left out")
            return
        }
        func isResources(_ bytes: [UInt8]) -> Bool { bytes.starts(with: "8BIM".utf8) }
        switch kind {
        case "xmp": xmp = xmp ?? found
        case "app1":
            if found.starts(with: SourceMetadata.xmpMark) {
                xmp = xmp ?? Array(found.dropFirst(SourceMetadata.xmpMark.count))
            }
        // ImageMagick calls Photoshop's resources so, too.
        default:
            let mark = Array("Photoshop 3.0\0".utf8)
            let bytes = found.starts(with: mark) ? Array(found.dropFirst(mark.count)) : found
            if isResources(bytes) {
                if resources.data.isEmpty { resources = PhotoshopResources(bytes) }
            } else {
                iptc = iptc ?? bytes
            }
        }
    }

    // MARK: - WebP

    private mutating func readWebP(_ file: [UInt8]) {
        if file.count > 20, file[12..<16].elementsEqual("VP8X".utf8), file[20] & 2 != 0 { lose(Self.secondPicture) }
        var at = 12
        while at + 8 <= file.count {
            let length = (0..<4).reduce(0) { $0 | Int(file[at + 4 + $1]) << (8 * $1) }
            guard length <= file.count - at - 8 else { break }
            let data = file[(at + 8)..<(at + 8 + length)]
            switch String(decoding: file[at..<(at + 4)], as: UTF8.self) {
            case "EXIF": exif = exif ?? ExifSegment.withoutMark(data)
            case "XMP ": xmp = xmp ?? Array(data)
            case "C2PA": lose(XMPData.credentials)
            default: break
            }
            at += 8 + length + length % 2
        }
    }

    // MARK: - GIF

    private mutating func readGIF(_ file: [UInt8]) {
        if GIFImages.hasSecondFrame(file) { lose(Self.secondPicture) }
        GIFImages.forEachExtension(of: file) { kind, start in
            func block(at: Int) -> ArraySlice<UInt8>? {
                guard at < file.count, file[at] > 0, at + Int(file[at]) < file.count else { return nil }
                return file[(at + 1)...(at + Int(file[at]))]
            }
            switch kind {
            case 0xFE:
                var (bytes, at): ([UInt8], Int) = ([], start)
                while let data = block(at: at), bytes.count < PictureText.byteCountMax {
                    bytes += data
                    at += data.count + 1
                }
                add("comment", Self.text(bytes))
            // Not in blocks: a trailer lets readers of blocks find the end.
            case 0xFF:
                guard let name = block(at: start), name.elementsEqual("XMP DataXMP".utf8) else { break }
                let rest = file[(name.endIndex)...].prefix(MetadataSize.embeddedBytesMax)
                if let end = rest.firstRange(of: [0x01, 0xFF, 0xFE] as [UInt8]) {
                    xmp = xmp ?? Array(rest[..<end.lowerBound])
                }
            default: break
            }
        }
    }

    // MARK: - TIFF

    private mutating func readTIFF(_ file: [UInt8]) {
        guard let tags = ExifTree(file) else { return }
        self.tags = tags
        if tags.hasSecondPage { lose(Self.secondPicture) }
        if tags.hasGeoreference { lose("the georeference (GeoTIFF) is left out") }
        if tags.embedded[0xCD41] != nil { lose(XMPData.credentials) }
        func found(_ tag: UInt16) -> [UInt8]? { tags.embedded[tag].flatMap { $0.isEmpty ? nil : $0 } }
        xmp = found(700)
        iptc = found(33723)
        resources = PhotoshopResources(found(34377) ?? [])
        // Some programs put Photoshop's resources where IPTC belongs.
        if let bytes = iptc, bytes.starts(with: "8BIM".utf8) {
            iptc = nil
            if resources.data[1028] == nil { resources = PhotoshopResources(bytes) }
        }
    }

    // MARK: - HEIF

    private mutating func readHEIF(_ file: [UInt8]) {
        turnsDensity = false
        let brand = file[8..<12]
        if ["avis", "msf1", "hevc", "hevx"].contains(where: { brand.elementsEqual($0.utf8) }) {
            lose(Self.secondPicture)
        }
        guard let reader = [false, true].map(HEIFImages.init).first(where: { $0.recognizes(file) }) else { return }
        (exif, xmp) = reader.metadata(file)
        // Items are named before the data.
        let head = file.prefix(HEIFTransforms.headByteCount(of: file))
        if ["hdrgainmap", "tmap"].contains(where: { head.holds($0) }) { lose(XMPData.gainMap) }
        let depths = ["urn:mpeg:hevc:2015:auxid:2", "auxiliary:depth", "aux:disparity", "aux:depth"]
        if depths.contains(where: { head.holds($0) }) { lose(XMPData.depth) }
        // The first bytes of the box's identifier.
        if file.firstRange(of: [0x75, 0x75, 0x69, 0x64, 0xD8, 0xFE, 0xC3, 0xD6, 0x1B, 0x0E] as [UInt8]) != nil {
            lose(XMPData.credentials)
        }
    }
}
