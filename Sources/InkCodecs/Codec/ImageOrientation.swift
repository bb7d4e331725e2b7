import InkEngine

/// How stored pixels are turned to be seen: the values of EXIF and TIFF (tag 274).
enum ImageOrientation: Int, CaseIterable, Sendable {
    case upright = 1
    case mirrored = 2
    case halfTurn = 3
    case flipped = 4
    case transposed = 5
    /// The stored picture is turned a quarter clockwise.
    case quarterTurn = 6
    case transversed = 7
    /// The stored picture is turned a quarter counterclockwise.
    case threeQuarterTurn = 8

    /// The size in which an image of the stored size is seen, and back.
    func turned(_ size: PixelSize) -> PixelSize {
        rawValue < 5 ? size : PixelSize(width: size.height, height: size.width)
    }

    /// Where the pixels of row `y` are in an image stored as rows of `stored.width` pixels: the index of the row's first
    /// pixel, and the step from each pixel to the next.
    func pixels(ofRow y: Int, stored: PixelSize) -> (first: Int, step: Int) {
        let (width, height) = (stored.width, stored.height)
        let (right, bottom) = (width - 1, (height - 1) * width)
        return switch self {
        case .upright: (y * width, 1)
        case .mirrored: (y * width + right, -1)
        case .halfTurn: (bottom - y * width + right, -1)
        case .flipped: (bottom - y * width, 1)
        case .transposed: (y, width)
        case .quarterTurn: (bottom + y, -width)
        case .transversed: (bottom + right - y, -width)
        case .threeQuarterTurn: (right - y, width)
        }
    }
}

extension ImageOrientation {
    /// Finds the orientation in EXIF data, which has the form of a TIFF file: the entry for tag 274 in the first
    /// directory. Upright if there is none, or the data is damaged.
    init(exif bytes: ArraySlice<UInt8>) {
        self = ImageOrientation.find(in: bytes) ?? .upright
    }

    private static func find(in bytes: ArraySlice<UInt8>) -> ImageOrientation? {
        let isLittle = bytes.starts(with: [0x49, 0x49, 42, 0])
        guard isLittle || bytes.starts(with: [0x4D, 0x4D, 0, 42]) else { return nil }
        func number(at offset: Int, bytes count: Int) -> Int? {
            guard offset <= bytes.count - count else { return nil }
            let field = bytes[(bytes.startIndex + offset)...].prefix(count)
            return (isLittle ? Array(field.reversed()) : Array(field)).reduce(0) { $0 << 8 | Int($1) }
        }
        guard let directory = number(at: 4, bytes: 4), let count = number(at: directory, bytes: 2) else { return nil }
        for index in 0..<count {
            let entry = directory + 2 + 12 * index
            guard let tag = number(at: entry, bytes: 2), let kind = number(at: entry + 2, bytes: 2) else { return nil }
            guard tag == 274 else { continue }
            // SHORT as it should be, or LONG.
            return number(at: entry + 8, bytes: kind == 4 ? 4 : 2).flatMap(ImageOrientation.init(rawValue:))
        }
        return nil
    }
}

extension PictureDensity {
    /// The density of a picture that is turned.
    func turned(_ orientation: ImageOrientation) -> PictureDensity {
        var turned = self
        if orientation.rawValue >= 5 { (turned.across, turned.down) = (down, across) }
        return turned
    }
}
