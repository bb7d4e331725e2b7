import InkCodecs
import InkEngine

/// The points of a part of a freehand line, with the pressure as z.
enum TldrawPoints {
    typealias Point = (x: Double, y: Double, z: Double)

    /// Reads the points of a segment from a list, or packed as `path`: the first point as three numbers of 32 bits,
    /// then differences of 16 bits. For a while `points` were packed, as numbers of 16 bits.
    ///
    /// - Returns: nil for what is damaged.
    static func read(_ segment: JSONNode) -> [Point]? {
        if let path = segment.field("path") {
            guard let bytes = bytes(path) else { return nil }
            guard !bytes.isEmpty else { return [] }
            guard bytes.count >= 12, (bytes.count - 12) % 6 == 0 else { return nil }
            func start(_ index: Int) -> Double {
                let bits = (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[4 * index + $1]) << (8 * UInt32($1)) }
                return Double(Float(bitPattern: bits))
            }
            var last = (x: start(0), y: start(1), z: start(2))
            return [last]
                + halves(bytes[12...]).map { step in
                    last = (last.x + step.x, last.y + step.y, last.z + step.z)
                    return last
                }
        }
        guard let points = segment.field("points") else { return nil }
        guard points.kind == .array else {
            guard let bytes = bytes(points), bytes.count % 6 == 0 else { return nil }
            return halves(bytes[...])
        }
        return points.elements.compactMap { point in
            guard let x = point.field("x")?.number, let y = point.field("y")?.number else { return nil }
            return (x, y, point.field("z")?.number ?? 0.5)
        }
    }

    private static func bytes(_ node: JSONNode) -> [UInt8]? { node.utf8.flatMap { Base64.bytes(of: $0) } }

    private static func halves(_ bytes: ArraySlice<UInt8>) -> [Point] {
        func half(_ at: Int) -> Double {
            Double(Float16(bitPattern: UInt16(bytes[at]) | UInt16(bytes[at + 1]) << 8))
        }
        return stride(from: bytes.startIndex, to: bytes.endIndex, by: 6).map { (half($0), half($0 + 2), half($0 + 4)) }
    }
}

/// tldraw's colours in its light theme.
enum TldrawColors {
    private typealias Values = (
        line: String, fill: String, note: String, pattern: String, lined: String, highlight: String
    )

    /// The colour of a page.
    static let ground = RGBA8(red: 0xF9, green: 0xFA, blue: 0xFB)

    private static let all: [String: Values] = [
        "black": ("#1d1d1d", "#e8e8e8", "#fce19c", "#494949", "#363636", "#fddd00"),
        "grey": ("#9fa8b2", "#eceef0", "#c0cad3", "#bcc3c9", "#bbc1c9", "#cbe7f1"),
        "light-violet": ("#e085f4", "#f5eafa", "#dfb0f9", "#e9acf8", "#e9abf7", "#ff88ff"),
        "violet": ("#ae3ec9", "#ecdcf2", "#db91fd", "#bd63d3", "#be68d4", "#c77cff"),
        "blue": ("#4465e9", "#dce1f8", "#8aa3ff", "#6681ee", "#6580ec", "#10acff"),
        "light-blue": ("#4ba1f1", "#ddedfa", "#9bc4fd", "#6fbbf8", "#7abaf5", "#00f4ff"),
        "yellow": ("#f1ac4b", "#f9f0e6", "#fed49a", "#fecb92", "#f5c27a", "#fddd00"),
        "orange": ("#e16919", "#f8e2d4", "#faa475", "#f78438", "#ea8643", "#ffa500"),
        "green": ("#099268", "#d3e9e3", "#6fc896", "#39a785", "#0bad7c", "#00ffc8"),
        "light-green": ("#4cb05e", "#dbf0e0", "#98d08a", "#65cb78", "#7ec88c", "#65f641"),
        "light-red": ("#f87777", "#f4dadb", "#f7a5a1", "#fe9e9e", "#f99a9a", "#ff7fa3"),
        "red": ("#e03131", "#f4dadb", "#fc8282", "#e55959", "#e75f5f", "#ff636e"),
        "white": ("#ffffff", "#f5f5f5", "#ffffff", "#f9f9f9", "#ffffff", "#ffffff"),
    ]

    /// A name that is none may be a colour itself.
    private static func color(_ name: String?, _ kind: (Values) -> String) -> RGBA8 {
        if let name, name.hasPrefix("#"), let own = CSSColor.parse(name) { return own }
        return all[name ?? ""].flatMap { RGBA8(hex: kind($0)) } ?? all["black"].flatMap { RGBA8(hex: kind($0)) }
            ?? .black
    }

    static func line(_ name: String?) -> RGBA8 { color(name, \.line) }
    static func fill(_ name: String?) -> RGBA8 { color(name, \.fill) }
    static func note(_ name: String?) -> RGBA8 { color(name, \.note) }
    static func pattern(_ name: String?) -> RGBA8 { color(name, \.pattern) }
    static func lined(_ name: String?) -> RGBA8 { color(name, \.lined) }
    static func highlight(_ name: String?) -> RGBA8 { color(name, \.highlight) }
}
