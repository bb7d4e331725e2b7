/// The result of an export run.
package struct FinishedExports: Sendable {
    package var records: [ExportRecord]
    /// Files in searched folders that are not exported.
    package var skipped = SkippedFiles()
    package var stoppedBy: StopSignal?
    /// From the start of the command to the last file.
    package var milliseconds: Double
    package var policy: ExistingFilePolicy
    package var rendererVersion: String
    /// The number of render threads.
    package var workers: Int
    /// The broker's endpoint; nil if this process rendered.
    package var broker: String?
    /// Why files of all pictures could not be written, such as a book, where the pictures are there.
    package var otherFailures: [PictureFailure] = []

    /// The part of a run that these exports are; nil for a whole run.
    package var shard: PlannedShard?

    package var exitCode: ExitCode {
        let failures = (records.compactMap(\.failure) + otherFailures).map(\.kind)
        return stoppedBy?.exitCode
            ?? (shard == nil ? ExitCode.combining(failures) : ExitCode.combiningInShard(failures))
    }
}
