package import InkEngine
package import InkPlanning

/// Block names that depend on the content, without the protocol's codecs.
package enum FakeBlocks {
    package static let encoder = BlockEncoder(
        marks: { marks throws(EngineError) in
            switch marks {
            case .strokes(let strokes): block(of: Array("\(strokes)".utf8))
            case .shapes(let shapes): block(of: Array("\(shapes)".utf8))
            }
        },
        bytes: { bytes throws(EngineError) in block(of: bytes) })

    package static func block(of bytes: [UInt8]) -> EncodedBlock { EncodedBlock(id: id(of: bytes), frame: bytes) }

    package static func id(of bytes: [UInt8]) -> BlockID {
        var digest: [UInt8] = []
        for salt in UInt64(0)..<4 {
            var hash: UInt64 = 0xCBF2_9CE4_8422_2325 &+ salt
            for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
            for shift in 0..<8 { digest.append(UInt8(truncatingIfNeeded: hash >> (8 * UInt64(shift)))) }
        }
        return BlockID(digest: digest)
    }
}

extension Stroke {
    package static func line(from: (Double, Double), to: (Double, Double), brush: Brush = Brush()) -> Stroke {
        Stroke(brush: brush, points: [StrokePoint(x: from.0, y: from.1), StrokePoint(x: to.0, y: to.1)])
    }
}

extension EncodedImage {
    /// Bytes that stand for a picture; nothing here decodes them.
    package static func fake(_ name: String, width: Int, height: Int) -> EncodedImage {
        EncodedImage(
            bytes: Array(name.utf8),
            header: ImageHeader(size: PixelSize(width: width, height: height), isHeldWhole: false), place: name)
    }
}
