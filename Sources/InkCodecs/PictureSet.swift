public import InkEngine

/// The files that are made of one picture. It is rendered once; each band is encoded for every file.
public struct PictureSet: Sendable {
    /// What distinguishes one file from the others.
    public struct Member: Sendable {
        public var codec: any PictureCodec
        public var encoding: PictureEncoding
        /// As in this file: without alpha if the format has none.
        public var pixels: PixelFormat
        /// Whether it is encoded as a whole, not piece by piece.
        public let isWhole: Bool
        /// Whether its quality is known only after trials, each encoded from all of the picture.
        var isBounded: Bool { encoding.bytesMax != nil }
        /// For a file of which a piece is made from the whole picture: how often that may be halved before.
        public func halvings(of size: PixelSize) -> Int? {
            for case .whole(let halvings) in codec.steps(encoding, of: size) { return halvings }
            return nil
        }

        fileprivate init(_ encoding: PictureEncoding, pixels: PixelFormat) throws(EngineError) {
            codec = try PictureCodecs.codec(encoding.format)
            self.encoding = encoding
            self.pixels = codec.hasAlpha ? pixels : .rgb
            // The kinds of steps do not depend on the size.
            isWhole = !codec.steps(encoding, of: PixelSize(width: 1, height: 1)).contains(.bands)
        }

        /// Those of every encoding that may be tried.
        fileprivate var rowMultiples: [Int] {
            let tried = isBounded ? PictureEncoding.qualities.map(encoding.with(quality:)) : [encoding]
            return tried.map(codec.rowMultiple)
        }

        fileprivate func isSound(_ piece: ArraySlice<UInt8>, rowCount: Int, width: Int) -> Bool {
            codec.isSound(piece, PixelSize(width: width, height: rowCount), encoding, pixels: pixels)
        }
    }

    /// At least one.
    public let members: [Member]
    /// The file whose quality is found by trials, then the only one.
    public var bounded: Member? { members[0].isBounded ? members[0] : nil }
    /// Those that are encoded piece by piece while the picture is rendered, in the order of their parts of a piece.
    public let streamed: [Member]
    /// Numbers of the members of which a piece is made of the whole picture: those that are encoded as a whole or drawn,
    /// and those that have a last piece.
    public let wholes: [Int]
    /// Whether such a piece is made of all pixels.
    public var needsPixels: Bool { wholes.contains { !members[$0].codec.isVector } }
    /// How often the picture can be halved for all of `wholes`.
    public func halvings(of size: PixelSize) -> Int { wholes.compactMap { members[$0].halvings(of: size) }.min() ?? 0 }

    /// Maximum number of files.
    public static let countMax = 16

    /// - Parameters:
    ///   - encodings: of the files, in their order; 1 to `countMax`.
    ///   - pixels: as rendered; a file whose format has no alpha gets them composited onto white.
    /// - Throws: `EngineError.internalError` for a format that only another version knows.
    public init(_ encodings: [PictureEncoding], pixels: PixelFormat) throws(EngineError) {
        guard (1...PictureSet.countMax).contains(encodings.count) else {
            throw .internalError("\(encodings.count) files of one picture, 1 to \(PictureSet.countMax) are possible")
        }
        var members: [Member] = []
        for encoding in encodings {
            members.append(try Member(encoding, pixels: pixels))
        }
        guard members.count == 1 || !members.contains(where: \.isBounded) else {
            throw .internalError("a file of limited size among \(members.count) of one picture")
        }
        self.members = members
        streamed = members.filter { !$0.isWhole && !$0.isBounded }
        wholes = members.indices.filter {
            !members[$0].isBounded
                && (members[$0].isWhole || members[$0].halvings(of: PixelSize(width: 1, height: 1)) != nil)
        }
    }

    /// The height of each band except the last is a multiple of this.
    public var rowMultiple: Int {
        members.filter { !$0.isWhole }.flatMap(\.rowMultiples).reduce(1) { multiple, other in
            multiple / greatestCommonDivisor(multiple, other) * other
        }
    }

    /// The size of the raw bytes that a correct piece declares.
    public func rawByteCount(rowCount: Int, width: Int) -> Int {
        streamed.reduce(0) { $0 + $1.codec.rawByteCount(rowCount: rowCount, width: width, pixels: $1.pixels) }
    }

