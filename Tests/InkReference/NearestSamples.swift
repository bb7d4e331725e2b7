package import InkEngine

/// Spec 10.7: "an output pixel takes the sample of the image that holds the pixel's centre, placed or not, nothing where there
/// is none". Premultiplied RGBA.
///
/// - Parameters:
///   - placement: in the space that the picture scales to the output.
///   - scale: s_x and s_y.
package func nearestSamples(
    _ image: StraightImage, at placement: Placement, scale: (x: Double, y: Double), output: PixelSize
) -> [Double] {
    var field = SampleField(size: image.size, channels: 4, values: premultiplied(image))
    var placement = placement
    let quarters = (placement.rotation / 90).rounded()
    // "of the picture as it is turned by multiples of 90 degrees"
    if abs(placement.rotation - quarters * 90) <= 1e-9 {
        let turns = quarters.truncatingRemainder(dividingBy: 4)
        for _ in 0..<Int(turns < 0 ? turns + 4 : turns) { (field, placement) = (field.turned, placement.turned) }
        placement.rotation = 0
    }
    let (width, height) = (placement.width * scale.x, placement.height * scale.y)
    let center = Point(
        x: (placement.x + placement.width / 2) * scale.x, y: (placement.y + placement.height / 2) * scale.y)
    var pixels = [Double](repeating: 0, count: output.area * 4)
    for y in 0..<output.height {
        for x in 0..<output.width {
            let q = Point(x: Double(x) + 0.5, y: Double(y) + 0.5)
            let inside = turned(q - center, degrees: -placement.rotation)
            // "a centre within 1e-6 of a sample from a border between samples counts as in the later one"
            let column = ((inside.x / width + 0.5) * Double(field.size.width) + 1e-6).rounded(.down)
            let row = ((inside.y / height + 0.5) * Double(field.size.height) + 1e-6).rounded(.down)
            guard column >= 0, column < Double(field.size.width), row >= 0, row < Double(field.size.height) else {
                continue
            }
            for channel in 0..<4 {
                pixels[(y * output.width + x) * 4 + channel] = field.value(Int(column), Int(row), channel)
            }
        }
    }
    return pixels
}

extension Placement {
    /// That of a picture turned clockwise by 90 degrees about its centre.
    var turned: Placement {
        Placement(
            x: x + width / 2 - height / 2, y: y + height / 2 - width / 2, width: height, height: width,
            rotation: rotation)
    }
}
