import InkEngine
package import InkProtocol

extension BlockEncoder {
    /// The protocol's own blocks: zstd frames named by their SHA-256.
    package static let standard = BlockEncoder(
        strokes: { strokes throws(EngineError) in
            do throws(ProtocolError) {
                return EncodedBlock(try StrokeBlock(strokes: strokes).sealed())
            } catch {
                throw .internalError("strokes cannot be packed: \(error)")
            }
        },
        bytes: { bytes throws(EngineError) in
            do throws(ProtocolError) {
                return EncodedBlock(try Block(content: bytes))
            } catch {
                throw .internalError("an image cannot be packed: \(error)")
            }
        })
}

extension BlockEncoder {
    /// Blocks of this process, as far as there is room for them.
    package static func local(_ blocks: LocalBlocks) -> BlockEncoder {
        BlockEncoder(
            strokes: { strokes throws(EngineError) in
                guard let id = blocks.add(.strokes(strokes)) else { return try standard.strokes(strokes) }
                return EncodedBlock(id: id, frame: [])
            },
            bytes: { bytes throws(EngineError) in
                guard let id = blocks.add(.bytes(bytes)) else { return try standard.bytes(bytes) }
                return EncodedBlock(id: id, frame: [])
            })
    }
}

extension BlockEncoder {
    /// This encoder, with hashes of strokes.
    package var digestingStrokes: BlockEncoder {
        var encoder = self
        encoder.digest = { BlockID(hashing: StrokeBlock(strokes: [$0]).encoded()) }
        return encoder
    }
}

extension EncodedBlock {
    package init(_ block: Block) { self.init(id: block.id, frame: block.frame) }
}
