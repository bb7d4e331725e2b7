import InkCodecs
import InkDocuments
import InkEngine
import InkJSON
import InkPlanning
import InkSystem

/// A pack that has been read, with the bundles that are to be made of it.
struct PackJob: Sendable {
    let input: ExportInput
    let pack: Pack
    /// Answers for the files in the pack's folder.
    let files: PackFolder
    /// The number in the pack of each item that is taken.
    let chosen: [Int]
    let bundles: [PlannedBundle]
    let warnings: [ReadingWarning]

    /// A bundle, and where it goes.
    struct PlannedBundle: Sendable {
        var index: Int
        var bundle: PackBundle
        /// Path of the archive or of the folder.
        var output: String
        /// The release of the archive that is there, where the pack's is not higher.
        var oldRelease: PackRelease?
    }

    /// Reads a pack and plans all its bundles, before anything is rendered.
    ///
    /// - Throws: `usage` for what the command line asks of it and is not there.
    init(
        _ input: ExportInput, _ arguments: PackArguments, project: OpenedProject, limits: Limits
    ) throws(PackFailure) {
        guard let pack = project.project.pack else {
            throw PackFailure(kind: .badInput, reason: "\(input.shownName): is not a pack")
        }
        self.input = input
        self.pack = pack
        files = try PackFolder(input, limits: limits)
        let chosen = try Self.chosen(arguments.items, of: pack, input)
        self.chosen = chosen
        let targets = try Self.targets(arguments, pack, input)
        var recipes: [TargetRecipe] = []
        for target in targets { recipes.append(try files.recipe(target, isAsked: target.place.isEmpty)) }
        // Values of targets that are not made now are no mistakes; mistakes in their recipes do not count now.
        var others: [TargetRecipe] = []
        for target in pack.targets {
            // A mistake in the recipe of a target that is not made stops nothing.
            if let recipe = try? files.recipe(target, isAsked: false) { others.append(recipe) }
        }
        let items = chosen.map { pack.items[$0] }
        try PackFailure.wrapping { () throws(TargetError) -> Void in
            var shipped: [TargetRecipe] = []
            for name in TargetRecipes.names {
                if let recipe = try TargetRecipes.recipe(named: name) { shipped.append(recipe) }
            }
            try TargetBundles.requireKnownValues(
                pack.info, items: items, targets: targets, recipes: shipped + recipes + others, file: input.shownName)
        }
        var bundles: [PlannedBundle] = []
        for (target, recipe) in zip(targets, recipes) {
            let target = try Self.adding(arguments.values, to: target, recipe, all: recipes)
            bundles += try Self.bundles(target, recipe, pack.info, items, input, arguments, limits)
        }
        self.bundles = bundles
        warnings = project.warnings + Self.warnings(about: pack, project.project, bundles, chosen)
    }

    /// A file that a bundle copies, checked.
    ///
    /// - Throws: `badInput` for what it must not be, `io` where there is none.
    func bytes(of copy: BundleCopy) throws(EngineError) -> [UInt8] {
        let bytes = try files.read(copy.path, limitBytes: BundleCopy.bytesMax, place: copy.place)
        try copy.check(bytes, file: input.shownName)
        return bytes
    }

    // MARK: - What the command line asks for

    private static func chosen(
        _ patterns: [String], of pack: Pack, _ input: ExportInput
    ) throws(PackFailure) -> [Int] {
        guard !patterns.isEmpty else { return Array(pack.items.indices) }
        var chosen: Set<Int> = []
        for pattern in patterns {
            let found = pack.items.indices.filter { matches(pack.items[$0].id, pattern) }
            guard !found.isEmpty else {
                let meant = didYouMean(pattern, among: pack.items.lazy.map(\.id))
                throw PackFailure(
                    kind: .usage, reason: "--items: \(input.shownName) has no item \"\(pattern)\"\(meant)")
            }
            chosen.formUnion(found)
        }
        return chosen.sorted()
    }

    /// Whether a text is that of a pattern, in which `*` stands for any characters.
    private static func matches(_ text: String, _ pattern: String) -> Bool {
        let parts = pattern.split(separator: "*", omittingEmptySubsequences: false)
        guard parts.count > 1, let first = parts.first, let last = parts.last else { return text == pattern }
        guard text.hasPrefix(first), text.utf8.count >= first.utf8.count + last.utf8.count, text.hasSuffix(last)
        else { return false }
        var rest = text.dropFirst(first.count).dropLast(last.count)
        for part in parts.dropFirst().dropLast() {
            guard let found = rest.firstRange(of: part) else { return part.isEmpty }
            rest = rest[found.upperBound...]
        }
        return true
    }

    private static func targets(
        _ arguments: PackArguments, _ pack: Pack, _ input: ExportInput
    ) throws(PackFailure) -> [PackTarget] {
        var targets = pack.targets
        if !arguments.targets.isEmpty {
            targets = arguments.targets.flatMap { name in
                let own = pack.targets.filter { $0.target == name }
                return own.isEmpty ? [PackTarget(name)] : own
            }
        }
        guard !targets.isEmpty else {
            throw PackFailure(
                kind: .usage,
                reason: "\(input.shownName): names no target; choose some with --target, such as --target sprites "
                    + "(see ink pack --list-targets)")
        }
        if let bundling = arguments.bundling {
            for index in targets.indices { targets[index].bundle = bundling }
        }
        return targets
    }

