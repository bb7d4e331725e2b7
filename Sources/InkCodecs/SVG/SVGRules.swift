import InkEngine

/// What may stand in a document.
package enum SVGRules {
    package static let namespace = "http://www.w3.org/2000/svg"
    static let linkNamespace = "http://www.w3.org/1999/xlink"

    /// Elements that are drawn, or that drawn ones refer to.
    static let elements: Set<String> = [
        "svg", "g", "defs", "symbol", "use", "path", "rect", "circle", "ellipse", "line", "polyline", "polygon",
        "linearGradient", "radialGradient", "stop", "clipPath", "mask", "pattern", "marker", "image", "style",
    ]
    /// Elements that draw nothing, and are left out with all that is in them.
    static let ignored: Set<String> = ["title", "desc", "metadata"]
    /// Elements whose references are to others of the document.
    static let linking: Set<String> = ["use", "linearGradient", "radialGradient", "pattern"]
    /// What depends on the machine.
    package static let conditions: Set<String> = ["systemLanguage", "requiredFeatures", "requiredExtensions"]

    /// Elements that depend on the fonts of a machine.
    package static let texts: Set<String> = ["text", "tspan", "textPath", "tref", "font"]

    static func refusal(of element: String) -> String {
        switch element {
        case _ where texts.contains(element):
            "<\(element)> depends on the fonts of a machine; convert texts to paths"
        case "filter": "<filter> takes unbounded time; draw its effect into a picture"
        case "script": "<script> is not run"
        default: "<\(shownText(element, limit: 40))> is not allowed in it"
        }
    }

    /// What a value refers to must be in the document, and no value may hide what it is.
    static func check(value: String, of name: String) throws(XMLFault) {
        guard !value.utf8.contains(UInt8(ascii: "\\")) else { throw XMLFault("\(name) has a backslash") }
        let bytes = Array(value.utf8)
        var index = 0
        while let at = find("url(", in: bytes, from: index) {
            index = at + 4
            var next = index
            while next < bytes.count, isBlank(bytes[next]) || bytes[next] == 0x22 || bytes[next] == 0x27 { next += 1 }
            guard next < bytes.count, bytes[next] == UInt8(ascii: "#") else {
                throw XMLFault("\(name) refers to something outside of the document by url()")
            }
        }
    }

    /// Checks declarations of CSS, also with their selectors.
    static func check(style: String, of name: String) throws(XMLFault) {
        try check(value: style, of: name)
        let bytes = Array(style.utf8)
        guard find("@import", in: bytes, from: 0) == nil else { throw XMLFault("\(name) has @import") }
        var index = 0
        while let at = find("filter", in: bytes, from: index) {
            index = at + 6
            var next = skipBlanks(bytes, index)
            guard next < bytes.count, bytes[next] == UInt8(ascii: ":") else { continue }
            next = skipBlanks(bytes, next + 1)
            guard find("none", in: bytes, from: next) == next else { throw XMLFault("\(name) has a filter") }
        }
    }

    /// Behind white space and comments.
    private static func skipBlanks(_ bytes: [UInt8], _ start: Int) -> Int {
        var index = start
        while index < bytes.count {
            if isBlank(bytes[index]) {
                index += 1
            } else if bytes[index...].starts(with: "/*".utf8) {
                guard let end = find("*/", in: bytes, from: index + 2) else { return bytes.count }
                index = end + 2
            } else {
                break
            }
        }
        return index
    }

    private static func isBlank(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0C, 0x0D].contains(byte) }

    /// Where a word begins, in letters of either case.
    static func find(_ word: StaticString, in bytes: [UInt8], from start: Int) -> Int? {
        let count = word.utf8CodeUnitCount
        guard start <= bytes.count - count else { return nil }
        return word.withUTF8Buffer { word in
            (start...(bytes.count - count)).first { at in
                (0..<count).allSatisfy { lowercased(bytes[at + $0]) == word[$0] }
            }
        }
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }

    /// A length above 0 in CSS pixels; nil for none, or one that depends on what is around the document.
    static func length(_ text: String?) -> Double? {
        text.flatMap { signedLength($0) }.flatMap { $0 > 0 ? $0 : nil }
    }

    /// A length in CSS pixels; nil for none.
    ///
    /// - Parameters:
    ///   - whole: what percents are of; nil where they are no lengths.
    ///   - em: the size of the font.
    package static func signedLength(_ text: String, ofPercent whole: Double? = nil, em: Double = 16) -> Double? {
        let trimmed = text.utf8.drop { isBlank($0) }
        let digits = trimmed.prefix { (0x30...0x39).contains($0) || [0x2B, 0x2D, 0x2E].contains($0) }
        var end = digits.endIndex
        // An exponent, and not the beginning of "em" or "ex".
        if let exponent = trimmed[end...].first, exponent | 0x20 == UInt8(ascii: "e") {
            let rest = trimmed[trimmed.index(after: end)...]
            let power = rest.prefix { (0x30...0x39).contains($0) || [0x2B, 0x2D].contains($0) }
            if power.contains(where: { (0x30...0x39).contains($0) }) { end = power.endIndex }
        }
        guard let number = Double(String(trimmed[..<end]) ?? ""), number.isFinite else { return nil }
        let unit = (String(trimmed[end...].prefix { !isBlank($0) }) ?? "").lowercased()
        if unit == "%" { return whole.map { number / 100 * $0 } }
        let pixels: [String: Double] = [
            "": 1, "px": 1, "pt": 96.0 / 72, "pc": 16, "in": 96, "cm": 96 / 2.54, "mm": 96 / 25.4, "q": 96 / 101.6,
            "em": em, "ex": em / 2, "rem": 16,
        ]
        return pixels[unit].map { number * $0 }
    }

    /// The size of a document with these attributes of its root.
    package static func size(width: String?, height: String?, viewBox: String?) -> (width: Double, height: Double) {
        let box = (viewBox ?? "").split { ", \t\n\r".contains($0) }.compactMap { Double($0) }
        let isSound = box.count == 4 && box.allSatisfy(\.isFinite) && box[2] > 0 && box[3] > 0
        let shape = isSound ? (width: box[2], height: box[3]) : nil
        switch (length(width), length(height)) {
        case (let width?, let height?): return (width, height)
        case (let width?, nil):
            return (width, shape.map { width * $0.height / $0.width } ?? SVGDocument.defaultSize.height)
        case (nil, let height?):
            return (shape.map { height * $0.width / $0.height } ?? SVGDocument.defaultSize.width, height)
        case (nil, nil): return shape ?? SVGDocument.defaultSize
        }
    }
}
