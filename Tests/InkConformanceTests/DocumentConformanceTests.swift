import InkReference
import InkTestSupport
import Testing

@testable import InkCodecs
@testable import InkDocuments
@testable import InkEngine

/// Documents of painting programs, read as they are and drawn, against the pictures that those programs made of them.
@Suite struct DocumentConformanceTests {
    private func reading(_ path: String, merged: Bool = false) throws -> ProjectReading {
        try ProjectLoader.load(bytes: try Material.bytes(path), name: path, takesMerged: merged)
    }

    private func picture(of project: Project, viewport: Viewport? = nil) throws -> (size: PixelSize, pixels: [UInt8]) {
        try DocumentPictures.picture(of: project, viewport: viewport)
    }

    private func decoded(_ image: EncodedImage, hasProfiles: Bool) throws -> (size: PixelSize, pixels: [UInt8]) {
        try DocumentPictures.decoded(image, hasProfiles: hasProfiles)
    }

    private func expected(_ path: String) throws -> (size: PixelSize, pixels: [UInt8]) {
        let place = Place(file: path)
        let image = try EncodedImage(checking: try Material.bytes(path), place: place, limits: Limits())
        return try decoded(image, hasProfiles: false)
    }

    /// The largest difference over white, the mean one, and the share of the pixels that are more than 3 off.
    private func difference(
        _ a: (size: PixelSize, pixels: [UInt8]), _ b: (size: PixelSize, pixels: [UInt8])
    ) throws -> (max: Double, mean: Double, beyond3: Double) {
        try #require(a.size == b.size)
        var (worst, sum, count) = (0.0, 0.0, 0)
        for pixel in 0..<a.size.area {
            var largest = 0.0
            for k in 0..<3 {
                func overWhite(_ pixels: [UInt8]) -> Double {
                    let alpha = Double(pixels[4 * pixel + 3]) / 255
                    return Double(pixels[4 * pixel + k]) * alpha + 255 * (1 - alpha)
                }
                let off = abs(overWhite(a.pixels) - overWhite(b.pixels))
                largest = max(largest, off)
                sum += off
            }
            worst = max(worst, largest)
            if largest > 3 { count += 1 }
        }
        return (worst, sum / Double(3 * a.size.area), Double(count) / Double(a.size.area))
    }

    private static let plain = [
        "1layer", "2layers", "ag-cat", "ag-groups", "ag-layer-mask", "ag-layer-offsets-read", "ag-layers", "ag-nested",
        "blend-color-dodge", "blend-darken", "blend-difference", "blend-hue", "blend-lighter-color",
        "blend-linear-dodge", "blend-multiply", "blend-normal", "blend-pass-through", "blend-screen", "blend-subtract",
        "clipping-mask", "clipping-mask3", "colormodes-4x4-8bit-rgb", "colormodes-4x4-8bit-rgba", "empty-group",
        "empty-layer", "group", "hidden-groups", "mask", "mask-density-layermask", "mask-disabled",
        "passthrough-blendmodes1", "semi-transparent-layers", "transparentbg-gimp", "vector-mask3",
    ]
    private static let others = [
        "blend-hard-light", "blend-luminosity", "blend-overlay", "transparency-transparency-group",
    ]

    @Test("Photoshop files show what Photoshop shows", arguments: plain + others)
    func photoshop(name: String) throws {
        let reading = try reading("layers-psd/\(name)/src.psd")
        #expect(reading.warnings.isEmpty, "\(reading.warnings)")
        let found = try difference(
            try picture(of: reading.project), try expected("layers-psd/\(name)/photoshop.png"))
        if Self.plain.contains(name) {
            #expect(found.max <= 3 && found.mean <= 1, "\(name): \(found)")
        } else {
            #expect(found.max <= 9 && found.beyond3 <= 0.01, "\(name): \(found)")
        }
    }

    @Test("The merged picture of a Photoshop file is the one that it holds", arguments: plain + others)
    func photoshopMerged(name: String) throws {
        let reading = try reading("layers-psd/\(name)/src.psd", merged: true)
        let found = try difference(
            try picture(of: reading.project), try expected("layers-psd/\(name)/photoshop.png"))
        #expect(found.max <= 1, "\(name): \(found)")
    }

