import InkEngine
import InkProtocol

/// What a result says, whatever its compression: two honest workers of one renderer version give the same, also with
/// other versions of the compressing libraries.
enum ResultDigest {
    /// SHA-256; a result that cannot be read has none, and is equal to no honest one.
    static func of(_ assembly: Assembly, in store: BlockStore) -> [UInt8] {
        let hash = SHA256()
        if let band = assembly.band {
            add(band, to: hash)
        }
        if let pixels = assembly.pixels { hash.update(content(of: pixels, in: store)) }
        for chunk in assembly.chunks {
            switch chunk {
            case .constant(let value): hash.update([0] + withUnsafeBytes(of: value.littleEndian) { Array($0) })
            case .block(let id): hash.update([1] + content(of: id, in: store))
            }
        }
        hash.update(Array("\(assembly.maskBounds.map { "\($0)" } ?? "none")".utf8))
        return hash.finish()
    }

    /// What a band decompresses to, and what else the picture's stream relies on: its checksum, and how it ends.
    private static func add(_ band: BandResult, to hash: SHA256) {
        // One byte more than it claims, so that it is seen when there are more.
        guard let piece = try? RawInflate.open(band.deflated, limit: band.filteredByteCount + 1), piece.isWhole,
            piece.content.count == band.filteredByteCount, Adler32.checksum(piece.content) == band.adler32
        else {
            hash.update(band.deflated + [0])
            return
        }
        hash.update(piece.content)
        hash.update([piece.endsStream ? 1 : 0])
    }

    private static func content(of id: BlockID, in store: BlockStore) -> [UInt8] {
        if case .bytes(let bytes) = store.local?.content(of: id) { return bytes }
        guard let count = store.byteCount(of: id), let frame = try? store.part(of: id, offset: 0, count: count) else {
            return []
        }
        return (try? Block(id: id, frame: frame).content()) ?? id.digest
    }
}
