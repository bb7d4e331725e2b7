import InkEngine
import InkReference
import Testing

@Suite("Reference: placed pictures (spec 8.3)")
struct ReferencePlacementTests {
    private let output = PixelSize(width: 8, height: 8)

    /// One channel, each sample with its number from the upper left, counted from 1.
    private func numbered(_ width: Int, _ height: Int) -> SampleField {
        SampleField(
            size: PixelSize(width: width, height: height), channels: 1,
            values: (1...(width * height)).map { Double($0) })
    }

    private func white(_ width: Int, _ height: Int) -> SampleField {
        var field = numbered(width, height)
        field.values = field.values.map { _ in 1 }
        return field
    }

    /// What shows, as of a mask with this value beyond its image.
    private func rows(
        _ field: SampleField, _ placement: Placement, filter: ReferenceFilter = .triangle,
        scale: (x: Double, y: Double) = (1, 1), outside: Double = 0
    ) -> [[Double]] {
        let found = placed(field, at: placement, scale: scale, output: output, filter: filter)
        let values = zip(found.values, found.cover).map { $1 * $0 + (1 - $1) * outside }
        return (0..<output.height).map { Array(values[($0 * output.width)..<(($0 + 1) * output.width)]) }
    }

    @Test(arguments: [ReferenceFilter.triangle, .lanczos3])
    func whatLiesOnPixelsIsCopied(filter: ReferenceFilter) {
        let found = rows(
            numbered(2, 2), Placement(x: 3, y: 1, width: 2, height: 2), filter: filter, outside: 9)
        for y in 0..<8 {
            for x in 0..<8 {
                let isInside = (3..<5).contains(x) && (1..<3).contains(y)
                let expected = isInside ? Double((y - 1) * 2 + x - 3 + 1) : 9
                #expect(abs(found[y][x] - expected) < 1e-9, "(\(x), \(y))")
            }
        }
        // At twice the scale it is as large as the same placement of twice the size.
        let doubled = rows(
            numbered(2, 2), Placement(x: 0.5, y: 1, width: 1, height: 1), filter: filter, scale: (2, 2))
        #expect(near(doubled[2], [0, 1, 2, 0, 0, 0, 0, 0]))
        #expect(near(doubled[3], [0, 3, 4, 0, 0, 0, 0, 0]))
    }

    @Test(arguments: [ReferenceFilter.triangle, .lanczos3])
    func bordersAreSoftOnlyBetweenPixels(filter: ReferenceFilter) {
        // Columns 2 and 6 lie half in the rectangle.
        let placement = Placement(x: 2.5, y: 0, width: 4, height: 1)
        #expect(near(rows(white(4, 1), placement, filter: filter)[0], [0, 0, 0.5, 1, 1, 1, 0.5, 0]))
        let lit = rows(white(4, 1), placement, filter: filter, outside: 0.2)
        #expect(near(lit[0], [0.2, 0.2, 0.6, 1, 1, 1, 0.6, 0.2]))
        #expect(near(lit[1], [Double](repeating: 0.2, count: 8)))
        // On pixel edges they are sharp at any size of the image.
        for count in [1, 3, 7, 40] {
            let sharp = rows(white(count, 1), Placement(x: 1, y: 2, width: 5, height: 3), filter: filter)
            for y in 0..<8 {
                let isInside = (2..<5).contains(y)
                #expect(near(sharp[y], isInside ? [0, 1, 1, 1, 1, 1, 0, 0] : [Double](repeating: 0, count: 8)))
            }
        }
    }

    @Test func beyondItsEdgesAPictureGoesOn() {
        // r = 2; at u = 1 and 3 the weights of the samples around are 1/8, 3/8, 3/8, 1/8, and one of the four samples lies
        // beyond the edge.
        let placement = Placement(x: 1, y: 0, width: 2, height: 1)
        #expect(near(rows(numbered(4, 1), placement)[0], [0, 1.625, 3.375, 0, 0, 0, 0, 0]))
        // Enlarged by 2: u = 0.25, 0.75, 1.25, 1.75 with 1 at 0.5 and before, 2 at 1.5 and after.
        let wide = Placement(x: 2, y: 0, width: 4, height: 1)
        #expect(near(rows(numbered(2, 1), wide)[0], [0, 0, 1, 1.25, 1.75, 2, 0, 0]))
        // A border between pixels cuts what is seen: columns 1 and 5, at u = 0 and 2, are half covered.
        let soft = Placement(x: 1.5, y: 0, width: 4, height: 1)
        #expect(near(rows(numbered(2, 1), soft)[0], [0, 0.5, 1, 1.5, 2, 1, 0, 0]))
    }

