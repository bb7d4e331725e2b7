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
        let domain = domain
        switch kind {
        case .linear(let from, let to):
            let (start, end) = (from + domain.lowerBound * (to - from), from + domain.upperBound * (to - from))
            (type, coordinates) = (2, [start.x, start.y, end.x, end.y])
        case .radial(let center, let radius):
            (type, coordinates) = (3, [center.x, center.y, 0, center.x, center.y, domain.upperBound * radius])
        }
        let list = coordinates.map(PDFText.factor).joined(separator: " ")
        let ends = domain == 0...1 ? "" : " /Domain [\(PDFText.range(domain))]"
        return "<< /ShadingType \(type) /ColorSpace /Device\(ofAlpha ? "Gray" : "RGB") /Coords [\(list)]\(ends)"
            + " /Extend [true true] /Function \(function(over: domain, ofAlpha: ofAlpha)) >>"
    }

    /// The places that the function tells apart: beyond 0...1 where stops coincide at its ends, because what lies
    /// beyond the function's own ends is drawn as these are.
    private var domain: ClosedRange<Double> {
        func coincide(_ own: some Sequence<Gradient.Stop>, at offset: Double) -> Bool {
            let same = own.prefix { $0.offset == offset }
            return same.contains {
                $0.color != same.first?.color && max($0.color.alpha, same.first?.color.alpha ?? 0) > 0
            }
        }
        let margin = VectorGradient.domainMargin
        let from = if case .linear = kind, coincide(stops, at: 0) { -margin } else { 0.0 }
        return from...(coincide(stops.reversed(), at: 1) ? 1 + margin : 1)
    }

    /// Small, because some readers divide the domain into equal steps.
    private static let domainMargin = 1.0 / 16

    /// A function of the place.
    private func function(over domain: ClosedRange<Double>, ofAlpha: Bool) -> String {
        func values(_ color: RGBA8) -> String {
            let levels = ofAlpha ? [color.alpha] : [color.red, color.green, color.blue]
            return "[\(levels.map { PDFText.number(Double($0) / 255) }.joined(separator: " "))]"
        }
        func part(_ from: RGBA8, _ to: RGBA8) -> String {
            // Parts of a function go from 0 to 1 whatever its domain is.
            "<< /FunctionType 2 /Domain [0 1] /N 1 /C0 \(values(from)) /C1 \(values(to)) >>"
        }
        guard let first = stops.first, let last = stops.last else { return part(.black, .black) }
        // Ranges without extent are left out: at a border the later range counts.
        var parts: [(from: RGBA8, to: RGBA8, end: Double)] = []
        if first.offset > domain.lowerBound { parts.append((first.color, first.color, first.offset)) }
        for (stop, next) in zip(stops, stops.dropFirst()) where stop.offset < next.offset {
            parts.append((stop.color, next.color, next.offset))
        }
        if last.offset < domain.upperBound || parts.isEmpty {
            parts.append((last.color, last.color, domain.upperBound))
        }
        if parts.count == 1, domain == 0...1 { return part(parts[0].from, parts[0].to) }
        let functions = parts.map { part($0.from, $0.to) }.joined(separator: " ")
        let bounds = parts.dropLast().map { PDFText.factor($0.end) }.joined(separator: " ")
        let ranges = parts.map { _ in "0 1" }.joined(separator: " ")
        return "<< /FunctionType 3 /Domain [\(PDFText.range(domain))] /Functions [\(functions)] /Bounds [\(bounds)] "
            + "/Encode [\(ranges)] >>"
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
    /// The ends of a range.
    fileprivate static func range(_ range: ClosedRange<Double>) -> String {
        "\(factor(range.lowerBound)) \(factor(range.upperBound))"
    }

    /// The six numbers of a map, as PDF and SVG write them.
    static func matrix(_ map: AffineMap) -> String {
        [map.a, map.b, map.c, map.d, map.x, map.y].map(factor).joined(separator: " ")
    }
}
