package import InkEngine

/// A project of this process that is to be cut into blocks; a local block refers to it.
package struct DraftSource: Sendable {
    private let make: @Sendable (inout [EncodedBlock]) throws(EngineError) -> PictureDraft

    /// - Parameter make: reads the project and cuts it. May be called several times, by several threads at once. Throws
    ///   `cancelled` when nobody needs the draft any more.
    package init(make: @escaping @Sendable (inout [EncodedBlock]) throws(EngineError) -> PictureDraft) {
        self.make = make
    }

    /// The draft, and the blocks that it refers to, each once.
    package func draft() throws(EngineError) -> (draft: PictureDraft, blocks: [EncodedBlock]) {
        var blocks: [EncodedBlock] = []
        let draft = try make(&blocks)
        return (draft, blocks)
    }
}