    /// The decoded content of a piece, used to compare the results of two workers; nil if the piece is invalid.
    public func content(of piece: EncodedPiece) -> [UInt8]? {
        guard let pieces = split(piece) else { return nil }
        var content: [UInt8] = []
        for (member, piece) in zip(streamed, pieces) {
            guard let part = member.codec.content(of: piece) else { return nil }
            content += part
        }
        return content
    }

    /// Whether a piece has a part for each file that is encoded piece by piece.
    public func isComplete(_ piece: EncodedPiece, width: Int) -> Bool {
        guard streamed.count != 1 else {
            return streamed[0].isSound(piece.bytes[...], rowCount: piece.rowCount, width: width)
        }
        guard let parts = piece.partRanges(count: streamed.count) else { return false }
        return zip(streamed, parts).allSatisfy {
            $0.isSound(piece.bytes[$1], rowCount: piece.rowCount, width: width)
        }
    }

    /// The parts of a piece; nil if they were not joined for so many files.
    func split(_ piece: EncodedPiece) -> [EncodedPiece]? {
        streamed.count == 1 ? [piece] : piece.parts(count: streamed.count)
    }
}

private func greatestCommonDivisor(_ a: Int, _ b: Int) -> Int { b == 0 ? a : greatestCommonDivisor(b, a % b) }

/// Encodes bands for all files of a picture; used by one thread.
public final class PieceSetEncoder {
    private var encoders: [PictureFormat: any PieceEncoder] = [:]

    public init() {}

    /// - Throws: as `PieceEncoder.encode`, and `EngineError.internalError` for an unknown format.
    public func encode(_ rows: PixelRows, _ encoding: PieceEncoding) throws(EngineError) -> EncodedPiece {
        let set = try PictureSet(encoding.pictures, pixels: rows.format)
        guard !set.members.contains(where: \.isWhole) else {
            throw .internalError("rows of a picture that is encoded as a whole")
        }
        let flattened = set.members.contains { $0.pixels != rows.format } ? rows.compositedOntoWhite : []
        return try flattened.withUnsafeBufferPointer { (flat) throws(EngineError) in
            var pieces: [EncodedPiece] = []
            for member in set.members {
                var rows = rows
                if member.pixels != rows.format {
                    rows.pixels = UnsafeRawBufferPointer(flat)
                    rows.format = member.pixels
                }
                let encoder = encoders[member.encoding.format] ?? member.codec.makeEncoder()
                encoders[member.encoding.format] = encoder
                pieces.append(try encoder.encode(rows, PieceEncoding(member.encoding, isLast: encoding.isLast)))
            }
            return pieces.count == 1 ? pieces[0] : EncodedPiece(joining: pieces)
        }
    }
}

extension PictureSet {
    /// Encodes the only piece of a member that is encoded as a whole.
    ///
    /// - Throws: as `PictureCodec.encodeWhole`.
    public static func encodeWhole(
        _ picture: WholePicture, _ encoding: PictureEncoding
    ) throws(EngineError) -> EncodedPiece {
        let member = try PictureSet([encoding], pixels: picture.format).members[0]
        var own = picture
        if member.pixels != picture.format {
            own.format = member.pixels
            own.read = { take throws(EngineError) in
                try picture.read { (rows) throws(EngineError) in
                    try rows.compositedOntoWhite.withUnsafeBufferPointer { (flat) throws(EngineError) in
                        var rows = rows
                        rows.pixels = UnsafeRawBufferPointer(flat)
                        rows.format = .rgb
                        try take(rows)
                    }
                }
            }
        }
        let bytes = try member.codec.encodeWhole(own, encoding)
        guard !bytes.isEmpty else { throw .internalError("\(member.codec.name): a file without bytes") }
        return EncodedPiece(
            rowCount: picture.size.height, rawByteCount: picture.size.area * picture.format.bytesPerPixel,
            adler32: Adler32.empty, bytes: bytes)
    }
}

