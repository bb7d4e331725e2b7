import InkBroker
package import InkClient
import InkDocuments
package import InkEngine
import InkProtocol

/// Projects and pictures in the words of the protocol.
package enum ProjectPacking {
    /// A project as it is sent: complete, with presets, template and images, compressed.
    ///
    /// The project's own text if it is complete; otherwise the project is serialized, with the warnings from reading
    /// it. The same project gives the same bytes, so the broker recognizes content that it already has.
    package static func content(
        of project: Project, warnings: [ReadingWarning], text packed: PackedText?, name: String
    ) throws(PictureFailure) -> PreparedContent {
        if let content = packed?.content() { return content }
        let text = try rethrowing(try ProjectWriter.write(project, warnings: warnings)) { (error: EngineError) in
            PictureFailure(error)
        }
        let frame = try rethrowing(try Zstandard.compress(text)) { (error: ProtocolError) in
            PictureFailure(kind: .internalError, reason: "\(name): \(error)")
        }
        guard UInt64(frame.count) <= ProtocolLimits.contentBytes else {
            throw PictureFailure(
                kind: .badInput,
                reason: "\(name): \(frame.count) bytes, more than a broker accepts, \(ProtocolLimits.contentBytes)")
        }
        return PreparedContent(bytes: frame, encoding: .zstd)
    }

    /// The project's name in messages of the broker: its path, shortened at the beginning if it is too long.
    ///
    /// Without the ending of an archive, because the project inside it is sent.
    package static func name(_ name: String) -> String {
        var rest = name[...]
        if name.hasEnding(".zip") { rest = rest.dropLast(4) }
        if rest.isEmpty { return "project" }
        guard rest.utf8.count > ProtocolLimits.nameBytes else { return String(rest) }
        while rest.utf8.count > ProtocolLimits.nameBytes - 3 { rest = rest.dropFirst() }
        return "..." + rest
    }
}
