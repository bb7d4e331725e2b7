import InkEngine
import InkProtocol

extension BlockEncoder {
    /// The protocol's own blocks: zstd frames named by their SHA-256.
    static let standard = BlockEncoder(
        strokes: { strokes throws(BrokerError) in
            do {
                return EncodedBlock(try StrokeBlock(strokes: strokes).sealed())
            } catch {
                throw .internalError("strokes cannot be packed: \(error)")
            }
        },
        bytes: { bytes throws(BrokerError) in
            do {
                return EncodedBlock(try Block(content: bytes))
            } catch {
                throw .internalError("an image cannot be packed: \(error)")
            }
        })
}

extension EncodedBlock {
    init(_ block: Block) { self.init(id: block.id, frame: block.frame) }
}