extension PictureSet {
    /// The file of a picture in a format that is encoded piece by piece, without a description.
    ///
    /// - Parameter picture: gives the rows of a piece at a time.
    /// - Throws: what `picture.read` throws, and as `PieceSetEncoder.encode`.
    public static func file(
        of picture: WholePicture, _ encoding: PictureEncoding, _ encoder: PieceSetEncoder
    ) throws(EngineError) -> [UInt8] {
        let member = try PictureSet([encoding], pixels: picture.format).members[0]
        var assembler = try member.codec.makeAssembler(
            PictureHead(size: picture.size, pixels: member.pixels, encoding: encoding))
        // The file, and temporary stores.
        var streams: [Int: [UInt8]] = [:]
        func carryOut(_ writes: [PictureWrite]) throws(EngineError) {
            for write in writes {
                switch write {
                case .append(let bytes, let stream): streams[stream, default: []] += bytes
                case .move(let store, let stream):
                    streams[stream, default: []] += streams.removeValue(forKey: store) ?? []
                case .copy(let store, let start, let count, let stream):
                    streams[stream, default: []] += streams[store, default: []][start..<(start + count)]
                case .patch(let bytes, let start, let stream):
                    streams[stream, default: []].replaceSubrange(start..<(start + bytes.count), with: bytes)
                case .refuse(let error): throw error
                }
            }
        }
        try carryOut(assembler.begin())
        try picture.read { (rows) throws(EngineError) in
            let count = rows.pixels.count / (rows.width * rows.format.bytesPerPixel)
            let isLast = rows.firstRow + count == picture.size.height
            try carryOut(assembler.add(try encoder.encode(rows, PieceEncoding(encoding, isLast: isLast))))
        }
        try carryOut(assembler.end())
        return streams[0] ?? []
    }
}

extension PixelRows {
    /// RGB rows of straight RGBA. Each value is at most 1 from the picture composited before it was rounded to 8 bits.
    var compositedOntoWhite: [UInt8] {
        var flat = [UInt8](repeating: 0, count: pixels.count / 4 * 3)
        for pixel in 0..<(pixels.count / 4) {
            let alpha = UInt32(pixels[4 &* pixel &+ 3])
            for channel in 0..<3 {
                let value = UInt32(pixels[4 &* pixel &+ channel])
                flat[3 &* pixel &+ channel] = UInt8((value * alpha + 255 * (255 - alpha) + 127) / 255)
            }
        }
        return flat
    }
}

extension EncodedPiece {
    /// The head of each part: raw bytes (8 bytes, little-endian), checksum (4) and encoded bytes (8). All heads come
    /// before the parts.
    private static let partHeadBytes = 20

    /// The pieces of the same rows for several files.
    fileprivate init(joining parts: [EncodedPiece]) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(parts.reduce(0) { $0 + EncodedPiece.partHeadBytes + $1.bytes.count })
        for part in parts {
            bytes += littleEndian(UInt64(part.rawByteCount)) + littleEndian(part.adler32)
            bytes += littleEndian(UInt64(part.bytes.count))
        }
        for part in parts { bytes += part.bytes }
        self.init(
            rowCount: parts[0].rowCount, rawByteCount: parts.reduce(0) { $0 + $1.rawByteCount },
            adler32: Adler32.empty, bytes: bytes)
    }

    /// The reverse of `joining`; nil if the bytes are something else.
    fileprivate func parts(count: Int) -> [EncodedPiece]? {
        partHeads(count: count)?.map { part in
            EncodedPiece(
                rowCount: rowCount, rawByteCount: part.rawByteCount, adler32: part.adler32,
                bytes: Array(bytes[part.range]))
        }
    }

    private struct PartHead {
        var rawByteCount: Int
        var adler32: UInt32
        var range: Range<Int>
    }

    private func partHeads(count: Int) -> [PartHead]? {
        var start = count * EncodedPiece.partHeadBytes
        guard bytes.count >= start else { return nil }
        func integer(at offset: Int, bytes count: Int) -> Int? {
            let value = bytes[offset..<(offset + count)].reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
            return Int(exactly: value)
        }
        var heads: [PartHead] = []
        var raw = 0
        for index in 0..<count {
            let head = index * EncodedPiece.partHeadBytes
            guard let rawCount = integer(at: head, bytes: 8), let adler = integer(at: head + 8, bytes: 4),
                let length = integer(at: head + 12, bytes: 8), length > 0, length <= bytes.count - start,
                rawCount <= rawByteCount - raw
            else { return nil }
            raw += rawCount
            heads.append(
                PartHead(rawByteCount: rawCount, adler32: UInt32(adler), range: start..<(start + length)))
            start += length
        }
        return start == bytes.count && raw == rawByteCount ? heads : nil
    }

    /// Where the encoded bytes of each part are; nil if `parts` is nil.
    fileprivate func partRanges(count: Int) -> [Range<Int>]? { partHeads(count: count)?.map(\.range) }
}

