import Glibc
import InkDocuments
import InkEngine
import InkSystem

/// Puts one bundle together: an archive under its name only when it is complete, or a folder of files.
struct PackAssembly {
    let job: PackJob
    let planned: PackJob.PlannedBundle
    /// The made pictures by their paths in the bundle.
    let pictures: [String: String]
    /// By the paths of pictures.
    let failures: [String: PictureFailure]
    let arguments: PackArguments
    let limits: Limits
    /// For what need not stay.
    let folder: String

    func run() -> PackRecord {
        var record = PackRecord(
            output: planned.output, state: .failed, release: planned.bundle.release,
            fileCount: planned.bundle.files.count)
        do throws(PictureFailure) {
            if let failure = planned.bundle.files.lazy.compactMap({ pictures[$0.path] }).compactMap({ failures[$0] })
                .first
            {
                throw PictureFailure(kind: failure.kind, reason: "\(planned.output): not written: \(failure.reason)")
            }
            if arguments.writesFolders { try writeFolder(&record) } else { try writeArchive(&record) }
        } catch {
            record.failure = error
        }
        return record
    }

    // MARK: - Contents

    /// Passes on the files of a bundle with their bytes, in the order of their paths.
    private func forEach(
        _ bundle: PackBundle, _ body: (String, [UInt8]) throws(EngineError) -> Void
    ) throws(PictureFailure) {
        for file in bundle.files {
            let bytes: [UInt8]
            switch file.content {
            case .text: bytes = try PackFailure.wrapping { () throws(TargetError) in try bundle.bytes(of: file) }
            case .picture: bytes = try read(pictures[file.path] ?? "")
            case .sheet(let of, _): bytes = try read(try sheet(of: of, path: file.path))
            case .sheetPlaces(let path):
                // The list may come before its sheet.
                guard case .sheet(let of, _)? = bundle.files.first(where: { $0.path == path })?.content else {
                    throw PackFailure(kind: .internalError, reason: "\(planned.output): no sheet \(path)")
                }
                bytes = try read(SheetWriting.description(of: try sheet(of: of, path: path)))
            case .copy(let copy):
                bytes = try PackFailure.wrapping { () throws(EngineError) in try job.bytes(of: copy) }
            }
            try PackFailure.wrapping { () throws(EngineError) in try body(file.path, bytes) }
        }
    }

    private func read(_ path: String) throws(PictureFailure) -> [UInt8] {
        try PackFailure.wrapping { () throws(EngineError) in
            try FileSystem.read(path, limitBytes: limits.fileBytes)
        }
    }

    private func sheetPath(_ path: String) -> String {
        folder.appendingPath("sheets/\(planned.bundle.id)/\(planned.bundle.source.recipe.name)/\(path)")
    }

    /// Makes the sheet of pictures once; its list of places lies beside it.
    private func sheet(of paths: [String], path: String) throws(PictureFailure) -> String {
        let output = sheetPath(path)
        try PackFailure.wrapping { () throws(EngineError) in
            guard try FileSystem.status(output) == nil else { return }
            try FileSystem.makeFolder(output.splitPath().folder)
            var limits = limits
            limits.imagePixels = max(limits.imagePixels, limits.outputPixels)
            try SheetWriting(
                path: output, pictures: paths.compactMap { pictures[$0] }.map { SheetWriting.Picture(path: $0) },
                limits: limits
            ).run()
        }
        return output
    }

    // MARK: - Archives

    private func writeArchive(_ record: inout PackRecord) throws(PictureFailure) {
        let draft = folder.appendingPath("archive")
        var bundle = planned.bundle
        try draw(bundle, into: draft, &record)
        let exists = try PackFailure.wrapping { () throws(EngineError) in
            try FileSystem.status(planned.output) != nil
        }
        if exists, arguments.ifExists != .suffix {
            let isSame = try PackFailure.wrapping { () throws(EngineError) in
                try FileSystem.isSame(draft, planned.output)
            }
            if isSame {
                record.state = .unchanged
                return
            }
            if arguments.ifExists == .fail {
                throw PictureFailure(
                    kind: .inputOutput,
                    reason: "\(planned.output): already exists; --if-exists overwrite replaces it, suffix keeps both")
            }
        }
        if let old = planned.oldRelease {
            let own = bundle.source.info.release
            let different = try PackFailure.wrapping { () throws(EngineError) in
                try ReleaseStep.different(
                    own: own, old: old, bumps: arguments.bumps, file: job.input.shownName, archive: planned.output)
            }
            if let warning = different.warning, arguments.run.isStrict {
                throw PictureFailure(kind: .inputOutput, reason: "\(warning) (--strict)")
            }
            record.warning = different.warning
            if different.release != old {
                bundle = try PackFailure.wrapping { () throws(TargetError) in
                    try PackBundle(bundle.source, planned.index, release: different.release)
                }
                try draw(bundle, into: draft, &record)
            }
            record.release = different.release
        }
        var output = planned.output
        if exists, arguments.ifExists == .suffix {
            output = try PackFailure.wrapping { () throws(EngineError) in try FileSystem.freeName(output) }
            record.output = output
        }
        try PackFailure.wrapping { () throws(EngineError) in
            try FileSystem.makeFolder(output.splitPath().folder)
            try FileSystem.writeInPieces(to: output) { (write) throws(EngineError) in
                try FileSystem.forEachPiece(of: draft, write)
            }
        }
        record.state = .written
    }

    private func draw(_ bundle: PackBundle, into draft: String, _ record: inout PackRecord) throws(PictureFailure) {
        var archive = PackArchive(path: planned.output)
        let file = try PackFailure.wrapping { () throws(EngineError) in
            try EngineError.wrapping { () throws(SystemFailure) in
                try FileDescriptor(
                    opening: draft, flags: O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, operation: "make")
            }
        }
        var byteCount = 0
        func write(_ bytes: [UInt8]) throws(EngineError) {
            byteCount += bytes.count
            try EngineError.wrapping { () throws(SystemFailure) in try file.write(bytes) }
        }
        try forEach(bundle) { (name, bytes) throws(EngineError) in try write(archive.add(name, bytes)) }
        for part in archive.end() { try PackFailure.wrapping { () throws(EngineError) in try write(part) } }
        record.byteCount = byteCount
    }

    // MARK: - Folders

    private func writeFolder(_ record: inout PackRecord) throws(PictureFailure) {
        var isChanged = false
        try forEach(planned.bundle) { (name, bytes) throws(EngineError) in
            let path = planned.output.appendingPath(name)
            record.byteCount += bytes.count
            if try FileSystem.status(path) != nil {
                if try FileSystem.read(path, limitBytes: limits.fileBytes) == bytes { return }
                if arguments.ifExists == .fail {
                    throw .badInput(Place(file: path), reason: "already exists; --if-exists overwrite replaces it")
                }
            }
            isChanged = true
            try FileSystem.makeFolder(path.splitPath().folder)
            try FileSystem.writeAtomically(bytes, to: path)
        }
        record.state = isChanged ? .written : .unchanged
    }
}
