import InkEngine

extension CommandEnvironment {
    /// The process's own console, disk and farm.
    static let process = CommandEnvironment(
        console: .process,
        makeOpener: { LoadingOpener(presetFolders: $0, limits: $1) },
        makeFarm: { _, _ in AbsentFarm() },
        // A picture that cannot be read is not known to be up to date, and is made again.
        storedDigest: { path in (try? PictureFile.storedDigest(path: path))?.bytes },
        sha256: { SHA256.digest($0) },
        readLimits: { try Limits.read(path: $0) },
        handlesSignals: true)
}

/// Stands where a program has been built without a broker: every export says so.
struct AbsentFarm: ExportFarm {
    let rendererVersion = "none"

    func start(_ onEvent: @escaping @Sendable (FarmEvent) -> Void) throws(PictureFailure) {
        throw PictureFailure(kind: .unreachable, reason: "this program has been built without a farm")
    }

    func submit(_ request: PictureRequest) {}
    func cancelAll() {}
    func stop() {}
    func removeTemporaryFiles() {}
}