    /// The target with the values of `--set` that its recipe has.
    private static func adding(
        _ values: [(name: String, text: String)], to target: PackTarget, _ recipe: TargetRecipe, all: [TargetRecipe]
    ) throws(PackFailure) -> PackTarget {
        var target = target
        for (name, text) in values {
            guard let parameter = recipe.parameter(name) else {
                if all.contains(where: { $0.parameter(name) != nil }) { continue }
                let known = all.flatMap { $0.parameters.map(\.name) }
                throw PackFailure(
                    kind: .usage, reason: "--set: no target has a value \"\(name)\"\(didYouMean(name, among: known))")
            }
            let value = parameter.value(ofArgument: text)
            target.values[name] = PackValue(value, place: "--set \(name)")
        }
        return target
    }

    // MARK: - Bundles

    private static func bundles(
        _ target: PackTarget, _ recipe: TargetRecipe, _ info: PackInfo, _ items: [PackItem], _ input: ExportInput,
        _ arguments: PackArguments, _ limits: Limits
    ) throws(PackFailure) -> [PlannedBundle] {
        let folder = arguments.output ?? input.folder
        var made: [PlannedBundle] = []
        let source = try PackFailure.wrapping { () throws(TargetError) in
            try TargetBundles(
                recipe, target: target, info: info, items: items, file: input.shownName,
                program: "ink \(ProgramVersion.text)", limits: limits)
        }
        for index in 0..<source.count {
            let bundle = try PackFailure.wrapping { () throws(TargetError) in try PackBundle(source, index) }
            try PackFailure.wrapping { () throws(TargetError) in try bundle.check() }
            let name = arguments.writesFolders ? bundle.archive.withoutEnding : bundle.archive
            var planned = PlannedBundle(index: index, bundle: bundle, output: folder.appendingPath(name))
            if !arguments.writesFolders, let place = bundle.releasePlace {
                let old = try PackFailure.wrapping { () throws(EngineError) in
                    try PackRelease.read(archive: planned.output, place)
                }
                if case .compare(let old) = ReleaseStep.first(own: bundle.release, old: old) {
                    planned.oldRelease = old
                    planned.bundle = try PackFailure.wrapping { () throws(TargetError) in
                        try PackBundle(source, index, release: old)
                    }
                }
            }
            made.append(planned)
        }
        return made
    }

    /// The longest edge of what may be pixel art.
    private static let smallEdge = 64.0
    /// The longest edge of a texture that every device takes.
    private static let textureEdge = 1024

    /// What of a pack may not be meant so.
    private static func warnings(
        about pack: Pack, _ project: Project, _ bundles: [PlannedBundle], _ chosen: [Int]
    ) -> [ReadingWarning] {
        let idle = pack.idleSteps.map {
            ReadingWarning(.leftOut, at: $0, "has a step that changes nothing: its amount or opacity is 0")
        }
        var (enlarged, odd): (Set<Int>, Set<Int>) = ([], [])
        for planned in bundles {
            // What an add-on holds in its own size is the texture of a model.
            let isAddOn = planned.bundle.archive.hasSuffix(".mcaddon")
            for case .picture(let picture) in planned.bundle.files.lazy.map(\.content) {
                guard let item = picture.item else { continue }
                let base = pack.base(ofItem: chosen[item])
                let canvas = project.viewports[chosen[item]].size
                switch picture.size {
                case .box(let box):
                    let scale = min(Double(box.width) / canvas.width, Double(box.height) / canvas.height)
                    if pack.pictures[base].scaling == .smooth, canvas.longestEdge <= smallEdge, scale >= 2 {
                        enlarged.insert(base)
                    }
                case .canvas: if isAddOn, !isTexture(canvas) { odd.insert(base) }
                }
            }
        }
        return idle
            + odd.sorted().map {
                ReadingWarning(
                    .other, at: pack.pictures[$0].place,
                    "is a texture whose edges are not powers of two of at most \(textureEdge) pixels, which some "
                        + "devices do not show")
            }
            + enlarged.sorted().map {
                ReadingWarning(
                    .other, at: pack.pictures[$0].place,
                    "is a small picture that is enlarged smoothly; if it is pixel art, use scaling pixel")
            }
    }

    private static func isTexture(_ canvas: CanvasSize) -> Bool {
        [canvas.width, canvas.height].allSatisfy { edge in
            guard let edge = Int(exactly: edge), edge <= textureEdge else { return false }
            return edge.nonzeroBitCount == 1
        }
    }
}

extension String {
    /// A file name without what follows its last point.
    fileprivate var withoutEnding: String {
        guard let point = lastIndex(of: "."), point > startIndex else { return self }
        return String(self[..<point])
    }
}
