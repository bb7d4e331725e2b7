import Foundation
import InkTestSupport
import Testing

@testable import InkEngine

/// Layered pictures put together again from their layers, against the flattened picture stored in the same file by
/// the program that wrote it. Groups and clipping are not part of a project; here they are made of the engine's parts.
@Suite struct LayeredPictureTests {
    static let names = [
        "1layer", "2layers", "ag-cat", "ag-groups", "ag-layer-mask", "ag-layer-offsets-read", "ag-layers", "ag-nested",
        "background-red-opacity-80", "blend-color-dodge", "blend-darken", "blend-difference", "blend-hue",
        "blend-lighter-color", "blend-linear-dodge", "blend-multiply", "blend-normal", "blend-pass-through",
        "blend-screen", "blend-subtract", "clipping-mask", "clipping-mask3", "colormodes-4x4-8bit-rgb",
        "colormodes-4x4-8bit-rgba", "empty-group", "empty-layer", "group", "hidden-groups", "mask",
        "mask-density-layermask", "mask-disabled", "passthrough-blendmodes1", "semi-transparent-layers",
        "transparentbg-gimp", "vector-mask3",
    ]

    @Test(arguments: names)
    func comesWithinTwoLevels(name: String) throws {
        let manifest = try Material.decoded(LayeredPicture.self, "layers-psd/\(name)/manifest.json")
        let canvas = FloatPlanes(width: manifest.width, height: manifest.height)
        try LayerTree(folder: "layers-psd/\(name)", size: manifest.size).compose(manifest.layers, onto: canvas)
        let expected = FloatPlanes(try Material.picture("layers-psd/\(name)/\(manifest.reference)"))
        try #require(expected.width == canvas.width && expected.height == canvas.height)
        var worst = 0.0
        for i in 0..<canvas.count {
            let (red, green, blue) = canvas.differenceOverWhite(expected, at: i)
            worst = max(worst, red, green, blue)
        }
        #expect(worst <= 2)
    }
}

/// `manifest.json`; see SOURCES.md beside the folders.
struct LayeredPicture: Decodable {
    var width: Int
    var height: Int
    var reference: String
    var layers: [Layer]

    var size: PixelSize { PixelSize(width: width, height: height) }

    struct Layer: Decodable {
        var name: String
        var kind: String
        var visible: Bool
        var opacity: Float
        var blendMode: String
        var clipping: Bool
        /// Left, top, right, bottom.
        var bbox: [Int]
        var file: String?
        var mask: Mask?
        var layers: [Layer]?

        var passesThrough: Bool { blendMode == "pass_through" }

        enum CodingKeys: String, CodingKey {
            case name, kind, visible, opacity, clipping, bbox, file, mask, layers
            case blendMode = "blend_mode"
        }
    }

    struct Mask: Decodable {
        var bbox: [Int]
        var background: Float
        var disabled: Bool
        var file: String?
        var parameters: [String: Float]?
    }
}

/// Composes a tree of layers.
struct LayerTree {
    let folder: String
    let size: PixelSize

    func compose(_ layers: [LayeredPicture.Layer], onto canvas: FloatPlanes) throws {
        var index = 0
        while index < layers.count {
            let base = layers[index]
            var clipped: [LayeredPicture.Layer] = []
            index += 1
            while index < layers.count && layers[index].clipping {
                clipped.append(layers[index])
                index += 1
            }
            if !base.visible { continue }
            let mask = try values(of: base.mask)
            if base.passesThrough && clipped.isEmpty {
                try composePassingThrough(base, mask, onto: canvas)
                continue
            }
            let group = try pixels(of: base)
            for layer in clipped where layer.visible { try compose(layer, clippedTo: group) }
            canvas.blend(group, mask: mask, opacity: base.opacity / 255, mode: try mode(of: base))
        }
    }

    /// The group's layers see what lies under the group; its mask chooses between before and after.
    private func composePassingThrough(
        _ group: LayeredPicture.Layer, _ mask: [Float], onto canvas: FloatPlanes
    ) throws {
        let after = canvas.copy()
        try compose(group.layers ?? [], onto: after)
        let share = mask.map { $0 * group.opacity / 255 }
        canvas.multiply(by: share.map { 1 - $0 })
        canvas.blend(after, mask: share, mode: .plus)
    }

    /// Blends onto the base's colour and leaves its alpha as it is.
    private func compose(_ layer: LayeredPicture.Layer, clippedTo base: FloatPlanes) throws {
        let top = try pixels(of: layer)
        let alpha = Array(UnsafeBufferPointer(start: base.alpha, count: base.count))
        for i in 0..<base.count where alpha[i] > 0 {
            base.red[i] /= alpha[i]
            base.green[i] /= alpha[i]
            base.blue[i] /= alpha[i]
            base.alpha[i] = 1
        }
        base.blend(
            top, mask: try values(of: layer.mask), opacity: layer.opacity / 255, mode: try mode(of: layer))
        base.multiply(by: alpha)
    }

    private func pixels(of layer: LayeredPicture.Layer) throws -> FloatPlanes {
        if let layers = layer.layers {
            let group = FloatPlanes(width: size.width, height: size.height)
            try compose(layers, onto: group)
            return group
        }
        guard let file = layer.file else { return FloatPlanes(width: size.width, height: size.height) }
        let picture = try Material.picture("\(folder)/\(file)")
        return FloatPlanes(picture, left: layer.bbox[0], top: layer.bbox[1], canvas: size)
    }

    private func mode(of layer: LayeredPicture.Layer) throws -> BlendMode {
        layer.passesThrough
            ? .normal : try #require(BlendMode(name: layer.blendMode.replacingOccurrences(of: "_", with: "-")))
    }

    /// A mask's values over the canvas: its picture in its box, its background outside; a density below 255 lets
    /// through what it hides.
    private func values(of mask: LayeredPicture.Mask?) throws -> [Float] {
        guard let mask, !mask.disabled else { return [Float](repeating: 1, count: size.area) }
        var values = [Float](repeating: mask.background / 255, count: size.area)
        if let file = mask.file {
            let picture = try Material.picture("\(folder)/\(file)")
            for y in 0..<picture.height where (0..<size.height).contains(y + mask.bbox[1]) {
                for x in 0..<picture.width where (0..<size.width).contains(x + mask.bbox[0]) {
                    let value = Float(picture.samples[(y * picture.width + x) * picture.channels]) / 255
                    values[(y + mask.bbox[1]) * size.width + x + mask.bbox[0]] = value
                }
            }
        }
        let density = (mask.parameters?["user_density"] ?? 255) / 255
        return values.map { 1 - density * (1 - $0) }
    }
}
