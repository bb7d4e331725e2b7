import InkEngine
package import InkProtocol

extension BlockEncoder {
    /// The protocol's own blocks: zstd frames named by their SHA-256.
    package static let standard = BlockEncoder(
        marks: { marks throws(EngineError) in
            do throws(ProtocolError) {
                return EncodedBlock(try MarkBlock(marks).sealed())
            } catch {
                throw .internalError("marks cannot be packed: \(error)")
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
            marks: { marks throws(EngineError) in
                guard let id = blocks.add(.marks(marks)) else { return try standard.marks(marks) }
                return EncodedBlock(id: id, frame: [])
            },
            bytes: { bytes throws(EngineError) in
                guard let id = blocks.add(.bytes(bytes)) else { return try standard.bytes(bytes) }
                return EncodedBlock(id: id, frame: [])
            })
    }
}

extension BlockEncoder {
    /// This encoder, with hashes of marks.
    package var digestingStrokes: BlockEncoder {
        var encoder = self
        encoder.digest = { marks in
            func hash(_ mark: MarkList) -> BlockID { BlockID(hashing: MarkBlock(mark).encoded()) }
            switch marks {
            case .strokes(let strokes): return strokes.map { hash(.strokes([$0])) }
            case .shapes(let shapes):
                return shapes.map { shape in
                    var nameless = shape
                    nameless.symbol = nil
                    return hash(.shapes([nameless]))
                }
            }
        }
        return encoder
    }
}

extension EncodedBlock {
    package init(_ block: Block) { self.init(id: block.id, frame: block.frame) }
}
