import Glibc
import InkEngine

/// The paper of a page of a note: one colour, and lines or dots as Xournal++ rules them. Points (1/72 inch).
struct XournalPaper {
    var color = RGBA8.white
    var style = "plain"
    /// The settings of the ruling, such as `r1=40,lw=2`.
    var config = ""

    /// What it is ruled with: lines of two points, dots of one.
    struct Mark {
        var points: [Point]
        var width: Double
        var color: RGBA8
    }

    /// The colours that paper has by name, which are paler than those of pens.
    static let names: [String: String] = [
        "blue": "#a0e8ff", "green": "#80ffc0", "orange": "#ffc080", "pink": "#ffc0d4", "yellow": "#ffff80",
    ]

    /// More marks than a page can show are not drawn.
    private static let marksMax = 100_000

    /// How a page is ruled.
    enum Ruling {
        case marks([Mark], unknownSettings: [String])
        case tooMany
        case unknown
    }

    func ruling(width: Double, height: Double) -> Ruling {
        var settings = Settings(config, isOnDark: !isLight)
        var rules = Rules(width: width, height: height)
        switch style {
        case "plain", "": break
        case "ruled", "lined": rules.rule(&settings, hasMargin: style == "lined")
        case "graph": rules.graph(&settings)
        case "dotted": rules.dots(&settings)
        case "isodotted", "isograph": rules.isometric(&settings, isDotted: style == "isodotted")
        case "staves": rules.staves(&settings)
        default: return .unknown
        }
        return rules.isTooDense ? .tooMany : .marks(rules.marks, unknownSettings: settings.unused)
    }

    private var isLight: Bool { Int(color.red) + Int(color.green) + Int(color.blue) > 0x180 }

    // MARK: - Settings

    /// The settings of a ruling, which know which of them have been read.
    private struct Settings {
        private var values: [String: String] = [:]
        private var read: Set<String> = []
        private let isOnDark: Bool

        init(_ config: String, isOnDark: Bool) {
            self.isOnDark = isOnDark
            for part in config.split(separator: ",") {
                guard let equals = part.lastIndex(of: "=") else { continue }
                values[part[..<equals].trimmingBlanks] = part[part.index(after: equals)...].trimmingBlanks
            }
        }

        /// Those of the other ground, light or dark, are read too: they have no effect here.
        mutating func color(_ name: String, _ light: UInt32, _ dark: UInt32) -> RGBA8 {
            read.formUnion([name, "a\(name)"])
            let given = values[isOnDark ? "a\(name)" : name].flatMap { UInt32($0.drop { $0 == "#" }, radix: 16) }
            let bits = given ?? (isOnDark ? dark : light)
            return RGBA8(
                red: UInt8(truncatingIfNeeded: bits >> 16), green: UInt8(truncatingIfNeeded: bits >> 8),
                blue: UInt8(truncatingIfNeeded: bits))
        }

        mutating func number(_ name: String) -> Double? {
            read.insert(name)
            return values[name].flatMap(Double.init).flatMap { $0.isFinite ? $0 : nil }
        }

        mutating func lineWidth(_ usual: Double) -> Double { min(max(number("lw") ?? usual, 0), 1000) }

        /// The distance of lines.
        mutating func raster(_ usual: Double) -> Double { max(number("r1") ?? usual, 1) }

        var unused: [String] { values.keys.filter { !read.contains($0) }.sorted() }
    }

    // MARK: - Rulings

    /// Lines begin as far below the upper edge, and end as far above the lower one.
    private static let (header, footer) = (80.0, 60.0)

    private struct Rules {
        let width: Double
        let height: Double
        private(set) var marks: [Mark] = []
        private(set) var isTooDense = false

        init(width: Double, height: Double) { (self.width, self.height) = (width, height) }

        private mutating func line(_ from: Point, _ to: Point, _ width: Double, _ color: RGBA8) {
            marks.append(Mark(points: [from, to], width: width, color: color))
        }

        private mutating func line(
            _ x0: Double, _ y0: Double, _ x1: Double, _ y1: Double, _ width: Double, _ color: RGBA8
        ) {
            line(Point(x: x0, y: y0), Point(x: x1, y: y1), width, color)
        }

        /// Whether as many marks are few enough; else the page has none.
        private mutating func allows(_ count: Double) -> Bool {
            isTooDense = !(count <= Double(marksMax))
            return !isTooDense
        }

        mutating func rule(_ settings: inout Settings, hasMargin: Bool) {
            let (color, thick) = (settings.color("f1", 0x40A0FF, 0x434343), settings.lineWidth(0.5))
            let step = settings.raster(24)
            guard allows((height - header) / step) else { return }
            for index in 0...max(0, Int((height - header - footer) / step)) where height >= header + footer {
                let y = header + Double(index) * step
                line(0, y, width, y, thick, color)
            }
            guard hasMargin else { return }
            // A margin below 0 is one on the right.
            let given = settings.number("m1") ?? 72
            let x = given < 0 ? given + width : given
            guard (0...width).contains(x) else { return }
            line(x, 0, x, height, thick, settings.color("f2", 0xFF0080, 0x220080))
        }

