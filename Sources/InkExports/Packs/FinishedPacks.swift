package import InkDocuments
package import InkJSON

/// One bundle in a report.
package struct PackRecord: Sendable {
    package enum State: String, Sendable {
        case written, unchanged, failed
    }

    /// Path of the archive or folder.
    package var output: String
    package var state: State
    package var release: PackRelease
    /// Its files.
    package var fileCount: Int
    package var byteCount = 0
    package var failure: PictureFailure?
    package var warning: String?

    fileprivate var json: JSONValue {
        [
            "output": .string(output), "state": .string(state.rawValue), "release": .string(release.description),
            "files": .integer(fileCount), "bytes": .integer(byteCount), "warning": .optional(warning),
            "error": .optional(failure?.reason),
        ]
    }
}

/// The result of a run of packs.
package struct FinishedPacks: Sendable {
    /// A bundle that would be made.
    package struct Plan: Sendable {
        package var output: String
        /// Paths, with the sizes of pictures where they are known.
        package var files: [String]

        init(_ planned: PackJob.PlannedBundle) {
            output = planned.output
            files = planned.bundle.files.map { file in
                guard case .picture(let picture) = file.content else { return file.path }
                guard case .box(let size) = picture.size else { return "\(file.path) (1x)" }
                return "\(file.path) (\(size))"
            }
        }
    }

    package var records: [PackRecord] = []
    package var plans: [Plan] = []
    /// Why packs could not be read.
    package var failures: [PictureFailure] = []
    package var stoppedBy: StopSignal?
    package var rendererVersion = ""
    package var milliseconds = 0.0

    package var exitCode: ExitCode {
        stoppedBy?.exitCode ?? ExitCode.combining((failures + records.compactMap(\.failure)).map(\.kind))
    }

    /// What a program reads of the run.
    package var json: JSONValue {
        [
            "renderer": .string(rendererVersion), "milliseconds": .milliseconds(milliseconds),
            "bundles": .array(records.map(\.json)), "errors": .array(failures.map { .string($0.reason) }),
        ]
    }

    /// The line for people.
    package var summary: String {
        func count(_ state: PackRecord.State) -> Int { records.count { $0.state == state } }
        var parts = ["\(count(.written)) written"]
        if count(.unchanged) > 0 { parts.append("\(count(.unchanged)) unchanged") }
        let failed = count(.failed) + failures.count
        if failed > 0 { parts.append("\(failed) failed") }
        return parts.joined(separator: ", ")
    }
}