    @Test(
        "Krita documents show what Krita shows",
        arguments: ["zshrug-logo", "marquee-border", "lint-structure", "lint-all-masks"])
    func krita(name: String) throws {
        let reading = try reading("kra/\(name).kra")
        let merged = try self.reading("kra/\(name).kra", merged: true)
        let found = try difference(try picture(of: reading.project), try picture(of: merged.project))
        #expect(found.max <= 3, "\(name): \(found), \(reading.warnings)")
        #expect(reading.warnings.isEmpty == (name != "lint-all-masks"), "\(reading.warnings)")
    }

    @Test func whatOfAKritaDocumentIsNotDrawnIsSaid() throws {
        let warnings = try reading("kra/lint-all-masks.kra").warnings.map(\.description)
        for word in [
            "a layer of another file", "a filter layer (pixelize)", "a clone of something else",
            "a filter mask (pixelize)",
            "a colorize mask", "a transform mask",
        ] {
            #expect(warnings.contains { $0.contains(word) }, "\(word) in \(warnings)")
        }
        #expect(
            try reading("kra/lint-vector-rect.kra").warnings.map(\.description) == [
                "Vector Layer 1: left out: text in a vector layer"
            ])
    }

    @Test(
        "Sprites show what Aseprite shows",
        arguments: [
            "256_color_old_palette_chunk", "background", "basic-16x16", "big", "grayscale", "tilemap",
            "tilemap_indexed",
        ])
    func aseprite(name: String) throws {
        let reading = try reading("aseprite/\(name).aseprite")
        #expect(reading.warnings.isEmpty, "\(reading.warnings)")
        let found = try difference(try picture(of: reading.project), try expected("aseprite/\(name).png"))
        #expect(found.max == 0, "\(name): \(found)")
    }

    @Test func framesOfASpriteArePages() throws {
        let project = try reading("aseprite/layers_and_tags.aseprite").project
        #expect(project.hasPages && project.viewports.map(\.name) == ["1", "2", "3", "4"])
        for (index, viewport) in project.viewports.enumerated() {
            let found = try difference(
                try picture(of: project, viewport: viewport),
                try expected("aseprite/layers_and_tags_0\(index + 1).png"))
            #expect(found.max == 0, "frame \(index + 1): \(found)")
        }
    }

    private static let samples = [
        "layers-psd/ag-layer-mask/src.psd", "layers-psd/vector-mask3/src.psd", "layers-psd/transparentbg-gimp/src.psd",
        "kra/marquee-border.kra", "kra/lint-all-masks.kra", "aseprite/tilemap.aseprite",
        "aseprite/layers_and_tags.aseprite",
    ]

    @Test("A document that is cut gives an error of one line, or a project", arguments: samples)
    func cutDocuments(path: String) throws {
        let bytes = try Material.bytes(path)
        for count in stride(from: 0, to: bytes.count, by: max(1, bytes.count / 400)) {
            check(Array(bytes.prefix(count)), "\(path) cut after \(count) bytes")
        }
    }

    @Test("A damaged document gives an error of one line, or a project", arguments: samples, [1, 2, 3] as [UInt64])
    func damagedDocuments(path: String, seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let bytes = try Material.bytes(path)
        for round in 0..<100 {
            var damaged = bytes
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                damaged[Int.random(in: 0..<bytes.count, using: &random)] =
                    [0, 1, 0x7F, 0x80, 0xFF, .random(in: 0...255, using: &random)].randomElement(using: &random)!
            }
            check(damaged, "\(path), seed \(seed), round \(round)")
        }
    }

    /// Also decodes the images, as workers do.
    private func check(_ bytes: [UInt8], _ what: String) {
        do throws(EngineError) {
            var limits = Limits()
            limits.imagePixels = 1 << 22
            let project = try ProjectLoader.load(bytes: bytes, name: "f", limits: limits).project
            for (_, image) in ImageKey.images(of: project) where !image.header.isVector {
                _ = try ImageDecoders.decode(
                    image.bytes, as: .color, place: Place(file: "f"), limits: limits
                ) { _ in }
            }
        } catch {
            #expect(!error.description.contains("\n") && !error.description.contains("internal"), "\(what): \(error)")
        }
    }
}