    @Test func eachAxisHasItsScale() {
        // 2 x 2 at s = (2, 1): 4 columns and 2 rows of pixels, so that columns are enlarged by 2.
        let found = rows(numbered(2, 2), Placement(x: 1, y: 1, width: 2, height: 2), scale: (2, 1))
        #expect(near(found[1], [0, 0, 1, 1.25, 1.75, 2, 0, 0]))
        #expect(near(found[2], [0, 0, 3, 3.25, 3.75, 4, 0, 0]))
    }

    @Test(arguments: [ReferenceFilter.triangle, .lanczos3], [0, 90, 180, 270, 30, 45, 123.4])
    func aTinyPictureIsItsMean(filter: ReferenceFilter, rotation: Double) {
        // 1.5 pixels wide and 4 high: of each row its mean, so of 1 2 3 4 it is 2.5 all over.
        let placement = Placement(x: 3, y: 2, width: 1.5, height: 4, rotation: rotation)
        let cover = cover(of: placement, scale: (1, 1), output: output)
        #expect(near([cover.reduce(0, +)], [6], within: 1e-9))
        let found = rows(numbered(4, 1), placement, filter: filter)
        #expect(near(found.flatMap(\.self), cover.map { 2.5 * $0 }))
        // 2 pixels are not less than 2.
        let two = rows(numbered(2, 1), Placement(x: 3, y: 2, width: 2, height: 4), filter: filter)
        #expect(near(two[3], [0, 0, 0, 1, 2, 0, 0, 0]))
    }

    @Test(arguments: [ReferenceFilter.triangle, .lanczos3])
    func quarterTurnsAreExact(filter: ReferenceFilter) {
        // 4 x 2 about (4, 4): samples 1 2 3 4 and 5 6 7 8.
        let placement = Placement(x: 2, y: 3, width: 4, height: 2)
        func found(_ rotation: Double) -> [[Double]] {
            var turned = placement
            turned.rotation = rotation
            let all = rows(numbered(4, 2), turned, filter: filter)
            return all.filter { $0.contains { $0 > 0.5 } }.map {
                $0.filter { $0 > 0.5 }.map { ($0 * 1e6).rounded() / 1e6 }
            }
        }
        #expect(found(0) == [[1, 2, 3, 4], [5, 6, 7, 8]])
        for full in [-360.0, 0, 720] {
            #expect(found(full + 90) == [[5, 1], [6, 2], [7, 3], [8, 4]])
            #expect(found(full + 180) == [[8, 7, 6, 5], [4, 3, 2, 1]])
            #expect(found(full + 270) == [[4, 8], [3, 7], [2, 6], [1, 5]])
        }
        var turned = placement
        turned.rotation = 90
        let corner = rows(numbered(4, 2), turned, filter: filter)
        #expect(near(Array(corner[2][2...5]), [0, 5, 1, 0]))
    }

    @Test func theCoverOfATurnedRectangle() {
        // A square of one pixel about (4, 4), on its tip: a quarter of it lies in each of the four pixels.
        let placement = Placement(x: 3.5, y: 3.5, width: 1, height: 1, rotation: 45)
        let found = rows(white(1, 1), placement)
        #expect(near([found[3][3], found[3][4], found[4][3], found[4][4]], [0.25, 0.25, 0.25, 0.25]))
        #expect(near([found[2][2], found[2][3], found[5][4]], [0, 0, 0]))
        let lit = rows(white(1, 1), placement, outside: 0.5)
        #expect(near([lit[3][3], lit[0][0]], [0.25 + 0.75 * 0.5, 0.5]))
        let large = rows(white(1, 1), Placement(x: 3.3, y: 3.3, width: 1.4, height: 1.4, rotation: 45))
        #expect(near([large[3][3], large[4][4]], [0.49, 0.49]))
        // One of 4 pixels' diagonal fills |x - 4| + |y - 4| <= 4: whole pixels inside, halves along the edge.
        let edge = 4 * 2.0.squareRoot()
        let diamond = rows(
            white(3, 3), Placement(x: 4 - edge / 2, y: 4 - edge / 2, width: edge, height: edge, rotation: 45),
            filter: .lanczos3)
        #expect(near(diamond[0], [0, 0, 0, 0.5, 0.5, 0, 0, 0]))
        #expect(near(diamond[2], [0, 0.5, 1, 1, 1, 1, 0.5, 0]))
    }

