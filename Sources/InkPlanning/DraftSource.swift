package import InkEngine

/// A project of this process that is to be cut into blocks; a local block refers to it.
package struct DraftSource: Sendable {
    package typealias Make =
        @Sendable (_ encoder: BlockEncoder?, _ blocks: inout [EncodedBlock]) throws(EngineError) -> PictureDraft

    private let make: Make

    /// - Parameter make: reads the project and cuts it; without an encoder with the broker's. May be called several times,
    ///   by several threads at once. Throws `cancelled` when nobody needs the draft any more.
    package init(make: @escaping Make) { self.make = make }

    /// The draft, and the blocks that it refers to, each once.
    ///
    /// - Parameter encoder: nil: the broker's.
    package func draft(
        encoder: BlockEncoder? = nil
    ) throws(EngineError) -> (draft: PictureDraft, blocks: [EncodedBlock]) {
        var blocks: [EncodedBlock] = []
        let draft = try make(encoder, &blocks)
        return (draft, blocks)
    }
}
