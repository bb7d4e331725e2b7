@testable import InkEngine

extension RemainingPlane {
    /// What was taken of each pixel of the cell, row-major.
    var coverage: [Float] {
        let cell = pixels.cell
        return (0..<cell.height).flatMap { row in
            (0..<cell.width).map { 1 - Float(pixels.values[row * pixels.stride + $0]) / 65_535 }
        }
    }
}
