import InkCodecs
import InkEngine
import InkProtocol
import InkSystem

/// What a result says, whatever its compression: two honest workers of one renderer version give the same, also with
/// other versions of the compressing libraries. Made beside the loop: a result may be large, and lie on the disk.
struct ResultDigest: Sendable {
    private enum Piece: Sendable {
        case band(EncodedPiece, PictureSet?)
        /// Before what a block holds: what it is.
        case bytes([UInt8])
        case block(BlockID, BlockSource)
    }

    /// A block that could not be read back.
    struct Unreadable: Error, Hashable {
        var block: BlockID
        var failure: SystemFailure
    }

    private var pieces: [Piece] = []

    /// Takes down where the result's parts are; its blocks have to be held until the digest is made.
    ///
    /// - Parameter files: of the picture; nil before it is planned.
    init(_ result: TaskResult, _ files: PictureSet?, in store: BlockStore) {
        if let band = result.band { pieces.append(.band(band, files)) }
        let rows = result.pieces.count - (files?.wholes.count ?? 0)
        for (row, piece) in result.pieces.enumerated() { pieces.append(.band(piece, row < rows ? files : nil)) }
        if let pixels = result.pixels { add(pixels, in: store) }
        for request in result.reading.requests { pieces.append(.bytes([2, request.kind] + request.name + [0])) }
        // A draft counts by what its blocks hold: their names depend on how they are compressed.
        if result.draft != nil {
            pieces.append(.bytes([3]))
            for block in result.blocks { add(block, in: store) }
        }
        // Its text may have words of a library, of whatever version.
        if result.reading.failure != nil { pieces.append(.bytes([4])) }
        for image in result.images {
            for chunk in image.chunks {
                switch chunk.pixels {
                case .constant(let value):
                    pieces.append(.bytes([0] + withUnsafeBytes(of: value.littleEndian) { Array($0) }))
                case .samples(let id):
                    pieces.append(.bytes([1]))
                    add(id, in: store)
                }
            }
            pieces.append(.bytes(Array("\(image.info.maskBounds.map { "\($0)" } ?? "none")".utf8)))
        }
    }

    private mutating func add(_ id: BlockID, in store: BlockStore) {
        switch store.content(of: id) {
        case .local(let bytes): pieces.append(.bytes(bytes))
        case .frame(let id, let source): pieces.append(.block(id, source))
        case nil: break
        }
    }

    /// SHA-256. What cannot be decompressed stands for its own bytes, and is equal to nothing honest.
    func make() throws(Unreadable) -> [UInt8] {
        let hash = SHA256()
        for piece in pieces {
            switch piece {
            case .band(let band, let files): hash.update(files?.content(of: band) ?? band.bytes + [0])
            case .bytes(let bytes): hash.update(bytes)
            case .block(let id, let source):
                let frame: [UInt8]
                do throws(SystemFailure) { frame = try source.read() } catch {
                    throw Unreadable(block: id, failure: error)
                }
                // A block that cannot be opened stands for its name, and so is equal to no sound one.
                hash.update((try? Block(id: id, frame: frame).content()) ?? id.digest)
            }
        }
        return hash.finish()
    }
}
