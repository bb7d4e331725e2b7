import InkEngine

/// The numbers of the objects of a gradient.
struct PDFGradient {
    var colors: Int
    /// The mask of its alphas; nil if it is opaque.
    var mask: Int?
}

extension VectorGradient {
    /// The dictionary of a shading of the colours, or of the alphas as grays.
    func shading(ofAlpha: Bool) -> String {
        let coordinates: [Double]
        let type: Int
        switch kind {
        case .linear(let from, let to): (type, coordinates) = (2, [from.x, from.y, to.x, to.y])
        case .radial(let center, let radius):
            (type, coordinates) = (3, [center.x, center.y, 0, center.x, center.y, radius])
        }
        let list = coordinates.map(PDFText.factor).joined(separator: " ")
        return "<< /ShadingType \(type) /ColorSpace /Device\(ofAlpha ? "Gray" : "RGB") /Coords [\(list)]"
            + " /Extend [true true] /Function \(function(ofAlpha: ofAlpha)) >>"
    }

    /// A function of the place, 0 to 1.
    private func function(ofAlpha: Bool) -> String {
        func values(_ color: RGBA8) -> String {
            let levels = ofAlpha ? [color.alpha] : [color.red, color.green, color.blue]
            return "[\(levels.map { PDFText.number(Double($0) / 255) }.joined(separator: " "))]"
        }
        func part(_ from: RGBA8, _ to: RGBA8) -> String {
            "<< /FunctionType 2 /Domain [0 1] /N 1 /C0 \(values(from)) /C1 \(values(to)) >>"
        }
        guard let first = stops.first, let last = stops.last else { return part(.black, .black) }
        // Ranges without extent are left out: at a border the later range counts.
        var parts: [(from: RGBA8, to: RGBA8, end: Double)] = []
        if first.offset > 0 { parts.append((first.color, first.color, first.offset)) }
        for (stop, next) in zip(stops, stops.dropFirst()) where stop.offset < next.offset {
            parts.append((stop.color, next.color, next.offset))
        }
        if last.offset < 1 || parts.isEmpty { parts.append((last.color, last.color, 1)) }
        if parts.count == 1 { return part(parts[0].from, parts[0].to) }
        let functions = parts.map { part($0.from, $0.to) }.joined(separator: " ")
        let bounds = parts.dropLast().map { PDFText.factor($0.end) }.joined(separator: " ")
        let ranges = parts.map { _ in "0 1" }.joined(separator: " ")
        return "<< /FunctionType 3 /Domain [0 1] /Functions [\(functions)] /Bounds [\(bounds)] /Encode [\(ranges)] >>"
    }
}

/// The font of texts that nobody sees: a code for each letter, and what it means, but no glyphs (PDF 1.7, 9.10.3).
struct PDFTextFont {
    let number: Int
    private let descendant, descriptor, meanings: Int
    private var codes: [Unicode.Scalar: Int] = [:]
    private var scalars: [Unicode.Scalar] = []

    /// The share of the font's size that each letter is wide.
    private static let width = 0.5
    /// Mappings that a CMap takes at once.
    private static let mappingsMax = 100
    private static let codesMax = 0xFFFF

    init(_ body: inout PDFBody) {
        (number, descendant, descriptor, meanings) = (body.reserve(), body.reserve(), body.reserve(), body.reserve())
    }

    /// The operators that show a text, behind the name of the font.
    mutating func show(_ text: VectorText) -> [UInt8] {
        var bytes: [UInt8] = []
        var count = 0
        for scalar in text.text.unicodeScalars {
            let code = codes[scalar] ?? scalars.count + 1
            guard code <= PDFTextFont.codesMax else { continue }
            if codes[scalar] == nil {
                codes[scalar] = code
                scalars.append(scalar)
            }
            bytes += [UInt8(code >> 8), UInt8(code & 0xFF)]
            count += 1
        }
        let natural = Double(max(count, 1)) * PDFTextFont.width * text.size
        let place = AffineMap(
            a: text.along.x, b: text.along.y, c: text.along.y, d: -text.along.x, x: text.origin.x, y: text.origin.y)
        return Array(
            ("\(PDFText.factor(text.size)) Tf 3 Tr \(PDFText.factor(100 * text.length / natural)) Tz "
                + "\(PDFText.matrix(place)) Tm <\(bytes.hexadecimal)> Tj ").utf8)
    }

    /// The objects of the font, when all texts are known.
    func objects(_ body: inout PDFBody) throws(EngineError) -> [UInt8] {
        let name = "/BaseFont /Helvetica"
        var bytes = body.object(
            number,
            "<< /Type /Font /Subtype /Type0 \(name) /Encoding /Identity-H /DescendantFonts [\(descendant) 0 R] "
                + "/ToUnicode \(meanings) 0 R >>")
        bytes += body.object(
            descendant,
            "<< /Type /Font /Subtype /CIDFontType2 \(name) /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) "
                + "/Supplement 0 >> /FontDescriptor \(descriptor) 0 R /DW \(Int(1000 * PDFTextFont.width)) >>")
        bytes += body.object(
            descriptor,
            "<< /Type /FontDescriptor /FontName /Helvetica /Flags 32 /FontBBox [0 -200 1000 800] /ItalicAngle 0 "
                + "/Ascent 800 /Descent -200 /CapHeight 700 /StemV 80 >>")
        return bytes + body.stream(meanings, "", Array(map.utf8))
    }

    private var map: String {
        var map = "/CIDInit /ProcSet findresource begin 12 dict begin begincmap\n"
        map += "/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def\n"
        map += "/CMapName /Adobe-Identity-UCS def /CMapType 2 def\n"
        map += "1 begincodespacerange <0000> <FFFF> endcodespacerange\n"
        func digits(_ unit: Int) -> String { [UInt8(unit >> 8), UInt8(unit & 0xFF)].hexadecimal }
        for start in stride(from: 0, to: scalars.count, by: PDFTextFont.mappingsMax) {
            let end = min(start + PDFTextFont.mappingsMax, scalars.count)
            map += "\(end - start) beginbfchar\n"
            for index in start..<end {
                let units = String(scalars[index]).utf16.map { digits(Int($0)) }
                map += "<\(digits(index + 1))> <\(units.joined())>\n"
            }
            map += "endbfchar\n"
        }
        return map + "endcmap CMapName currentdict /CMap defineresource pop end end\n"
    }
}

extension PDFText {
    /// The six numbers of a map, as PDF and SVG write them.
    static func matrix(_ map: AffineMap) -> String {
        [map.a, map.b, map.c, map.d, map.x, map.y].map(factor).joined(separator: " ")
    }
}
