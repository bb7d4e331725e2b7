/// Metadata as XMP (ISO 16684-1): title, author, rights, software and date.
enum XMPPacket {
    /// That of the photo that the picture was made of, else made of its texts; nil if there is nothing to write.
    ///
    /// - Parameters:
    ///   - description: whose texts are written.
    ///   - byteCountMax: texts are shortened until the packet has at most so many bytes.
    static func make(_ description: PictureDescription, byteCountMax: Int = .max) -> [UInt8]? {
        if let xmp = description.xmp, xmp.count <= byteCountMax { return xmp }
        var textBytes = PictureText.byteCountMax
        while true {
            guard let packet = packet(description, textBytes: textBytes) else { return nil }
            if packet.count <= byteCountMax || textBytes == 0 { return packet }
            textBytes /= 2
        }
    }

    /// Makes a packet that also holds what EXIF says, for files that have no place for that.
    static func makeWithExif(_ description: PictureDescription) -> [UInt8]? {
        let packet = make(description)
        guard let exif = description.exif.flatMap({ ExifTree($0) }) else { return packet }
        do throws(XMLFault) {
            var data = try packet.map { (bytes) throws(XMLFault) in try XMPData(bytes) } ?? XMPData()
            exif.add(to: &data)
            return data.packet()
        } catch {
            // XMP of a project that is none: as it is.
            return packet
        }
    }

    private static func packet(_ description: PictureDescription, textBytes: Int) -> [UInt8]? {
        func text(_ keyword: PictureText.Keyword) -> String? {
            description.text(keyword).map { $0.prefix(utf8: textBytes).xmlEscaped }
        }
        func inLanguage(_ text: String) -> String {
            "<rdf:Alt><rdf:li xml:lang=\"x-default\">\(text)</rdf:li></rdf:Alt>"
        }
        var properties: [(name: String, value: String)] = []
        if let title = text(.title) { properties.append(("dc:title", inLanguage(title))) }
        if let author = text(.author) {
            properties.append(("dc:creator", "<rdf:Seq><rdf:li>\(author)</rdf:li></rdf:Seq>"))
        }
        if let rights = text(.copyright) { properties.append(("dc:rights", inLanguage(rights))) }
        if let software = text(.software) { properties.append(("xmp:CreatorTool", software)) }
        if let date = description.date { properties.append(("xmp:CreateDate", date.xmp)) }
        guard !properties.isEmpty else { return nil }
        let lines = properties.map { "   <\($0.name)>\($0.value)</\($0.name)>\n" }.joined()
        let packet = """
            <?xpacket begin="\u{FEFF}" id="W5M0MpCehiHzreSzNTczkc9d"?>
            <x:xmpmeta xmlns:x="adobe:ns:meta/">
             <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
              <rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xmp="http://ns.adobe.com/xap/1.0/">
            \(lines)  </rdf:Description>
             </rdf:RDF>
            </x:xmpmeta>
            <?xpacket end="r"?>
            """
        return Array(packet.utf8)
    }
}

extension PictureDescription {
    /// nil if there is none in a known form.
    var date: PictureDate? { text(.creationTime).flatMap(PictureDate.init) }
}

extension String {
    /// The first characters, at most `count` bytes of UTF-8.
    func prefix(utf8 count: Int) -> String {
        guard utf8.count > count else { return self }
        var kept = String.UnicodeScalarView()
        var left = count
        for scalar in unicodeScalars {
            left -= UTF8.width(scalar)
            guard left >= 0 else { break }
            kept.append(scalar)
        }
        return String(kept)
    }
}
