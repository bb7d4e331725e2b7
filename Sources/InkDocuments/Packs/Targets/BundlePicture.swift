import InkCodecs
package import InkEngine
import InkJSON

/// A picture of a bundle: of which item, how large, and as which file.
package struct BundlePicture: Hashable, Sendable {
    package enum Size: Hashable, Sendable {
        /// The canvas, not padded.
        case canvas
        /// As large as fits; the rest is transparent.
        case box(PixelSize)
    }

    package enum Alignment: String, CaseIterable, Sendable {
        case top, center, bottom
    }

    /// The item's number in the pack; nil: the bundle's icon.
    package var item: Int?
    package var size: Size
    package var alignment = Alignment.center
    /// The part of the shorter edge that is kept free on each side, from 0 to below 1/2.
    package var margin = 0.0
    /// What the picture is flattened onto; nil: it stays transparent.
    package var background: RGBA8?
    package var format: PictureFormat = .png
    /// The most bytes of the file.
    package var bytesMax: Int?

    /// Free pixels on each side of a box.
    package static func marginPixels(_ margin: Double, in box: PixelSize) -> Int {
        Int((margin * Double(min(box.width, box.height)) + 0.5).rounded(.down))
    }
}

/// A picture of a recipe, whose values may be those of parameters.
struct TargetPicture: Sendable {
    /// In the order of `Key`.
    private var values: [(key: Key, value: TargetTemplate)] = []

    enum Key: String, CaseIterable {
        case size, align, margin, background, format, maxBytes
    }

    init(_ node: PackNode, _ names: TargetNames) throws(EngineError) {
        _ = try node.fields(Key.allCases.map(\.rawValue))
        _ = try node.required(Key.size.rawValue)
        for key in Key.allCases {
            guard let node = node.member(key.rawValue) else { continue }
            switch node.value {
            case .integer, .number: values.append((key, .plain(node.value)))
            case .string: values.append((key, .text(try node.template(names))))
            case .null, .bool, .object, .array: throw node.error("must be a text or a number, is \(node.value.words)")
            }
            // What depends on no pack must be right.
            var picture = BundlePicture(item: nil, size: .canvas)
            if let value = values.last?.value.constant {
                do throws(TargetText.Fault) {
                    try Self.set(key, value, of: &picture)
                } catch {
                    throw node.error(error.reason)
                }
            }
        }
    }

    /// - Parameter value: the value of a template.
    func picture<Failure>(
        item: Int?, _ value: (TargetTemplate) throws(Failure) -> JSONValue,
        fault: (Key, TargetText.Fault) -> Failure
    ) throws(Failure) -> BundlePicture {
        var picture = BundlePicture(item: item, size: .canvas)
        for (key, template) in values {
            let value = try value(template)
            do throws(TargetText.Fault) { try Self.set(key, value, of: &picture) } catch { throw fault(key, error) }
        }
        guard case .box(let box) = picture.size else { return picture }
        let margin = BundlePicture.marginPixels(picture.margin, in: box)
        guard min(box.width, box.height) > 2 * margin else {
            throw fault(.margin, TargetText.Fault(reason: "leaves nothing of \(box.width)x\(box.height) pixels"))
        }
        return picture
    }

    private static func set(
        _ key: Key, _ value: JSONValue, of picture: inout BundlePicture
    ) throws(TargetText.Fault) {
        func fault(_ wanted: String) -> TargetText.Fault {
            TargetText.Fault(reason: "is \(value.shortText), must be \(wanted)")
        }
        switch key {
        case .size:
            guard let size = size(value.string ?? "") else { throw fault("1x, or a size in pixels such as 512x512") }
            picture.size = size
        case .align:
            guard let alignment = BundlePicture.Alignment(rawValue: value.string ?? "") else {
                throw fault("top, center or bottom")
            }
            picture.alignment = alignment
        case .margin:
            guard let margin = value.number, margin >= 0, margin < 0.5 else { throw fault("from 0 to below 0.5") }
            picture.margin = margin
        case .background:
            guard let color = PackNode.color(value.string ?? "") else { throw fault("a colour such as #ffffff") }
            picture.background = color
        case .format:
            guard let codec = PictureCodecs.codec(named: value.string ?? ""), !codec.format.isFolder else {
                throw fault("a format such as png or webp")
            }
            picture.format = codec.format
        case .maxBytes:
            guard let count = value.wholeNumber, count > 0 else { throw fault("a number of bytes above 0") }
            picture.bytesMax = count
        }
    }

    /// `1x`, or `512x512`.
    private static func size(_ text: String) -> BundlePicture.Size? {
        if text == "1x" { return .canvas }
        let edges = text.split(separator: "x", omittingEmptySubsequences: false).compactMap { edge in
            (1...7).contains(edge.utf8.count) && edge.utf8.allSatisfy { (48...57).contains($0) } ? Int(edge) : nil
        }
        guard edges.count == 2, text.split(separator: "x").count == 2, edges.allSatisfy({ $0 > 0 }) else { return nil }
        return .box(PixelSize(width: edges[0], height: edges[1]))
    }
}

extension TargetTemplate {
    /// The value, if nothing is put into it.
    var constant: JSONValue? {
        switch self {
        case .plain(let value): value
        case .text(let text): text.literal.map { .string($0) }
        case .list, .object, .numbers, .uuid: nil
        }
    }
}
