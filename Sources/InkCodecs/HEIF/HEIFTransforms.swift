import InkEngine

/// The size of a file's primary picture where its cut or turn is listed before the size that these start from.
///
/// ISO/IEC 23008-12 wants them the other way round, but encoders of AVIF have written such files, and libheif applies their
/// cuts and turns but tells the size without them.
enum HEIFTransforms {
    /// nil where the order is right, there is neither cut nor turn, or the file is damaged: what libheif says counts then.
    static func size(in file: UnsafeBufferPointer<UInt8>) -> PixelSize? {
        let own = properties(in: file)
        guard let at = own.firstIndex(where: { $0.kind == "ispe" }),
            own[..<at].contains(where: { $0.kind == "clap" || $0.kind == "irot" }),
            let width = number(own[at].data.dropFirst(4), 4, file),
            let height = number(own[at].data.dropFirst(8), 4, file)
        else { return nil }
        var size = PixelSize(width: width, height: height)
        for property in own {
            switch property.kind {
            case "irot":
                if (number(property.data, 1, file) ?? 0) % 2 == 1 {
                    size = PixelSize(width: size.height, height: size.width)
                }
            case "clap":
                let fields = (0..<4).compactMap { number(property.data.dropFirst(4 * $0), 4, file) }
                guard fields.count == 4, fields[1] > 0, fields[3] > 0 else { return nil }
                size = PixelSize(width: fields[0] / fields[1], height: fields[2] / fields[3])
            default: break
            }
        }
        return size.width > 0 && size.height > 0 ? size : nil
    }

    /// The primaries and the curve of the primary picture's colours, by their numbers in ITU-T H.273; nil where the file does
    /// not say them so.
    static func codedColors(in file: UnsafeBufferPointer<UInt8>) -> (primaries: Int, transfer: Int)? {
        for property in properties(in: file) where property.kind == "colr" {
            let (kind, data) = (property.data.prefix(4), property.data.dropFirst(4))
            guard file[kind].elementsEqual("nclx".utf8), let primaries = number(data, 2, file),
                let transfer = number(data.dropFirst(2), 2, file)
            else { continue }
            return (primaries, transfer)
        }
        return nil
    }

    /// How many bytes there are up to the end of the box that names the file's items; 0 where there is none.
    static func headByteCount(of file: [UInt8]) -> Int {
        file.withUnsafeBufferPointer { bytes in
            boxes(bytes, 0..<bytes.count).first { $0.kind == "meta" }?.data.upperBound ?? 0
        }
    }

    /// The properties of the primary picture, in order.
    private static func properties(in file: UnsafeBufferPointer<UInt8>) -> [Box] {
        guard let meta = boxes(file, 0..<file.count).first(where: { $0.kind == "meta" }) else { return [] }
        let parts = boxes(file, meta.data.dropFirst(4))
        guard let primary = parts.first(where: { $0.kind == "pitm" }).flatMap({ item($0.data, file) }),
            let iprp = parts.first(where: { $0.kind == "iprp" })
        else { return [] }
        let lists = boxes(file, iprp.data)
        let properties = lists.first { $0.kind == "ipco" }.map { boxes(file, $0.data) } ?? []
        var own: [Box] = []
        for list in lists where list.kind == "ipma" {
            own += indices(of: primary, in: list.data, file).compactMap {
                properties.indices.contains($0 - 1) ? properties[$0 - 1] : nil
            }
        }
        return own
    }

    private struct Box {
        var kind: String
        var data: Range<Int>
    }

    /// The boxes of a range, as far as they lie in it; not more than a file would have.
    private static func boxes(_ file: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> [Box] {
        var found: [Box] = []
        var start = range.lowerBound
        while found.count < 1000, let short = number(start..<range.upperBound, 4, file), range.upperBound - start >= 8 {
            let kind = String(decoding: file[(start + 4)..<(start + 8)], as: UTF8.self)
            var head = 8
            var count = short
            if short == 1, let long = number((start + 8)..<range.upperBound, 8, file) { (head, count) = (16, long) }
            if short == 0 { count = range.upperBound - start }
            guard count >= head, count <= range.upperBound - start else { break }
            found.append(Box(kind: kind, data: (start + head)..<(start + count)))
            start += count
        }
        return found
    }

    private static func item(_ data: Range<Int>, _ file: UnsafeBufferPointer<UInt8>) -> Int? {
        number(data, 1, file).flatMap { number(data.dropFirst(4), $0 == 0 ? 2 : 4, file) }
    }

    /// The numbers of an item's properties, from 1, in the order in which they apply.
    private static func indices(of item: Int, in data: Range<Int>, _ file: UnsafeBufferPointer<UInt8>) -> [Int] {
        guard let head = number(data, 4, file), let count = number(data.dropFirst(4), 4, file) else { return [] }
        let (idBytes, isWide) = (head >> 24 == 0 ? 2 : 4, head & 1 == 1)
        var rest = data.dropFirst(8)
        for _ in 0..<count {
            guard let id = number(rest, idBytes, file), let entries = number(rest.dropFirst(idBytes), 1, file) else {
                return []
            }
            rest = rest.dropFirst(idBytes + 1)
            let bytes = isWide ? 2 : 1
            if id == item {
                return (0..<entries).compactMap { number(rest.dropFirst($0 * bytes), bytes, file) }
                    .map { $0 & (isWide ? 0x7FFF : 0x7F) }
            }
            rest = rest.dropFirst(entries * bytes)
        }
        return []
    }

    /// The big-endian number at the start of a range; nil where the range is shorter, or the number too large.
    private static func number(_ range: Range<Int>, _ bytes: Int, _ file: UnsafeBufferPointer<UInt8>) -> Int? {
        guard range.count >= bytes, bytes < 8 || file[range.lowerBound] < 0x80 else { return nil }
        return file[range.prefix(bytes)].reduce(0) { $0 << 8 | Int($1) }
    }
}
