import BenchmarkScenes
import InkEngine
import InkReference

/// Marks as 32-bit little-endian words: `INKM`, the canvas's width and height, the numbers of layers and of marks; then
/// for each mark its layer, its colour (0xRRGGBB, bit 24 set to erase), its alpha (float), the number of its pieces; for
/// each piece its kind, the number of its points, a length (float), and the points (two floats each, canvas pixels).
///
/// Kinds: 0 a polygon, 1 a disc of the length's radius, 2 a polyline as wide as the length with round caps and joins; 3
/// more for pieces of a footprint, which come after the others. A mark is the union of its pieces, as far as it lies in the
/// union of its footprint, if it has one; polygons hold what they wind round at all.
enum MarksFile {
    static func bytes(of layers: [[Stroke]]) -> [UInt8] {
        var body: [UInt32] = []
        var count: UInt32 = 0
        for (index, strokes) in layers.enumerated() {
            for stroke in strokes {
                let color = stroke.brush.color
                let rgb = UInt32(color.red) << 16 | UInt32(color.green) << 8 | UInt32(color.blue)
                for mark in StrokeMark.marks(of: stroke) where mark.alpha > 0 {
                    count += 1
                    body += [
                        UInt32(index), rgb | (stroke.mode == .erase ? 1 << 24 : 0), word(mark.alpha),
                        UInt32(mark.pieces.count + mark.footprint.count),
                    ]
                    for piece in mark.pieces { append(piece, 0, to: &body) }
                    for piece in mark.footprint { append(piece, 3, to: &body) }
                }
            }
        }
        let magic = Array("INKM".utf8).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        let head = [
            magic, UInt32(Scenes.canvas.width), UInt32(Scenes.canvas.height), UInt32(layers.count), count,
        ]
        return (head + body).withUnsafeBytes { Array($0) }
    }

    private static func append(_ piece: StrokeMark.Piece, _ first: UInt32, to words: inout [UInt32]) {
        switch piece {
        case .polygon(let points):
            words += [first, UInt32(points.count), 0]
            append(points, to: &words)
        case .disc(let center, let radius):
            words += [first + 1, 1, word(radius)]
            append([center], to: &words)
        case .line(let points, let width):
            words += [first + 2, UInt32(points.count), word(width)]
            append(points, to: &words)
        }
    }

    private static func append(_ points: [Point], to words: inout [UInt32]) {
        for point in points {
            words.append(word(point.x))
            words.append(word(point.y))
        }
    }

    private static func word(_ value: Double) -> UInt32 { Float(value).bitPattern }
}
