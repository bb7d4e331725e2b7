public import InkEngine

/// Patches of everything that pictures are made of: flat colour, hatching, gradients, grain of few and of many colours,
/// and copies of what came earlier, near and far.
public func patchwork(size: PixelSize, format: PixelFormat, using random: inout SeededGenerator) -> [UInt8] {
    let pixel = format.bytesPerPixel
    var pixels = [UInt8](repeating: 255, count: size.area * pixel)
    var done = 0
    while done < pixels.count {
        let end = min(pixels.count, done + Int.random(in: 1...20_000, using: &random))
        let colour = (0..<pixel).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        let back = min(done, Int.random(in: 1...50_000, using: &random) / pixel * pixel)
        switch Int.random(in: 0..<6, using: &random) {
        case 0: for i in done..<end { pixels[i] = colour[i % pixel] }
        case 1: for i in done..<end { pixels[i] = i / pixel % 7 < 2 ? colour[i % pixel] : 255 }
        case 2: for i in done..<end { pixels[i] = UInt8(truncatingIfNeeded: i / pixel / 5) &+ colour[i % pixel] }
        case 3: for i in done..<end { pixels[i] = colour[i % pixel] &+ UInt8.random(in: 0...3, using: &random) }
        case 4: for i in done..<end { pixels[i] = UInt8.random(in: .min ... .max, using: &random) }
        default: for i in done..<end { pixels[i] = back == 0 ? 7 : pixels[i - back] }
        }
        done = end
    }
    return pixels
}
