import Foundation
import InkTestSupport
import Testing

@testable import InkCodecs
@testable import InkEngine

/// Files of the target's `Data` folder.
enum Material {
    static func bytes(_ path: String) throws -> [UInt8] {
        let folder = try #require(Bundle.module.resourceURL)
        return try [UInt8](Data(contentsOf: folder.appendingPathComponent("Data/\(path)")))
    }

    static func picture(_ path: String) throws -> SimplePicture { try SimplePNG.read(bytes(path)) }

    static func decoded<Value: Decodable>(_ type: Value.Type, _ path: String) throws -> Value {
        try JSONDecoder().decode(type, from: Data(bytes(path)))
    }
}

extension FloatPlanes {
    /// A picture placed with its upper left corner at (left, top) on a transparent canvas.
    convenience init(_ picture: SimplePicture, left: Int = 0, top: Int = 0, canvas: PixelSize? = nil) {
        self.init(width: canvas?.width ?? picture.width, height: canvas?.height ?? picture.height)
        for y in max(0, -top)..<max(max(0, -top), min(picture.height, height - top)) {
            for x in max(0, -left)..<max(max(0, -left), min(picture.width, width - left)) {
                let p = picture.rgba(x, y)
                let a = Float(p[3])
                let i = (y + top) * width + x + left
                red[i] = Float(p[0]) * a / 65_025
                green[i] = Float(p[1]) * a / 65_025
                blue[i] = Float(p[2]) * a / 65_025
                alpha[i] = a / 255
            }
        }
    }

    /// How far red, green and blue over white are from another picture's, 0...255 each.
    func differenceOverWhite(_ other: FloatPlanes, at i: Int) -> (Double, Double, Double) {
        let shade = Double(other.alpha[i]) - Double(alpha[i])
        return (
            abs(Double(red[i]) - Double(other.red[i]) + shade) * 255,
            abs(Double(green[i]) - Double(other.green[i]) + shade) * 255,
            abs(Double(blue[i]) - Double(other.blue[i]) + shade) * 255
        )
    }

    /// Multiplies every pixel by a factor of its own.
    func multiply(by factors: [Float]) {
        precondition(factors.count == count)
        for (i, factor) in factors.enumerated() {
            red[i] *= factor
            green[i] *= factor
            blue[i] *= factor
            alpha[i] *= factor
        }
    }

    /// Blends a layer of this size onto the planes.
    func blend(_ layer: FloatPlanes, mask: [Float]? = nil, opacity: Float = 1, mode: BlendMode) {
        LayerCompositor().blend(layer, mask: mask, opacity: opacity, mode: mode, onto: self)
    }
}
