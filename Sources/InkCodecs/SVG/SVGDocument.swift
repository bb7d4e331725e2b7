package import InkEngine

/// An SVG document that holds only what can be drawn without other files, fonts and a clock.
///
/// The document that is drawn is written anew from what was allowed of the file, so that the library that draws it sees
/// nothing that was not looked at.
package struct SVGDocument {
    /// The root's tag up to what its `style` says, that, and what follows the tag; UTF-8. `preserveAspectRatio` and the end
    /// of the tag are not in it.
    let pieces: [UInt8]
    /// Where in the pieces the root's style begins, and where what follows the tag.
    let styleAt: Int
    let contentAt: Int
    /// In CSS pixels.
    package let width: Double
    package let height: Double
    /// From the unit square, as which the view box counts, or the document's own size where it has none, to CSS pixels.
    let map: AffineMap
    private let root: [String: String]
    private let aspect: [UInt8]

    /// Whether something of the file is not in the text that would show.
    package let hasLeftOut: Bool

    static let depthMax = 100
    /// Elements, those that `use` repeats included.
    package static let elementsMax = 1_000_000
    /// `use` inside of what another `use` repeats.
    static let useDepthMax = 64
    /// Embedded pictures, all together.
    static let embeddedPixelsMax = 40_000_000
    /// The size of a document that does not say it, as in CSS 2.1, section 10.3.2.
    static let defaultSize = (width: 300.0, height: 150.0)

    /// - Parameter leavingOut: elements that are left out, with what is in them, in place of an error.
    /// - Throws: `badInput` at `place` for what is not SVG or not allowed, naming the line.
    package init(reading file: [UInt8], place: Place, leavingOut: Set<String> = []) throws(EngineError) {
        let filter = SVGFilter(leavingOut: leavingOut)
        do throws(XMLFault) {
            try XMLScanner.scan(file, with: filter)
            try filter.uses.check()
        } catch {
            throw error.error("the SVG", at: place)
        }
        (pieces, styleAt, contentAt) = (filter.text, filter.styleAt, filter.contentAt)
        (hasLeftOut, aspect) = (filter.hasLeftOut, filter.aspect)
        root = filter.root
        (width, height) = SVGRules.size(width: root["width"], height: root["height"], viewBox: root["viewBox"])
        let box = SVGNumbers.all(root["viewBox"] ?? "")
        let hasBox = box.count == 4 && box[2] > 0 && box[3] > 0
        let unit = hasBox ? AffineMap(a: box[2], d: box[3], x: box[0], y: box[1]) : AffineMap(a: width, d: height)
        let shown = SVGTransform.viewBox(
            hasBox ? root["viewBox"] : nil, root["preserveAspectRatio"], width: width, height: height)
        let all = filter.ownTransform.after(shown?.map ?? .identity).after(unit)
        map = all.isFinite ? all : AffineMap(a: width, d: height)
    }

    /// The document as a file of its own.
    package var text: [UInt8] {
        // Above all that style sheets say.
        let size = "width:\(width)px!important;height:\(height)px!important"
        var text = Array(pieces[..<styleAt])
        text += Array("\(size);".utf8)
        text += pieces[styleAt..<contentAt]
        text += Array(";\(size)\"".utf8)
        text += aspect
        text += Array(">".utf8)
        return text + pieces[contentAt...]
    }

    /// A document that shows this one through a map of its CSS pixels, in a size of its own.
    package func text(mapped: AffineMap, width: Double, height: Double) -> [UInt8] {
        // From the view box, which is stretched over the size, to where it lies.
        let map = mapped.after(self.map).after(AffineMap(a: 1 / width, d: 1 / height))
        let numbers = [map.a, map.b, map.c, map.d, map.x, map.y].map { "\($0)" }.joined(separator: ",")
        let filter = SVGFilter()
        var attributes = root.filter { !["width", "height", "style", "x", "y", "href", "transform"].contains($0.key) }
        attributes["viewBox"] = attributes["viewBox"] ?? "0 0 \(self.width) \(self.height)"
        attributes["preserveAspectRatio"] = "none"
        (attributes["width"], attributes["height"]) = ("\(width)", "\(height)")
        let declarations =
            "width:\(width)px!important;height:\(height)px!important;overflow:visible!important;"
            + "transform:matrix(\(numbers))"
        return filter.tag(attributes, style: pieces[styleAt..<contentAt], declarations) + pieces[contentAt...]
    }
}

/// The elements of a document by which `use` repeats others.
struct SVGUses {
    /// Where an element's descendants end, in document order.
    private var ends: [Int] = []
    private var open: [Int] = []
    private var numbers: [String: Int] = [:]
    private var uses: [(element: Int, target: String)] = []

    mutating func begin(id: String?, uses target: String?) {
        let number = ends.count
        ends.append(number)
        open.append(number)
        if let id, numbers[id] == nil { numbers[id] = number }
        if let target { uses.append((number, target)) }
    }

    mutating func end() { ends[open.removeLast()] = ends.count }

    var elementCount: Int { ends.count }

    /// - Throws: when an element repeats itself, or too much comes of it.
    func check() throws(XMLFault) {
        var counts: [Int: Int] = [:]
        var pending: Set<Int> = []
        func count(_ element: Int, depth: Int) throws(XMLFault) -> Int {
            if let known = counts[element] { return known }
            guard depth <= SVGDocument.useDepthMax else {
                throw XMLFault("<use> inside of <use> is more than \(SVGDocument.useDepthMax) deep")
            }
            guard pending.insert(element).inserted else { throw XMLFault("a <use> repeats itself") }
            var sum = ends[element] - element
            // The first use at or behind the element.
            var (low, high) = (0, uses.count)
            while low < high {
                let middle = (low + high) / 2
                if uses[middle].element < element { low = middle + 1 } else { high = middle }
            }
            while low < uses.count, uses[low].element < ends[element] {
                if let target = numbers[uses[low].target] { sum += try count(target, depth: depth + 1) }
                guard sum <= SVGDocument.elementsMax else {
                    throw XMLFault("<use> makes more than \(SVGDocument.elementsMax) elements of it")
                }
                low += 1
            }
            pending.remove(element)
            counts[element] = sum
            return sum
        }
        if !ends.isEmpty { _ = try count(0, depth: 0) }
    }
}
