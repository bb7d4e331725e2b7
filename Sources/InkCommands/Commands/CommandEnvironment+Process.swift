import InkEngine

extension CommandEnvironment {
    /// The process's own console, disk and farm.
    static let process = CommandEnvironment(
        console: .process,
        makeOpener: { LoadingOpener(presetFolders: $0, limits: $1, textUse: $2) },
        makeFarm: { EmbeddedFarm(workerCount: $0, limits: $1) },
        // A picture that cannot be read is not known to be up to date, and is made again.
        storedDigest: { path in (try? PictureCodecs.codec(ofFile: path)?.storedDigest(path: path))?.bytes },
        sha256: { SHA256.digest($0) },
        readLimits: { try Limits.read(path: $0) },
        connect: { options, onEvent throws(CommandError) in try options.client(onEvent) },
        program: "/proc/self/exe", variables: ProcessFacts.variables(),
        handlesSignals: true, endsWithCommand: true)
}
