public import InkEngine
public import InkProtocol

/// Reads documents for workers. It opens no file.
public protocol DocumentTaskReader: Sendable {
    /// - Parameters:
    ///   - task: the document, and the files beside it that have been found.
    ///   - bytes: gives the bytes of a part.
    /// - Throws: input errors, and what `bytes` throws.
    func read(
        _ task: DocumentTask, bytes: (BlockID) throws(EngineError) -> [UInt8]
    ) throws(EngineError) -> DocumentTaskReading
}

/// What reading a document has given.
public enum DocumentTaskReading: Sendable {
    case read(Project, warnings: [String])
    /// These are needed first.
    case needs([CompanionRequest])
}
