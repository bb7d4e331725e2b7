import Foundation
import InkTestSupport
import Testing

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
                let p = picture.rgba(x, y).map(Float.init)
                let i = (y + top) * width + x + left
                red[i] = p[0] * p[3] / 65_025
                green[i] = p[1] * p[3] / 65_025
                blue[i] = p[2] * p[3] / 65_025
                alpha[i] = p[3] / 255
            }
        }
    }

    /// Red, green and blue over white, 0...255.
    func overWhite(_ i: Int) -> [Double] {
        [red[i], green[i], blue[i]].map { (Double($0) + 1 - Double(alpha[i])) * 255 }
    }

    func copy() -> FloatPlanes {
        let result = FloatPlanes(width: width, height: height)
        result.red.update(from: red, count: count * 4)
        return result
    }
}
