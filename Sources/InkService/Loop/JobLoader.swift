import Glibc
import InkBroker
import InkCodecs
import InkDocuments
import InkEngine
import InkPlanning
import InkProtocol
import InkStore
import InkSystem
import Synchronization

/// The broker's copy of a project cannot be had.
struct LostCopy: Error, Hashable, CustomStringConvertible {
    let cause: StoreError

    var description: String {
        switch cause {
        case .damaged:
            "the broker's copy of the project was damaged and has been removed; submit the project again"
        case .file(_, _, ENOENT): "the broker no longer has the project; submit it again"
        default: cause.description
        }
    }
}

/// Opens the document of a job, on the broker's lane. Workers read it.
struct JobLoader: Sendable {
    let configuration: ServiceConfiguration
    let contents: ContentFolder
    let onEvent: @Sendable (FarmNote) -> Void

    func open(_ submission: Submission) throws(BrokerError) -> OpenedDocument {
        if case .write(let path) = submission.delivery {
            try refusing { () throws(EngineError) in try checkOutput(path, of: submission) }
        }
        switch submission.source {
        case .content(let id, _, let encoding):
            let bytes = try read(id, of: submission)
            let beside = FolderCompanions(presetFolders: configuration.presetFolders)
            var document = document(bytes, of: submission, beside)
            document.encoding = encoding
            document.isNamedByOthers = true
            return document
        case .path(let path):
            let (file, content, companions) = try refusing { () throws(EngineError) in try open(path) }
            var document: OpenedDocument
            switch content {
            case .file(let bytes): document = self.document(bytes, of: submission, companions)
            case .folder:
                document = self.document([], of: submission, companions)
                document.isFolder = true
            }
            // The name that messages have, and by whose ending a file is recognized.
            document.name = file
            return document
        }
    }

    private func refusing<T>(_ body: () throws(EngineError) -> T) throws(BrokerError) -> T {
        do throws(EngineError) { return try body() } catch { throw .refused(error) }
    }

    private func document(
        _ bytes: [UInt8], of submission: Submission, _ companions: FolderCompanions
    ) -> OpenedDocument {
        let taken = Mutex<[CompanionName.Kind: Int]>([:])
        let limits = configuration.projectLimits
        return OpenedDocument(
            name: submission.name, bytes: bytes, picture: submission.picture, software: configuration.software
        ) { requests throws(BrokerError) in
            try taken.withLock { (taken) throws(BrokerError) in
                try Self.find(requests, companions, limits, &taken)
            }
        }
    }

    /// Opens what a document's reader asks for. A name that no reader asks for gets no answer: other workers would take
    /// one for a defect.
    private static func find(
        _ requests: [CompanionRequest], _ companions: FolderCompanions, _ limits: Limits,
        _ taken: inout [CompanionName.Kind: Int]
    ) throws(BrokerError) -> [FoundCompanion] {
        let names = requests.map { request in
            CompanionName.Kind(rawValue: request.kind).flatMap { CompanionName($0, utf8: request.name) }
        }
        let answers = companions.answers(to: names.compactMap(\.self), limits: limits, taken: &taken)
        var found: [FoundCompanion] = []
        for (request, name) in zip(requests, names) {
            guard let name, let answer = answers[name] else { continue }
            // Out of descriptors: the job is tried again.
            if case .failure(.io(let path, let operation, let errno)) = answer, errno == EMFILE || errno == ENFILE {
                throw .refused(.io(path: path, operation: operation, errno: errno))
            }
            found.append(FoundCompanion(request, answer))
        }
        return found
    }

    /// A failure here concerns the broker's copy, not the project.
    private func read(_ id: ContentID, of submission: Submission) throws(BrokerError) -> [UInt8] {
        do throws(StoreError) {
            return try contents.read(id)
        } catch {
            switch error {
            case .damaged: onEvent(FarmNote(.error, "content.damaged", reason: "\(error)"))
            // Out of descriptors: the job is tried again.
            case .file(let path, let operation, let errno) where errno != ENOENT:
                throw .refused(.io(path: path, operation: operation, errno: errno))
            default: break
            }
            throw .source(export: submission.name, Cause(LostCopy(cause: error)))
        }
    }

