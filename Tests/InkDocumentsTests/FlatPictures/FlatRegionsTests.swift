import InkTestSupport
import Testing

@testable import InkCodecs
@testable import InkDocuments
@testable import InkEngine

@Suite struct FlatRegionsTests {
    private static let place = Place(file: "picture")

    @Test("Smooth edges make no colours and no regions of their own", arguments: 0..<40 as Range<UInt64>)
    func edges(seed: UInt64) throws {
        let sample = FlatSample(seed: seed, line: seed.isMultiple(of: 2) ? 3 : 0)
        let regions = try sample.regions()
        #expect(regions.regions.count == sample.regionCount, "seed \(seed): \(RegionNames.names(of: regions))")
        var wanted = Set(sample.shapes.map(\.color) + [sample.background])
        if sample.shapes.contains(where: { $0.line > 0 }) { wanted.insert(FlatSample.lineColor) }
        #expect(Set(regions.regions.map(\.color.opaque)) == wanted, "seed \(seed)")
        #expect(regions.regions.map(\.area) == regions.regions.map(\.area).sorted(by: >), "seed \(seed)")
    }

    @Test("The noise of JPEG files makes no regions", arguments: 0..<20 as Range<UInt64>)
    func noise(seed: UInt64) throws {
        let sample = FlatSample(seed: seed, line: 0)
        let quality = [95, 90, 80, 70][Int(seed % 4)]
        let file = try sample.samples.withUnsafeBufferPointer {
            try JPEGPieceEncoder.file(
                UnsafeRawBufferPointer($0), sample.size, .rgb, PictureEncoding(format: .jpeg, quality: quality),
                density: nil)
        }
        let decoded = try DecodedPicture(file, place: Self.place, limits: Limits())
        #expect(decoded.size == sample.size && decoded.format == .rgb8)
        let regions = try sample.regions(decoded.samples)
        #expect(
            regions.regions.count == sample.regionCount,
            "seed \(seed), quality \(quality): \(regions.regions.map { "\($0.color.opaque) \($0.area) \($0.bounds)" })")
    }

    @Test("A region's mask is that of its colour", arguments: 0..<12 as Range<UInt64>)
    func masks(seed: UInt64) throws {
        let sample = FlatSample(seed: seed, line: 0)
        let samples = sample.samples
        var options = FlatRegions.Options()
        (options.dilation, options.blur) = [(2, 1.0), (0, 0), (1, 0.6), (3, 2.5)][Int(seed % 4)]
        let regions = try sample.regions(samples, options)
        for shape in sample.shapes {
            let number = try #require(regions.regions.firstIndex { $0.color.opaque == shape.color })
            let found = regions.mask(of: number)
            let wanted = try MaskMaker.mask(
                samples: samples, size: sample.size, format: .rgb8, color: shape.color, dilation: options.dilation,
                blur: options.blur)
            let cell = FlatSample.cell
            let (left, top) = (Int(shape.centerX) / cell * cell, Int(shape.centerY) / cell * cell)
            // Beyond the cell an edge of others may look like the colour; the region is not there.
            for y in top..<(top + cell) {
                for x in left..<(left + cell) where options.dilation > 0 {
                    let at = y * sample.size.width + x
                    #expect(found[at] == wanted[at], "seed \(seed): \(shape.color) at \(x), \(y)")
                    if found[at] != wanted[at] { return }
                }
            }
        }
    }

    @Test("Masks leave no gap", arguments: 0..<8 as Range<UInt64>)
    func gaps(seed: UInt64) throws {
        let sample = FlatSample(seed: seed, line: 3)
        var options = FlatRegions.Options()
        // Everything belongs to some region, even what has none of these colours.
        if seed.isMultiple(of: 2) { options.colors = [sample.background, sample.shapes[0].color] }
        let regions = try sample.regions(nil, options)
        var covered = [UInt8](repeating: 0, count: sample.size.area)
        for number in regions.regions.indices {
            for (at, value) in regions.mask(of: number).enumerated() { covered[at] = max(covered[at], value) }
        }
        #expect(covered.allSatisfy { $0 >= 128 }, "seed \(seed)")
        #expect(try sample.regions(nil, options).mask(of: 0) == regions.mask(of: 0))
    }

    @Test("One colour in two places is two regions; small specks belong to what is around them")
    func places() throws {
        let size = PixelSize(width: 60, height: 30)
        var samples: [UInt8] = []
        for y in 0..<30 {
            for x in 0..<60 {
                let isSpeck = (5..<7).contains(x) && (5..<7).contains(y)
                let isRed = !isSpeck && (x < 20 || x >= 40)
                samples += isRed ? [220, 30, 30] : [250, 250, 250]
            }
        }
        func regions(_ options: FlatRegions.Options) throws -> FlatRegions {
            try FlatRegions(
                of: try FlatPicture(samples: samples, size: size, format: .rgb8), options, place: Self.place,
                limits: Limits())
        }
        let found = try regions(FlatRegions.Options())
        #expect(RegionNames.names(of: found) == ["White, centre", "Red, right", "Red, left"])
        let left = try #require(found.regions.last)
        #expect(left.area == 596 && left.bounds.x == 0)
        #expect(found.mask(of: 2)[6 * 60 + 6] == 255, "the mask has no hole where the speck is")
        var small = FlatRegions.Options()
        small.minArea = 1
        #expect(try regions(small).regions.count == 4)
        var large = FlatRegions.Options()
        large.minArea = 598
        #expect(try regions(large).regions.count == 2)
    }

    @Test("What is transparent is no region")
    func transparency() throws {
        let size = PixelSize(width: 40, height: 40)
        var samples: [UInt8] = []
        for y in 0..<40 {
            for x in 0..<40 {
                let distance = (Double((x - 20) * (x - 20) + (y - 20) * (y - 20))).squareRoot()
                let alpha = UInt8(min(1, max(0, 12.5 - distance)) * 255)
                samples += [30, 120, 200, alpha]
            }
        }
        let regions = try FlatRegions(
            of: try FlatPicture(samples: samples, size: size, format: .rgba8), FlatRegions.Options(),
            place: Self.place, limits: Limits())
        #expect(regions.regions.count == 1)
        #expect(regions.regions[0].color.opaque == RGBA8(red: 30, green: 120, blue: 200))
        #expect(regions.mask(of: 0)[0] == 0 && regions.mask(of: 0)[20 * 40 + 20] == 255)
    }

    @Test("Pictures that are not flat end in an error or in few regions", arguments: 0..<12 as Range<UInt64>)
    func others(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let size = PixelSize(width: .random(in: 1...70, using: &random), height: .random(in: 1...70, using: &random))
        let kind = seed % 4
        let samples = (0..<(size.area * 3)).map { index -> UInt8 in
            switch kind {
            case 0: UInt8.random(in: 0...255, using: &random)
            case 1: UInt8(truncatingIfNeeded: index / 7)
            case 2: index / 3 % 2 == 0 ? 0 : 255
            default: 128 + UInt8.random(in: 0...9, using: &random)
            }
        }
        var limits = Limits()
        limits.layers = 20
        do throws(EngineError) {
            let picture = try FlatPicture(samples: samples, size: size, format: .rgb8)
            let regions = try FlatRegions(
                of: picture, FlatRegions.Options(), place: Self.place, limits: limits)
            #expect((1...20).contains(regions.regions.count), "seed \(seed)")
            for number in regions.regions.indices { #expect(regions.mask(of: number).count == size.area) }
            for hasOutlines in [true, false] {
                _ = try regions.layers(of: picture, hasOutlines: hasOutlines, place: Self.place, limits: limits)
            }
            _ = RegionMap(regions).outlines(isLine: regions.regions.map(\.isThin))
        } catch {
            if case .internalError = error { Issue.record("seed \(seed): \(error)") }
        }
    }

    @Test("Lines are told from areas")
    func lines() throws {
        let sample = FlatSample(seed: 4, line: 3)
        let regions = try sample.regions().regions
        for region in regions {
            #expect(region.isThin == (region.color.opaque == FlatSample.lineColor), "\(region.color.opaque)")
        }
    }
}