        mutating func graph(_ settings: inout Settings) {
            let (color, thin) = (settings.color("f1", 0xBDBDBD, 0x434343), settings.lineWidth(0.5))
            let step = settings.raster(14.17)
            let margin = min(max(settings.number("m1") ?? 0, 0), 1e6)
            let isRound = settings.number("rm") ?? 0 != 0 && margin > 0
            let bold = (
                every: Int(min(max(settings.number("bli") ?? 0, 0), 1e6)),
                width: min(max(settings.number("blw") ?? 1.5, 0), 1000)
            )
            guard allows((width + height) / step) else { return }
            func indices(_ edge: Double) -> ClosedRange<Int>? {
                let first = max(1, Int(((margin - thin / 2) / step).rounded(.up)))
                let last = Int((min(edge, edge - margin + thin / 2) / step).rounded(.down))
                return first <= last ? first...last : nil
            }
            guard let columns = indices(width), let rows = indices(height) else { return }
            func ends(_ edge: Double, _ indices: ClosedRange<Int>) -> (Double, Double) {
                isRound
                    ? (Double(indices.lowerBound) * step, Double(indices.upperBound) * step) : (margin, edge - margin)
            }
            func thickness(_ index: Int) -> Double { bold.every > 0 && index % bold.every == 0 ? bold.width : thin }
            let ((left, right), (top, bottom)) = (ends(width, columns), ends(height, rows))
            for index in columns {
                let x = Double(index) * step
                line(x, top, x, bottom, thickness(index), color)
            }
            for index in rows {
                let y = Double(index) * step
                line(left, y, right, y, thickness(index), color)
            }
        }

        mutating func dots(_ settings: inout Settings) {
            let (color, size) = (settings.color("f1", 0xBDBDBD, 0x434343), settings.lineWidth(1.5))
            let step = settings.raster(14.17)
            guard allows(width / step * height / step) else { return }
            for x in stride(from: step, through: width, by: step) {
                for y in stride(from: step, through: height, by: step) {
                    marks.append(Mark(points: [Point(x: x, y: y)], width: size, color: color))
                }
            }
        }

        /// Draws triangles with an upright side.
        mutating func isometric(_ settings: inout Settings, isDotted: Bool) {
            let (color, thick) = (settings.color("f1", 0xBDBDBD, 0x434343), settings.lineWidth(isDotted ? 1.5 : 1))
            let side = settings.raster(14.17)
            let (stepX, stepY) = (3.0.squareRoot() / 2 * side, side / 2)
            let (across, down) = ((width - 2 * side) / stepX, (height - 2 * side) / stepY)
            guard across >= 0, down >= 0, allows(isDotted ? across * down / 2 : across + down) else { return }
            let (columns, rows) = (Int(across), Int(down))
            let corner = Point(
                x: (width - Double(columns) * stepX) / 2, y: (height - Double(rows) * stepY) / 2)
            func place(_ column: Int, _ row: Int) -> Point {
                corner + Point(x: Double(column) * stepX, y: Double(row) * stepY)
            }
            if isDotted {
                for column in 0...columns {
                    let isEven = column % 2 == 0
                    for row in stride(from: isEven ? 1 : 0, through: isEven ? rows - 1 : rows, by: 2) {
                        marks.append(Mark(points: [place(column, row)], width: thick, color: color))
                    }
                }
                return
            }
            for row in [0, rows] { line(place(0, row), place(columns, row), thick, color) }
            for column in 0...columns { line(place(column, 0), place(column, rows), thick, color) }
            // Slanted lines go through the places whose sum, or difference, is odd.
            for sum in stride(from: 1, to: columns + rows, by: 2) {
                let (first, last) = (max(0, sum - rows), min(columns, sum))
                line(place(first, sum - first), place(last, sum - last), thick, color)
            }
            for difference in stride(from: 1 - rows, to: columns, by: 1) where difference % 2 != 0 {
                let (first, last) = (max(0, difference), min(columns, rows + difference))
                line(place(first, first - difference), place(last, last - difference), thick, color)
            }
        }

        /// Five lines, and one at each of their ends.
        mutating func staves(_ settings: inout Settings) {
            let (color, thick) = (settings.color("f1", 0x000000, 0xFFFFFF), settings.lineWidth(0.5))
            let (gap, side) = (5.0, 50.0)
            let step = 40 + 4 * gap + 5 * thick
            guard height >= header + footer, width > 2 * side else { return }
            for index in 0...Int((height - header - footer) / step) {
                let top = header + Double(index) * step
                for number in 0..<5 {
                    let y = top + Double(number) * gap
                    line(side, y, width - side, y, thick, color)
                }
                for x in [side, width - side] { line(x, top, x, top + 4 * gap, thick, color) }
            }
        }
    }
}
