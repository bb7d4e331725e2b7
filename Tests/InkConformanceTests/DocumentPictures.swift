import InkReference
import InkTestSupport

@testable import InkCodecs
@testable import InkEngine

/// Documents that have been read, drawn in their own size.
enum DocumentPictures {
    /// RGBA, straight.
    static func picture(of project: Project, viewport: Viewport? = nil) throws -> (size: PixelSize, pixels: [UInt8]) {
        let canvas = viewport?.size ?? project.canvasSize
        let size = PixelSize(width: Int(canvas.width), height: Int(canvas.height))
        let images = try DecodedImages(of: project) { image in
            let decoded = try decoded(image, hasProfiles: project.hasColorProfiles)
            return StraightImage(size: decoded.size, rgba: decoded.pixels)
        }
        return (size, try LocalRendering.render(project, viewport: viewport, images: images, output: size))
    }

    static func decoded(_ image: EncodedImage, hasProfiles: Bool) throws -> (size: PixelSize, pixels: [UInt8]) {
        var pixels: [UInt8] = []
        let raster = image.header.isVector ? VectorRaster(whole: image.size) : nil
        let count = image.header.hasAlpha || image.header.isVector ? 4 : 3
        let info = try ImageDecoders.decode(
            image.bytes, as: .color, convertsProfiles: hasProfiles, raster: raster, place: Place(file: image.place)
        ) { chunk in
            switch chunk.content {
            case .samples(let samples): pixels += samples
            case .constant(let value):
                for _ in 0..<(chunk.rows.count * image.size.width) {
                    for k in 0..<count { pixels.append(UInt8(truncatingIfNeeded: value >> UInt32(8 * k))) }
                }
            }
        }
        guard info.format == .rgb8 else { return (info.size, pixels) }
        var rgba: [UInt8] = []
        for at in stride(from: 0, to: pixels.count, by: 3) {
            rgba += pixels[at..<(at + 3)]
            rgba.append(255)
        }
        return (info.size, rgba)
    }
}
