import InkEngine

/// A template: an `.inktemplate` folder, or the same as a zip archive. One page.
struct TemplateDocument: DocumentReader {
    let endings = [".zip"]
    let folderEndings = [".inktemplate"]
    let isProject = true

    /// Any folder, and what begins or is named like a zip archive. A project is never an archive, so `.ink` with an
    /// archive inside is a mistake, which `InkDocument` explains.
    func recognizes(_ head: DocumentHead) -> Bool {
        let name = head.name.lowercased()
        return head.isFolder || name.hasSuffix(".zip") || InputKind.isArchive(head.bytes) && !name.hasSuffix(".ink")
    }

    func read(
        _ content: consuming DocumentContent, name: String, _ context: DocumentContext,
        onPage: (Result<DocumentPage, EngineError>) -> Void
    ) throws(EngineError) {
        let reading =
            switch consume content {
            case .folder:
                try TemplateReader.read(CompanionBundle(context.companions), file: name, limits: context.limits)
            case .file(let bytes): try TemplateReader.read(archive: bytes, file: name, limits: context.limits)
            }
        onPage(.success(DocumentPage(reading: reading)))
    }
}
