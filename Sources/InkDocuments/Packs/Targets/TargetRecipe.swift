package import InkEngine
import InkJSON

/// The recipe of a target: which files a bundle has, and what a pack can say about them.
package struct TargetRecipe: Sendable {
    /// As messages name it: a path, or the name of a recipe of the program.
    package let file: String
    package let name: String
    /// One line about it.
    package let title: String
    package let bundling: PackTarget.Bundling
    package let parameters: [TargetParameter]
    let archive: TargetText
    let rules: Rules
    let release: ReleasePlace?
    let parts: [String: [TargetTemplate.Member]]
    let files: [TargetFile]

    /// What a bundle has to keep to.
    struct Rules: Sendable {
        var itemsMin = 1
        var itemsMax: Int?
        /// More items become several bundles.
        var split: Int?
        /// Characters of a file's path.
        var pathLength: Int?
        /// Whether these are counted behind the first folder.
        var skipsFolder = false
        var names: TextPattern?
        var idLength: Int?
    }

    /// Where a written archive has its release.
    struct ReleasePlace: Sendable {
        var file: TargetText
        var keys: [String]
    }

    /// The most parameters, and the most parts.
    static let namesMax = 1_000

    private static let keys = [
        "version", "name", "title", "archive", "bundle", "limits", "release", "parameters", "parts", "files",
    ]

    /// Reads a recipe.
    ///
    /// - Parameters:
    ///   - bytes: JSON in UTF-8.
    ///   - file: as messages name it.
    /// - Throws: `TargetError.recipe` for every mistake.
    package static func read(
        _ bytes: [UInt8], file: String, limits: Limits = Limits()
    ) throws(TargetError) -> TargetRecipe {
        do throws(EngineError) {
            return try TargetRecipe(try PackReader.json(bytes, file: file, limit: limits.recipeBytes), file, limits)
        } catch {
            throw .recipe(error)
        }
    }

    private init(_ value: JSONValue, _ file: String, _ limits: Limits) throws(EngineError) {
        self.file = file
        let root = PackNode(value: value, place: "", file: file)
        _ = try root.fields(Self.keys)
        let version = try root.required("version")
        guard PackReader.isVersion(try version.string()) else {
            throw version.error("\(version.value.shortText) is not a version that is read, such as 1.0")
        }
        let name = try root.required("name")
        self.name = try name.string()
        guard (1...60).contains(self.name.utf8.count),
            self.name.utf8.allSatisfy({ (97...122).contains($0) || (48...57).contains($0) || $0 == 45 })
        else { throw name.error("must have lower-case letters, digits and hyphens, at most 60") }
        title = try root.member("title")?.string() ?? ""
        bundling = try root.member("bundle")?.named() ?? .pack
        parameters = try Self.parameters(root)
        var names = TargetNames()
        for (number, parameter) in parameters.enumerated() {
            names.parameters[parameter.name] = number
            if parameter.kind == .choice { names.choices[number] = parameter.choices.map { $0.string ?? $0.plainText } }
        }
        parts = try Self.parts(root, names)
        names.parts = Set(parts.keys)
        archive = try root.required("archive").template(names)
        rules = try root.member("limits").map { (node) throws(EngineError) in try Rules(node) } ?? Rules()
        release = try root.member("release").map { (node) throws(EngineError) in try ReleasePlace(node, names) }
        files = try Self.files(root, names, parameters, limits)
    }

    private static func parameters(_ root: PackNode) throws(EngineError) -> [TargetParameter] {
        guard let node = root.member("parameters") else { return [] }
        let members = try node.members()
        guard members.count <= namesMax else { throw node.error("has more than \(namesMax) parameters") }
        var parameters: [TargetParameter] = []
        for (name, node) in members { parameters.append(try TargetParameter(node, name: name)) }
        return parameters
    }

    private static func parts(
        _ root: PackNode, _ names: TargetNames
    ) throws(EngineError) -> [String: [TargetTemplate.Member]] {
        guard let node = root.member("parts") else { return [:] }
        let members = try node.members()
        guard members.count <= namesMax else { throw node.error("has more than \(namesMax) parts") }
        // What is in a part may be anywhere, inside of a $each too.
        var names = names
        names.hasItem = true
        names.isInEach = true
        var parts: [String: [TargetTemplate.Member]] = [:]
        for (name, node) in members { parts[name] = try TargetTemplate.members(node, names) }
        return parts
    }

    private static func files(
        _ root: PackNode, _ names: TargetNames, _ parameters: [TargetParameter], _ limits: Limits
    ) throws(EngineError) -> [TargetFile] {
        let node = try root.required("files")
        let nodes = try node.elements()
        guard (1...max(1, limits.recipeFiles)).contains(nodes.count) else {
            throw node.error("has \(nodes.count) files, must have 1 to \(limits.recipeFiles)")
        }
        var files: [TargetFile] = []
        for node in nodes { files.append(try TargetFile(node, names, parameters)) }
        return files
    }

    /// Finds a parameter by its name.
    package func parameter(_ name: String) -> TargetParameter? { number(of: name).map { parameters[$0] } }

    func number(of name: String) -> Int? { parameters.firstIndex { $0.name == name } }
}

extension TargetRecipe.Rules {
    private enum Root: String, CaseIterable { case folder }

    fileprivate init(_ node: PackNode) throws(EngineError) {
        _ = try node.fields(["minItems", "maxItems", "split", "path", "pathRoot", "names", "id"])
        let counts = 1...1_000_000
        itemsMin = try node.member("minItems")?.wholeNumber(counts) ?? 1
        itemsMax = try node.member("maxItems")?.wholeNumber(counts)
        split = try node.member("split")?.wholeNumber(counts)
        pathLength = try node.member("path")?.wholeNumber(counts)
        let root: Root? = try node.member("pathRoot")?.named()
        skipsFolder = root != nil
        names = try node.member("names")?.pattern()
        idLength = try node.member("id")?.wholeNumber(counts)
        if let itemsMax, itemsMin > itemsMax { throw node.error("minItems is above maxItems") }
    }
}

extension TargetRecipe.ReleasePlace {
    fileprivate init(_ node: PackNode, _ names: TargetNames) throws(EngineError) {
        _ = try node.fields(["file", "at"])
        file = try node.required("file").template(names)
        keys = []
        for node in try node.required("at").elements() { keys.append(try node.string()) }
    }
}
