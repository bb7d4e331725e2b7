public import InkEngine

/// Which of a project's embedded images is meant.
public enum ImageKey: Hashable, Sendable {
    case base
    /// The index counts the elements of the layer tree in the file's order, a group before its elements: in a project
    /// without groups it is the place in `layers`.
    case mask(layerIndex: Int)
    case content(layerIndex: Int)

    /// Every image of a project with its key, the base image first, then as the file has them.
    public static func images(of project: Project) -> [(key: ImageKey, image: EncodedImage)] {
        var found: [(key: ImageKey, image: EncodedImage)] = []
        if let image = project.baseImage { found.append((.base, image)) }
        var number = 0
        func add(_ siblings: [Layer]) {
            for element in siblings {
                if let image = element.contentImage { found.append((.content(layerIndex: number), image)) }
                if let image = element.maskImage { found.append((.mask(layerIndex: number), image)) }
                number += 1
                add(element.children)
            }
        }
        add(project.layers)
        return found
    }
}

/// A picture of straight (not premultiplied) RGBA, 8 bits a channel, rows from the top, no padding.
public struct StraightImage: Hashable, Sendable {
    public var size: PixelSize
    /// `size.area * 4` bytes.
    public var rgba: [UInt8]

    /// Precondition: `rgba` has four bytes for each pixel.
    public init(size: PixelSize, rgba: [UInt8]) {
        precondition(size.width > 0 && size.height > 0 && rgba.count == size.area * 4)
        self.size = size
        self.rgba = rgba
    }

    /// A picture of one colour.
    public init(size: PixelSize, color: RGBA8) {
        let pixel = [color.red, color.green, color.blue, color.alpha]
        self.init(size: size, rgba: (0..<size.area).flatMap { _ in pixel })
    }

    /// A gray picture, expanded; `gray` has one byte for each pixel.
    public init(size: PixelSize, gray: [UInt8]) {
        self.init(size: size, rgba: gray.flatMap { [$0, $0, $0, 255] })
    }
}

/// The embedded images of a project after decoding, so that the reference needs no PNG reader of its own.
///
/// An image that the project has and this lacks is a mistake of the caller: rendering stops there.
public struct DecodedImages: Sendable {
    public var images: [ImageKey: StraightImage]

    public init(_ images: [ImageKey: StraightImage] = [:]) { self.images = images }

    /// The images of a project, decoded one by one.
    public init(of project: Project, decode: (EncodedImage) throws -> StraightImage) rethrows {
        images = [:]
        for (key, image) in ImageKey.images(of: project) { images[key] = try decode(image) }
    }

    public subscript(key: ImageKey) -> StraightImage? {
        get { images[key] }
        set { images[key] = newValue }
    }
}
