package import InkEngine

/// What exports need from the outside; tests replace it.
package struct ExportEnvironment: Sendable {
    /// What reads projects, with the preset folders and limits of a run.
    package var makeOpener:
        @Sendable (_ presetFolders: [String], _ limits: Limits, _ textUse: TextUse) -> any ProjectOpener
    /// A farm with so many render threads.
    package var makeFarm: @Sendable (_ workers: Int, _ limits: Limits) -> any ExportFarm
    /// The digest stored in a complete picture at this path; nil if there is none.
    package var storedDigest: @Sendable (String) -> [UInt8]?
    package var sha256: @Sendable ([UInt8]) -> [UInt8]

    package init(
        makeOpener:
            @escaping @Sendable (_ presetFolders: [String], _ limits: Limits, _ textUse: TextUse) ->
            any ProjectOpener,
        makeFarm: @escaping @Sendable (_ workers: Int, _ limits: Limits) -> any ExportFarm,
        storedDigest: @escaping @Sendable (String) -> [UInt8]?, sha256: @escaping @Sendable ([UInt8]) -> [UInt8]
    ) {
        self.makeOpener = makeOpener
        self.makeFarm = makeFarm
        self.storedDigest = storedDigest
        self.sha256 = sha256
    }

    /// The process's own disk and farm.
    package static let process = ExportEnvironment(
        makeOpener: { LoadingOpener(presetFolders: $0, limits: $1, textUse: $2) },
        makeFarm: { EmbeddedFarm(workerCount: $0, limits: $1) },
        // A picture that cannot be read is not known to be up to date, and is made again.
        storedDigest: { path in (try? PictureCodecs.codec(ofFile: path)?.storedDigest(path: path))?.bytes },
        sha256: { SHA256.digest($0) })
}
