import InkEngine
import InkProtocol

/// What a result says, whatever its compression: two honest workers of one renderer version give the same, also with
/// other versions of the compressing libraries.
enum ResultDigest {
    /// SHA-256; a result that cannot be read has none, and is equal to no honest one.
    static func of(_ assembly: Assembly, in store: BlockStore) -> [UInt8] {
        let hash = SHA256()
        if let band = assembly.band {
            let bytes = (try? RawInflate.inflate(band.deflated, limit: band.filteredByteCount)) ?? []
            hash.update(bytes.count == band.filteredByteCount ? bytes : band.deflated)
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

    private static func content(of id: BlockID, in store: BlockStore) -> [UInt8] {
        guard let count = store.byteCount(of: id), let frame = try? store.part(of: id, offset: 0, count: count) else {
            return []
        }
        return (try? Block(id: id, frame: frame).content()) ?? id.digest
    }
}
