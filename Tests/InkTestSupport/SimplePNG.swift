import CZlib

/// A picture read without the engine: an independent eye for tests. 8 bits a sample, straight alpha.
public struct SimplePicture: Sendable {
    public let width: Int
    public let height: Int
    /// 1 gray, 2 gray and alpha, 3 red, green and blue, 4 those and alpha.
    public let channels: Int
    /// Row-major, interleaved, without padding.
    public let samples: [UInt8]

    /// Red, green, blue and alpha of a pixel.
    public func rgba(_ x: Int, _ y: Int) -> SIMD4<UInt8> {
        let at = (y * width + x) * channels
        switch channels {
        case 1: return SIMD4(samples[at], samples[at], samples[at], 255)
        case 2: return SIMD4(samples[at], samples[at], samples[at], samples[at + 1])
        case 3: return SIMD4(samples[at], samples[at + 1], samples[at + 2], 255)
        default: return SIMD4(samples[at], samples[at + 1], samples[at + 2], samples[at + 3])
        }
    }
}

/// A reader of the plainest PNG files: 8 bits a sample, no palette, no interlace. Checks neither CRCs nor order.
public enum SimplePNG {
    public struct Unreadable: Error, CustomStringConvertible {
        public let description: String
    }

    public static func read(_ file: [UInt8]) throws(Unreadable) -> SimplePicture {
        guard file.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) else {
            throw Unreadable(description: "no PNG signature")
        }
        var header: [UInt8] = []
        var compressed: [UInt8] = []
        var position = 8
        while position + 12 <= file.count {
            let length = number(file, position)
            guard position + 12 + length <= file.count else { throw Unreadable(description: "a chunk is cut short") }
            let data = file[(position + 8)..<(position + 8 + length)]
            switch String(decoding: file[(position + 4)..<(position + 8)], as: UTF8.self) {
            case "IHDR": header = Array(data)
            case "IDAT": compressed += data
            default: break
            }
            position += 12 + length
        }
        guard header.count == 13, header[8] == 8, header[12] == 0,
            let channels = [0: 1, 2: 3, 4: 2, 6: 4][Int(header[9])]
        else { throw Unreadable(description: "not a plain 8-bit picture") }
        let (width, height) = (number(header, 0), number(header, 4))
        let raw = try inflated(compressed, byteCount: (width * channels + 1) * height)
        let samples = try unfiltered(raw, rowBytes: width * channels, height: height, pixelBytes: channels)
        return SimplePicture(width: width, height: height, channels: channels, samples: samples)
    }

    private static func number(_ bytes: [UInt8], _ at: Int) -> Int {
        bytes[at..<(at + 4)].reduce(0) { $0 << 8 | Int($1) }
    }

    private static func inflated(_ data: [UInt8], byteCount: Int) throws(Unreadable) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: byteCount)
        var size = uLongf(byteCount)
        let status = uncompress(&result, &size, data, uLong(data.count))
        guard status == Z_OK, size == uLongf(byteCount) else {
            throw Unreadable(description: "zlib gives \(size) of \(byteCount) bytes, status \(status)")
        }
        return result
    }

    /// PNG specification, section 9.
    private static func unfiltered(
        _ raw: [UInt8], rowBytes: Int, height: Int, pixelBytes: Int
    ) throws(Unreadable) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: rowBytes * height)
        for y in 0..<height {
            let source = y * (rowBytes + 1) + 1
            let row = y * rowBytes
            let filter = raw[source - 1]
            guard filter <= 4 else { throw Unreadable(description: "row \(y) has filter \(filter)") }
            for i in 0..<rowBytes {
                let left = i >= pixelBytes ? Int(result[row + i - pixelBytes]) : 0
                let above = y > 0 ? Int(result[row + i - rowBytes]) : 0
                let predicted: Int
                switch filter {
                case 0: predicted = 0
                case 1: predicted = left
                case 2: predicted = above
                case 3: predicted = (left + above) / 2
                default:
                    let corner = i >= pixelBytes && y > 0 ? Int(result[row + i - rowBytes - pixelBytes]) : 0
                    predicted = paeth(left, above, corner)
                }
                result[row + i] = raw[source + i] &+ UInt8(predicted)
            }
        }
        return result
    }

    /// PNG specification, section 9.4.
    private static func paeth(_ a: Int, _ b: Int, _ c: Int) -> Int {
        let p = a + b - c
        let (pa, pb, pc) = (abs(p - a), abs(p - b), abs(p - c))
        return pa <= pb && pa <= pc ? a : pb <= pc ? b : c
    }
}
