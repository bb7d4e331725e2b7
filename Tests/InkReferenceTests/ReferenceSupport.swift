import InkEngine
import InkReference

func pixel(_ picture: ReferencePicture, _ x: Int, _ y: Int) -> [Double] {
    Array(picture.pixels[((y * picture.width + x) * 4)..<((y * picture.width + x) * 4 + 4)])
}

func near(_ a: [Double], _ b: [Double], within tolerance: Double = 1e-9) -> Bool {
    a.count == b.count && zip(a, b).allSatisfy { abs($0 - $1) <= tolerance }
}

/// An image of which only the size counts: the reference takes decoded ones.
func encoded(_ size: PixelSize) -> EncodedImage {
    EncodedImage(bytes: [], header: ImageHeader(size: size, isHeldWhole: false), place: "test")
}

extension ReferencePicture {
    /// Turned clockwise by 90 degrees.
    var turned: ReferencePicture {
        var pixels: [Double] = []
        for y in 0..<width {
            for x in 0..<height { pixels += pixel(self, y, height - 1 - x) }
        }
        return ReferencePicture(width: height, height: width, pixels: pixels)
    }
}
