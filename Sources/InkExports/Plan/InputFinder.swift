import Glibc
import InkCodecs
import InkDocuments
import InkEngine
import InkSystem

/// What a search through folders does with pictures that are documents themselves, such as photos.
package struct PhotoSearch: Hashable, Sendable {
    /// Whether they are taken wherever they are; else only from a folder without projects: there they may belong to one.
    package var isWanted = false
    /// Where the pictures of the run go; nil: beside what they are made of.
    package var output: String?
    /// Whether photos that a search has found need an output, so that it does not take them again the next time.
    package var needsOutput = true
    /// Whether a folder without projects is taken as it is, and not for one of photos.
    package var isOnlyIfWanted = false

    package init() {}
}

/// Finds the projects that a command line names: searches folders and reads list files.
package struct InputFinder {
    /// The most projects in one run.
    static let inputsMax = 1_000_000
    /// Largest list file, bytes.
    static let listBytesMax = 64 << 20

    private var found: [FoundInput] = []
    /// Folders that have been searched, so that links back to them are not followed.
    private var searched: Set<FileStatus.Identity> = []
    private var skipped = SkippedFiles()
    private let photos: PhotoSearch
    private let takesDocuments: Bool
    /// The identity of the folder where pictures go: it is not searched for photos.
    private let output: FileStatus.Identity?
    /// What the present search has found of projects, and of photos that are taken if there are none.
    private var projectCount = 0
    private var waitingPhotos: [ExportInput] = []
    private let onFolder: (String) -> Void

    private init(_ photos: PhotoSearch, _ takesDocuments: Bool, onFolder: @escaping (String) -> Void) {
        self.photos = photos
        self.takesDocuments = takesDocuments
        self.onFolder = onFolder
        // What cannot be looked at is not searched either.
        output = photos.output.flatMap { try? FileSystem.status($0) }?.identity
    }

    /// The projects at the paths, in order; within a folder, sorted by the bytes of their names.
    ///
    /// Links are followed, and each folder is searched once. Names that begin with a dot are skipped in searches. A
    /// folder without any project or photo is a failure.
    ///
    /// - Parameter photos: when photos are taken.
    /// - Parameter takesDocuments: whether documents are taken whose names do not say what they are.
    /// - Parameter onSkipped: gets the files in searched folders that are not taken, if there are any.
    /// - Parameter onFolder: gets each folder just before it is searched.
    package static func find(
        _ paths: [String], photos: PhotoSearch = PhotoSearch(), takesDocuments: Bool = false,
        onSkipped: (SkippedFiles) -> Void = { _ in },
        onFolder: @escaping (String) -> Void = { _ in }
    ) throws(ExportError) -> [FoundInput] {
        var finder = InputFinder(photos, takesDocuments, onFolder: onFolder)
        for path in paths {
            if path.hasPrefix("@") {
                for line in try listed(String(path.dropFirst())) { try finder.add(line) }
            } else {
                try finder.add(path)
            }
        }
        if !finder.skipped.isEmpty { onSkipped(finder.skipped) }
        return finder.found
    }

    /// The paths in a list file: one per line; blank lines and lines that start with `#` are skipped.
    private static func listed(_ path: String) throws(ExportError) -> [String] {
        guard !path.isEmpty else { throw .usage("the name of a list is needed after @ (write ./@ for a file named @)") }
        let bytes: [UInt8]
        do {
            bytes = try FileSystem.read(path, limitBytes: listBytesMax)
        } catch {
            throw .engine(error)
        }
        let content = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
        guard let text = String(validating: content, as: UTF8.self), !bytes.contains(0) else {
            let found = TextEncoding(of: bytes).map { ", this is \($0)" } ?? ""
            throw .engine(.badInput(Place(file: path), reason: "a list of paths must be UTF-8 text\(found)"))
        }
        let lines = text.split(whereSeparator: { $0 == "\n" || $0 == "\r\n" }).map(String.init)
            .filter { !$0.trimmed().isEmpty && !$0.hasPrefix("#") }
        if let line = lines.first(where: { $0 == "-" || $0.hasPrefix("@") }) {
            throw .engine(.badInput(Place(file: path), reason: "\"\(line)\" cannot stand in a list"))
        }
        guard !lines.isEmpty else { throw .engine(.badInput(Place(file: path), reason: "the list names no project")) }
        return lines
    }

    private mutating func add(_ path: String) throws(ExportError) {
        // Only folders matter here; a missing file is reported when it is read.
        let isSearchable: Bool
        do throws(EngineError) {
            let isFolder = path == "-" ? false : try FileSystem.status(path)?.isFolder == true
            isSearchable = isFolder && !path.isTemplateFolderName
        } catch {
            found.append(.failure(path, error))
            return
        }
        guard isSearchable else {
            try append(.input(ExportInput(path: path)))
            return
        }
        let (before, documentsBefore) = (found.count, skipped.count(.document))
        (projectCount, waitingPhotos) = (0, [])
        try search(path, tree: [])
        if photos.isWanted || projectCount == 0 && !photos.isOnlyIfWanted { try takePhotos(of: path) }
        for photo in waitingPhotos { skipped.add(photo.path, Self.isOwnPicture(photo.path) ? .ownPicture : .photo) }
        if found.count == before, !photos.isOnlyIfWanted {
            found.append(
                .failure(
                    path,
                    .badInput(
                        Place(file: path), reason: nothingFound(documents: skipped.count(.document) - documentsBefore)))
            )
        }
    }

    /// Why a folder gives no pictures, and what would.
    private func nothingFound(documents: Int) -> String {
        if documents > 0 {
            return
                "the folder contains no project, but \(documents) \(documents == 1 ? "document" : "documents") of other "
                + "programs; give --documents to export \(documents == 1 ? "it" : "them")"
        }
        return
            "the folder contains no project, document or photo that ink exports (\(DocumentReaders.shownEndings)), or only "
            + "ones already listed; -v lists what it contains"
    }

    private mutating func takePhotos(of folder: String) throws(ExportError) {
        guard !waitingPhotos.isEmpty else { return }
        let isInside = try output.map { identity throws(ExportError) in
            try ExportError.wrapping(try FileSystem.status(folder)?.identity == identity)
        }
        if photos.needsOutput, isInside ?? (photos.output == nil) {
            throw .usage("\(folder) holds photos, and their pictures would lie among them; use -o with another folder")
        }
        for photo in waitingPhotos { try append(.input(photo)) }
        waitingPhotos = []
    }

    /// The recursion ends because each folder is entered once.
    private mutating func search(_ folder: String, tree: [String]) throws(ExportError) {
        let entries: [FolderEntry]
        do {
            guard let status = try FileSystem.status(folder), searched.insert(status.identity).inserted else { return }
            if status.identity == output, !tree.isEmpty { return }
            onFolder(folder)
            entries = try FileSystem.entries(folder)
        } catch {
            found.append(.failure(folder, error))
            return
        }
        for entry in entries where !entry.name.hasPrefix(".") { try visit(entry, in: folder, tree: tree) }
    }

    private mutating func visit(_ entry: FolderEntry, in folder: String, tree: [String]) throws(ExportError) {
        let (name, path) = (entry.name, folder.appendingPath(entry.name))
        let isNamedAsProject = name.isProjectName || name.isTemplateFolderName
        var isFolder = false
        do throws(SystemFailure) {
            isFolder = try entry.kind.get() == .folder
        } catch {
            // It may be a folder of projects. If it is named like a project, opening it reports the error.
            if !isNamedAsProject {
                try append(.failure(path, EngineError(error, path: path)))
                return
            }
        }
        guard entry.isText else {
            if isNamedAsProject || isFolder {
                try append(.failure(path, .badInput(Place(file: path), reason: "the name is not UTF-8")))
            }
            return
        }
        if name.isTemplateFolderName || (name.isProjectName && !isFolder && !Self.isOwnPicture(path)) {
            projectCount += 1
            try append(.input(ExportInput(path: path, tree: tree, isFound: true)))
        } else if isFolder {
            try search(path, tree: tree + [name])
        } else {
            try visitOther(ExportInput(path: path, tree: tree, isFound: true), isNamedAsProject: isNamedAsProject)
        }
    }

    /// A file whose name is not that of a project or document.
    private mutating func visitOther(_ input: ExportInput, isNamedAsProject: Bool) throws(ExportError) {
        let path = input.path
        if isNamedAsProject || path.hasEnding(".svg") && Self.isOwnPicture(path) {
            skipped.add(path, .ownPicture)
        } else if input.traits.isPicture, waitingPhotos.count < Self.inputsMax {
            waitingPhotos.append(input)
        } else if let head = FileSystem.beginning(of: path, byteCount: 1 << 16) {
            if !DocumentReaders.isForeignDocument(head, name: path) {
                skipped.add(path, .other, reason: ForeignFormat.name(of: head).map { "\($0), which ink does not read" })
            } else if takesDocuments {
                projectCount += 1
                try append(.input(input))
            } else {
                skipped.add(path, .document)
            }
        } else {
            skipped.add(path, .other)
        }
    }

    /// Whether a file is a document of another program by its content, whatever its name.
    static func isDocument(_ path: String) -> Bool {
        FileSystem.beginning(of: path, byteCount: 1 << 16).map { DocumentReaders.isForeignDocument($0, name: path) }
            ?? false
    }

    /// Whether a file that could be a document is a picture that this program has made, which a search leaves alone.
    private static func isOwnPicture(_ path: String) -> Bool {
        guard let codec = PictureCodecs.codec(ofFile: path) else { return false }
        // What cannot be read is reported when it is opened.
        return ((try? codec.storedDigest(path: path)) ?? nil) != nil
    }

    private mutating func append(_ item: FoundInput) throws(ExportError) {
        guard found.count < Self.inputsMax else { throw .usage("there are more than \(Self.inputsMax) inputs") }
        found.append(item)
    }
}

extension String {
    fileprivate var isTemplateFolderName: Bool {
        var name = self[...]
        while name.count > 1, name.hasSuffix("/") { name = name.dropLast() }
        return DocumentReaders.folderEndings.contains { name.lowercased().hasSuffix($0) }
    }
    fileprivate var isProjectName: Bool { DocumentReaders.endings.contains { hasEnding($0) } }
}
