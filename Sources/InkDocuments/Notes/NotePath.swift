import InkCodecs
import InkEngine

/// The data of a path in SVG.
struct NotePath {
    private(set) var text = ""

    mutating func add(_ command: String, _ points: Point...) {
        text += command
        for (index, point) in points.enumerated() {
            text += "\(index == 0 ? "" : " ")\(Self.number(point.x)) \(Self.number(point.y))"
        }
    }

    mutating func close() { text += "Z" }

    /// Adds the contours of a glyph.
    mutating func add(_ outline: GlyphOutline, _ map: (Point) -> Point) {
        var isOpen = false
        for step in outline.steps {
            switch step {
            case .move(let point):
                if isOpen { close() }
                add("M", map(point))
            case .line(let point): add("L", map(point))
            case .quadratic(let control, let point): add("Q", map(control), map(point))
            case .cubic(let first, let second, let point): add("C", map(first), map(second), map(point))
            }
            isOpen = true
        }
        if isOpen { close() }
    }

    /// To a thousandth of a unit.
    private static func number(_ value: Double) -> String {
        let rounded = (value * 1000).rounded() / 1000
        return rounded == rounded.rounded() && abs(rounded) < 1e15 ? "\(Int(rounded))" : "\(rounded)"
    }
}

/// The font that notes of other programs are set in, whatever they name.
enum NoteFont {
    /// DejaVu Sans; nil where it is not installed.
    static let sans: Font? = {
        for folder in ["/usr/share/fonts/truetype/dejavu", "/usr/share/fonts/dejavu-sans-fonts"] {
            let path = "\(folder)/DejaVuSans.ttf"
            // A font that cannot be read is as good as one that is not installed.
            guard let bytes = try? InputFile.read(path: path, limitBytes: 32 << 20) else { continue }
            return try? Font(bytes, place: Place(file: path))
        }
        return nil
    }()
}
