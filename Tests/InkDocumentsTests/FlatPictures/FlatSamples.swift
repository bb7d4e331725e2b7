import InkTestSupport

@testable import InkDocuments
@testable import InkEngine

/// A picture of flat shapes, one in each cell of a grid, with smooth edges.
struct FlatSample {
    struct Shape {
        var color: RGBA8
        var centerX: Double
        var centerY: Double
        var radiusX: Double
        var radiusY: Double
        var isBox: Bool
        /// Width of a line around it, pixels; 0 for none.
        var line: Double

        /// Whether a point lies in it, grown by `by` pixels.
        func contains(_ x: Double, _ y: Double, by: Double) -> Bool {
            let (dx, dy) = (abs(x - centerX) / (radiusX + by), abs(y - centerY) / (radiusY + by))
            return isBox ? max(dx, dy) <= 1 : dx * dx + dy * dy <= 1
        }
    }

    static let cell = 44
    static let lineColor = RGBA8(red: 25, green: 22, blue: 30)

    let size = PixelSize(width: 4 * cell, height: 3 * cell)
    var background: RGBA8
    var shapes: [Shape] = []

    /// - Parameter line: width of lines that every second shape gets.
    init(seed: UInt64, line: Double) {
        var random = SeededGenerator(seed: seed)
        // No two are alike, and none is like the lines.
        var colors: [RGBA8] = []
        for red: UInt8 in [60, 150, 240] {
            for green: UInt8 in [60, 150, 240] {
                for blue: UInt8 in [60, 150, 240] { colors.append(RGBA8(red: red, green: green, blue: blue)) }
            }
        }
        colors.shuffle(using: &random)
        background = colors.removeLast()
        for index in 0..<12 where !Int.random(in: 0..<5, using: &random).isMultiple(of: 5) {
            let middle = Double(Self.cell) / 2
            shapes.append(
                Shape(
                    color: colors.removeLast(),
                    centerX: Double(index % 4 * Self.cell) + middle + .random(in: -2...2, using: &random),
                    centerY: Double(index / 4 * Self.cell) + middle + .random(in: -2...2, using: &random),
                    radiusX: .random(in: 9...14, using: &random), radiusY: .random(in: 9...14, using: &random),
                    isBox: .random(using: &random), line: index.isMultiple(of: 2) ? line : 0))
        }
    }

    /// The background, the shapes and the lines.
    var regionCount: Int { 1 + shapes.count + shapes.count { $0.line > 0 } }

    /// RGB, each pixel the mean of 16 points.
    var samples: [UInt8] {
        var samples: [UInt8] = []
        for y in 0..<size.height {
            for x in 0..<size.width {
                let near = shapes.first {
                    Int($0.centerX) / Self.cell == x / Self.cell && Int($0.centerY) / Self.cell == y / Self.cell
                }
                var sums = [0, 0, 0]
                for point in 0..<16 {
                    let (px, py) = (
                        Double(x) + (Double(point % 4) + 0.5) / 4, Double(y) + (Double(point / 4) + 0.5) / 4
                    )
                    var color = background
                    if let near {
                        if near.contains(px, py, by: near.line) { color = Self.lineColor }
                        if near.contains(px, py, by: 0) { color = near.color }
                    }
                    sums[0] += Int(color.red)
                    sums[1] += Int(color.green)
                    sums[2] += Int(color.blue)
                }
                samples += sums.map { UInt8(($0 + 8) / 16) }
            }
        }
        return samples
    }

    func regions(_ samples: [UInt8]? = nil, _ options: FlatRegions.Options = FlatRegions.Options()) throws
        -> FlatRegions
    {
        try FlatRegions(
            of: try FlatPicture(samples: samples ?? self.samples, size: size, format: .rgb8), options,
            place: Place(file: "sample"), limits: Limits())
    }
}
