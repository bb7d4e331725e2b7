import Glibc
import InkDocuments
import InkEngine

/// The files beside a pack: recipes, and what bundles copy.
struct PackFolder: Sendable {
    private let companions: FolderCompanions
    private let file: String
    private let limits: Limits

    init(_ input: ExportInput, limits: Limits) throws(PackFailure) {
        file = input.shownName
        self.limits = limits
        guard !input.isStandardInput else {
            companions = FolderCompanions()
            return
        }
        companions = try PackFailure.wrapping { () throws(EngineError) in
            try ProjectLoader.open(path: input.path, limits: limits).companions
        }
    }

    /// The bytes of a file.
    ///
    /// - Parameter place: where the pack names it.
    /// - Throws: `badInput` for a path that leaves the folder, `io` where there is none.
    func read(_ path: String, limitBytes: Int, place: String) throws(EngineError) -> [UInt8] {
        try companions.read(path, limitBytes: limitBytes, place: Place(file: file, path: place))
    }

    /// The recipe of a target.
    ///
    /// - Parameter isAsked: whether the command line names it, not the pack.
    func recipe(_ target: PackTarget, isAsked: Bool) throws(PackFailure) -> TargetRecipe {
        let name = target.target
        let known = try PackFailure.wrapping { () throws(TargetError) in try TargetRecipes.recipe(named: name) }
        if let known { return known }
        guard name.contains(".") || name.contains("/") else {
            let reason = "there is no target \"\(name)\"\(didYouMean(name, among: TargetRecipes.names))"
            throw isAsked
                ? PackFailure(kind: .usage, reason: "--target: \(reason); a path of a recipe has a dot in it")
                : PackFailure(
                    kind: .badInput, reason: "\(file): \(target.place): \(reason); a path of a recipe has a dot in it")
        }
        let bytes = try PackFailure.wrapping { () throws(EngineError) in
            try isAsked
                ? InputFile.read(path: name, limitBytes: limits.recipeBytes)
                : read(name, limitBytes: limits.recipeBytes, place: target.place)
        }
        return try PackFailure.wrapping { () throws(TargetError) in
            try TargetRecipe.read(bytes, file: name, limits: limits)
        }
    }
}