/// A picture of a job, and what its pieces are for.
public struct PictureShare: Sendable {
    /// How its rows are encoded, once for each file that has it.
    public var set: PictureSet
    /// Each member's file, and the number of the picture among those of the file.
    public var uses: [(file: Int, picture: Int)]

    public init(set: PictureSet, uses: [(file: Int, picture: Int)]) {
        self.set = set
        self.uses = uses
    }
}

/// Makes the files of a job side by side.
public struct PictureSetAssembler: PictureAssembler {
    private let pictures: [PictureShare]
    private var assemblers: [any PictureAssembler]
    /// The number of each assembler's first file.
    private let firstFiles: [Int]
    public let fileCount: Int

    public var isAppendOnly: Bool { assemblers.allSatisfy(\.isAppendOnly) }

    /// The assembler for the files that a picture is wanted in.
    ///
    /// - Parameters:
    ///   - heads: one for each file.
    ///   - pictures: all that are rendered for the files, in the order in which their pieces come.
    ///   - isArchive: whether all of it is to be one file: an archive if there are several.
    ///   - makeAssembler: makes the assembler of one file.
    public static func make(
        _ heads: [PictureHead], _ pictures: [PictureShare], isArchive: Bool,
        _ makeAssembler: (PictureHead) throws(EngineError) -> any PictureAssembler
    ) throws(EngineError) -> any PictureAssembler {
        guard heads.count > 1 else { return try makeAssembler(heads[0]) }
        var assemblers: [any PictureAssembler] = []
        var names: [String] = []
        for head in heads {
            assemblers.append(try makeAssembler(head))
            names.append("picture.\(try PictureCodecs.codec(head.encoding.format).endings[0])")
        }
        let files = PictureSetAssembler(pictures, assemblers)
        return isArchive ? ArchiveAssembler(files, names: names) : files
    }

    init(_ pictures: [PictureShare], _ assemblers: [any PictureAssembler]) {
        self.pictures = pictures
        self.assemblers = assemblers
        var firstFiles: [Int] = []
        var count = 0
        for assembler in assemblers {
            firstFiles.append(count)
            count += assembler.fileCount
        }
        self.firstFiles = firstFiles
        fileCount = count
    }

    public mutating func begin() -> [PictureWrite] {
        assemblers.indices.flatMap { index in numbered(assemblers[index].begin(), index) }
    }

    public mutating func add(_ piece: EncodedPiece) -> [PictureWrite] {
        if let file = piece.file { return numbered(assemblers[file].add(piece), file) }
        let picture = pictures[piece.picture]
        guard let pieces = picture.set.split(piece) else { preconditionFailure("a piece without a part for each file") }
        let streamed = picture.set.members.indices.filter { !picture.set.members[$0].isWhole }
        return zip(streamed, pieces).flatMap { member, part in
            var part = part
            let use = picture.uses[member]
            part.picture = use.picture
            return numbered(assemblers[use.file].add(part), use.file)
        }
    }

    public mutating func end() -> [PictureWrite] {
        assemblers.indices.flatMap { index in numbered(assemblers[index].end(), index) }
    }

    private func numbered(_ writes: [PictureWrite], _ index: Int) -> [PictureWrite] {
        let files = assemblers[index].fileCount
        return writes.map { write in
            write.renumbered { stream in
                stream < files
                    ? firstFiles[index] + stream
                        // Stores: each assembler's own are every n-th behind all files.
                    : fileCount + (stream - files) * assemblers.count + index
            }
        }
    }
}