    private func open(_ path: String) throws(EngineError) -> (String, DocumentContent, FolderCompanions) {
        let file = try resolved(path)
        // Presets are next to the given path or next to its target. If the folder of the given path is outside the
        // roots, only next to the target.
        let given = Self.real(path.splitPath().folder).flatMap { isBelowInputRoots($0) ? $0 : nil }
        let target = file.splitPath().folder
        // By bytes: names that look the same may be two.
        let isLink = given.map { !$0.utf8.elementsEqual(target.utf8) } ?? false
        let folders = (isLink ? [given, target] : [target]).compactMap { $0.map { $0.appendingPath("") } }
        let (content, companions) = try ProjectLoader.open(
            path: file, presetFolders: configuration.presetFolders, besideFolders: folders,
            limits: configuration.projectLimits)
        return (file, content, companions)
    }

    /// Links may lead anywhere below the roots, but not outside.
    private func resolved(_ path: String) throws(EngineError) -> String {
        guard let real = Self.real(path) else { throw .io(path: path, operation: "open", errno: errno) }
        guard isBelowInputRoots(real) else {
            throw .badInput(Place(file: path), reason: "the file lies outside the broker's input roots")
        }
        return real
    }

    private func isBelowInputRoots(_ real: String) -> Bool {
        configuration.inputRoots.compactMap(Self.real).contains { $0 == real || ServiceState.lies(real, below: $0) }
    }

    /// Whether a picture may replace a file. One of a photo may not, as in `ink export`.
    static func replacesFiles(_ submission: Submission) -> Bool {
        if submission.delivery == .fetch { return true }
        var names = [submission.name]
        if case .path(let path) = submission.source { names.append(path) }
        return !names.contains { name in
            DocumentReaders.pictureEndings.contains { name.lowercased().hasSuffix($0) }
        }
    }

    /// Checks an output: neither the path nor, for a link, its target may be outside the root, or the project itself.
    private func checkOutput(_ path: String, of submission: Submission) throws(EngineError) {
        guard let folder = configuration.outputRoot, let root = Self.real(folder) else {
            throw .io(path: configuration.outputRoot ?? path, operation: "open", errno: errno)
        }
        let formats = submission.picture.options.files.map(\.encoding.format)
        // Several formats are one archive.
        let format = formats.count == 1 ? formats[0] : .png
        for place in format.places(of: "\(folder)/\(path)") {
            try checkOutput(path, at: FileSystem.resolved(place), below: root, of: submission)
        }
    }

    private func checkOutput(
        _ path: String, at target: String, below root: String, of submission: Submission
    ) throws(EngineError) {
        guard ServiceState.lies(target, below: root) else {
            throw .badInput(Place(file: path), reason: "a link leads out of the broker's output root")
        }
        if case .path(let path) = submission.source, let input = Self.real(path) {
            // A template is a folder, which may get a new preview; its other pictures are input.
            let isInside = target.utf8.starts(with: "\(input)/".utf8) && target != "\(input)/preview.png"
            if target == input || isInside {
                throw .badInput(Place(file: target), reason: "the picture would replace the input \(path)")
            }
        }
        if !Self.replacesFiles(submission) {
            let found = try EngineError.wrapping { () throws(SystemFailure) in try FileSystem.status(of: target) }
            if found != nil { throw .io(path: target, operation: "write the picture of a photo", errno: EEXIST) }
        }
    }

    private static func real(_ path: String) -> String? {
        guard let pointer = realpath(path, nil) else { return nil }
        defer { free(pointer) }
        return String(cString: pointer)
    }
}

extension FoundCompanion {
    fileprivate init(_ request: CompanionRequest, _ found: Result<CompanionAnswer, EngineError>) {
        switch found {
        case .success(.file(let bytes, let path)):
            self.init(Companion(request: request, answer: .file([], path: path)), bytes: bytes)
        case .success(.missing): self.init(Companion(request: request, answer: .missing))
        case .success(.nowhere): self.init(Companion(request: request, answer: .nowhere))
        case .success(.presetFolders(let folders)):
            let folders = folders.map { Companion.Folder(path: $0.path, isBeside: $0.isBeside, files: $0.files) }
            self.init(Companion(request: request, answer: .folders(folders)))
        case .failure(let error): self.init(Companion(request: request, answer: .failed(error)))
        }
    }
}
