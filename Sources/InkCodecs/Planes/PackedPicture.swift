package import InkEngine

/// A picture as painting programs keep it: channels by themselves or together, packed as in their files.
///
/// It is an image format of our own, for the layers of such files: a reader of documents only finds where pixels are, and
/// they travel packed to where images are decoded (`PackedImages`).
package struct PackedPicture {
    package enum Colors: UInt8 {
        case gray = 1
        case rgb = 3
        /// 0 is full ink, as Photoshop has it, unless `isReversed`.
        case cmyk = 4
        case lab = 5
        /// Samples number colours of the palette.
        case indexed = 6
        /// Rows of bits, 1 is black.
        case bitmap = 7

        /// Samples of a pixel, without alpha.
        package var count: Int {
            switch self {
            case .gray, .indexed, .bitmap: 1
            case .rgb, .lab: 3
            case .cmyk: 4
            }
        }
    }

    package enum Samples: UInt8 {
        /// Whole numbers of 8 bits; of 1 bit in a bitmap.
        case integer8 = 1
        case integer16 = 2
        /// Linear light, 1 is white.
        case float16 = 3
        case float32 = 4

        package var byteCount: Int {
            switch self {
            case .integer8: 1
            case .integer16, .float16: 2
            case .float32: 4
            }
        }
    }

    package enum Packing: UInt8 {
        case raw = 0
        /// Runs; the packed length of each row comes first, in two bytes.
        case packBits = 1
        /// Runs; the packed length of each row comes first, in four bytes.
        case packBitsLong = 2
        /// A stream of zlib.
        case deflate = 3
        /// A stream of zlib of differences to the sample on the left.
        case deflatePredicted = 4
        /// Krita's tiles.
        case tiles = 5
    }

    package struct Plane {
        /// The number of the colour; `all` for pixels as a whole.
        package var channel: UInt8
        package var packing: Packing
        /// Where the packed bytes are in the file that they are of.
        package var range: Range<Int>
        /// What of the file belongs before them, such as the lengths of rows that lie elsewhere.
        package var head: Range<Int>

        package init(channel: UInt8, packing: Packing, range: Range<Int>, head: Range<Int> = 0..<0) {
            self.channel = channel
            self.packing = packing
            self.range = range
            self.head = head
        }

        package static let alpha: UInt8 = 254
        /// Colours, then alpha.
        package static let all: UInt8 = 255
    }

    package var size: PixelSize
    var colors: Colors
    var samples = Samples.integer8
    package var isBigEndian = true
    /// Straight.
    var hasAlpha = false
    /// In order of their channels, with one for each, or a single one of `all`.
    var planes: [Plane]
    /// Four bytes a colour: red, green, blue, alpha.
    package var palette: [UInt8] = []
    /// An ICC profile, or empty.
    package var profile: [UInt8] = []
    /// What 0 and full stand for, of 255; for masks that show through.
    package var range: (low: UInt8, high: UInt8) = (0, 255)
    /// Whether pixels as a whole have blue first, and inks are full at the largest number.
    package var isReversed = false
    /// Whether floating point samples are no light, as those of masks.
    package var isPlain = false
    /// Whether colours have been blended onto white.
    package var isOnWhite = false
    /// The place of tiles: the corner of the picture in their coordinates, and a pixel where there is no tile.
    package var origin = (x: 0, y: 0)
    package var ground: [UInt8] = []

    static let magic = Array("\u{8A}inkP1\r\n".utf8)

    /// The picture as a file.
    ///
    /// - Parameter file: what the planes are of.
    package func encoded(from file: [UInt8]) -> [UInt8] {
        var bytes = Self.magic
        bytes.reserveCapacity(128 + palette.count + profile.count + planes.reduce(0) { $0 + 10 + $1.range.count })
        for edge in [size.width, size.height, origin.x, origin.y] {
            bytes += bigEndian(UInt32(bitPattern: Int32(edge)))
        }
        bytes += [
            colors.rawValue, samples.rawValue, isBigEndian ? 1 : 0, hasAlpha ? 1 : 0,
            (isOnWhite ? 1 : 0) | (isReversed ? 2 : 0) | (isPlain ? 4 : 0), range.low, range.high, UInt8(planes.count),
        ]
        for field in [palette, profile, ground] { bytes += bigEndian(UInt32(field.count)) + field }
        for plane in planes {
            let count = plane.head.count + plane.range.count
            bytes += [plane.channel, plane.packing.rawValue]
            bytes += bigEndian(UInt32(count >> 32)) + bigEndian(UInt32(truncatingIfNeeded: count))
        }
        for plane in planes { bytes += file[plane.head] + file[plane.range] }
        return bytes
    }

    /// Reads what `encoded` wrote; the planes are of `bytes`.
    ///
    /// - Throws: `badInput` for anything else.
    init(reading bytes: [UInt8], place: Place) throws(EngineError) {
        var reader = ByteReader(bytes, isBigEndian: true, what: "the packed picture", place: place)
        guard bytes.starts(with: Self.magic) else { throw reader.fault("it does not begin as such") }
        try reader.skip(Self.magic.count)
        size = PixelSize(width: try reader.uint32(), height: try reader.uint32())
        origin = (try reader.int32(), try reader.int32())
        let head = try reader.array(8)
        guard size.width > 0, size.height > 0, let colors = Colors(rawValue: head[0]),
            let samples = Samples(rawValue: head[1])
        else { throw reader.fault("its kind is unknown") }
        self.colors = colors
        self.samples = samples
        isBigEndian = head[2] != 0
        hasAlpha = head[3] != 0
        isOnWhite = head[4] & 1 != 0
        isReversed = head[4] & 2 != 0
        isPlain = head[4] & 4 != 0
        range = (head[5], head[6])
        palette = try reader.array(try reader.uint32())
        profile = try reader.array(try reader.uint32())
        ground = try reader.array(try reader.uint32())
        var lengths: [(UInt8, Packing, Int)] = []
        for _ in 0..<Int(head[7]) {
            let channel = UInt8(try reader.byte())
            guard let packing = Packing(rawValue: UInt8(try reader.byte())) else {
                throw reader.fault("its packing is unknown")
            }
            lengths.append((channel, packing, Int(clamping: try reader.number(8))))
        }
        planes = []
        for (channel, packing, count) in lengths {
            planes.append(Plane(channel: channel, packing: packing, range: try reader.take(count)))
        }
        let channels = Array(0..<UInt8(colors.count)) + (hasAlpha ? [Plane.alpha] : [])
        let isTogether = planes.count == 1 && planes[0].channel == Plane.all
        guard isTogether || planes.map(\.channel) == channels, isTogether || planes.allSatisfy({ $0.packing != .tiles })
        else { throw reader.fault("its channels are not those of its colours") }
        guard colors != .bitmap || samples == .integer8 && !hasAlpha && !isTogether,
            colors != .indexed || samples == .integer8 && palette.count % 4 == 0 && palette.count <= 1024,
            planes[0].packing != .tiles || ground.count == pixelBytes
        else { throw reader.fault("its samples are not of that kind") }
    }

    /// A picture that is not in a file yet.
    package init(
        size: PixelSize, colors: Colors, samples: Samples = .integer8, hasAlpha: Bool = false, planes: [Plane]
    ) {
        self.size = size
        self.colors = colors
        self.samples = samples
        self.hasAlpha = hasAlpha
        self.planes = planes
    }

    /// A mask that is the same everywhere, and the file that its plane is of: tiles of which there are none.
    package static func constant(mask value: UInt8, size: PixelSize) -> (PackedPicture, [UInt8]) {
        let file = Array("VERSION 2\nTILEWIDTH 64\nTILEHEIGHT 64\nPIXELSIZE 1\nDATA 0\n".utf8)
        var picture = PackedPicture(
            size: size, colors: .gray, planes: [.init(channel: Plane.all, packing: .tiles, range: 0..<file.count)])
        picture.isPlain = true
        picture.ground = [value]
        return (picture, file)
    }

    /// Samples of a pixel in the file, with alpha.
    var sampleCount: Int { colors.count + (hasAlpha ? 1 : 0) }

    /// Bytes of a pixel in the file.
    package var pixelBytes: Int { sampleCount * samples.byteCount }

    /// Whether pixels may be transparent.
    var mayBeTransparent: Bool {
        hasAlpha || colors == .indexed && stride(from: 3, to: palette.count, by: 4).contains { palette[$0] != 255 }
    }

    /// Bytes of a row of one plane, unpacked.
    func rowBytes(of plane: Plane) -> Int {
        if colors == .bitmap { return (size.width + 7) / 8 }
        return size.width * (plane.channel == Plane.all ? pixelBytes : samples.byteCount)
    }
}
