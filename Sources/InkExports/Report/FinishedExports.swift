/// The result of an export run.
package struct FinishedExports: Sendable {
    package var records: [ExportRecord]
    package var stoppedBy: StopSignal?
    /// From the start of the command to the last file.
    package var milliseconds: Double
    package var policy: ExistingFilePolicy
    package var rendererVersion: String
    /// The number of render threads.
    package var workers: Int
    /// The broker's endpoint; nil if this process rendered.
    package var broker: String?
    /// Why the pictures are not in one file, where that was asked for and all of them are there.
    package var bookFailure: PictureFailure?

    package var exitCode: ExitCode {
        stoppedBy?.exitCode ?? ExitCode.combining((records.map(\.failure) + [bookFailure]).compactMap { $0?.kind })
    }
}