    @Test func aTurnedPictureFillsItsRectangle() {
        // 2.6 pixels become 3 samples; the middle of column j lies at (j + 0.5 - 2) * 3 / 2.6 of them.
        let placement = Placement(x: 2, y: 0, width: 2.6, height: 4, rotation: 1e-7)
        let row = rows(numbered(3, 1), placement)[1]
        #expect(near(row, [0, 0, 0.5 + 1.5 / 2.6, 0.5 + 4.5 / 2.6, 3 * 0.6, 0, 0, 0], within: 1e-5))
    }

    @Test func nearlyAQuarterIsAQuarter() {
        let field = numbered(3, 2)
        for (rotation, quarter) in [(90 + 8e-10, 90), (-8e-10, 0), (630 - 8e-10, 270)] as [(Double, Double)] {
            var placement = Placement(x: 1.3, y: 2.2, width: 5.1, height: 3.7, rotation: quarter)
            let expected = rows(field, placement, filter: .lanczos3)
            placement.rotation = rotation
            #expect(rows(field, placement, filter: .lanczos3) == expected)
        }
    }

    @Test func clockwiseIsClockwise() {
        // 1 2 in a row; turned by 90 +- a little, 1 is above 2.
        for rotation in [89.999999, 90, 90.000001] {
            let found = rows(numbered(2, 2), Placement(x: 3, y: 3, width: 2, height: 2, rotation: rotation))
            #expect(
                near([found[3][3], found[3][4], found[4][3], found[4][4]], [3, 1, 4, 2], within: 1e-6), "\(rotation)")
        }
    }

    @Test func aSmallTurnChangesLittle() {
        // The size in pixels is whole, so the second resampling copies.
        let field = numbered(5, 3)
        let placement = Placement(x: 2, y: 1, width: 4, height: 5)
        var turned = placement
        turned.rotation = 1e-7
        let straight = placed(field, at: placement, scale: (1, 1), output: output, filter: .triangle)
        let found = placed(field, at: turned, scale: (1, 1), output: output, filter: .triangle)
        #expect(near(found.cover, straight.cover, within: 1e-5))
        let inside = (1..<6).flatMap { y in (2..<6).map { x in y * 8 + x } }
        #expect(near(inside.map { found.values[$0] }, inside.map { straight.values[$0] }, within: 1e-5))
    }

    @Test func layersUseTheirPlacements() {
        let canvas = PixelSize(width: 8, height: 8)
        let red = RGBA8(red: 255, green: 0, blue: 0)
        var layer = Layer(
            maskImage: encoded(PixelSize(width: 4, height: 4)), contentImage: encoded(PixelSize(width: 2, height: 2)))
        layer.contentPlacement = Placement(x: 1, y: 1, width: 2, height: 2)
        layer.maskPlacement = Placement(x: 2, y: 0, width: 4, height: 4)
        layer.maskOutside = 0.25
        var group = Layer()
        group.kind = .group([layer], isPassThrough: false)
        let images = DecodedImages([
            .content(layerIndex: 1): StraightImage(size: PixelSize(width: 2, height: 2), color: red),
            .mask(layerIndex: 1): StraightImage(
                size: PixelSize(width: 4, height: 4), gray: [UInt8](repeating: 255, count: 16)),
        ])
        let project = Project(canvasSize: canvas, background: .transparent, layers: [group])
        let picture = ReferenceRenderer.render(project: project, images: images, output: canvas)
        #expect(near(pixel(picture, 1, 1), [0.25, 0, 0, 0.25]))
        #expect(near(pixel(picture, 2, 2), [1, 0, 0, 1]))
        #expect(near(pixel(picture, 3, 2), [0, 0, 0, 0]))
    }
}
