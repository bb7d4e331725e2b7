import InkEngine

/// What a placeholder of a recipe can name.
enum TargetName: Hashable, Sendable {
    case fact(Fact)
    /// A parameter, by its number in the recipe.
    case parameter(Int)

    /// What placeholders can name in every recipe.
    enum Fact: String, CaseIterable, Sendable {
        case packID = "pack.id"
        case packName = "pack.name"
        case packDescription = "pack.description"
        case packAuthor = "pack.author"
        case packLicense = "pack.license"
        case packURL = "pack.url"
        case packRelease = "pack.release"
        case bundleID = "bundle.id"
        case bundleName = "bundle.name"
        case bundleDescription = "bundle.description"
        case count, target, program
        case id, name
        case number = "n"
        case base, color, effects

        var isOfItem: Bool {
            switch self {
            case .id, .name, .number, .base, .color, .effects: true
            case .packID, .packName, .packDescription, .packAuthor, .packLicense, .packURL, .packRelease, .bundleID,
                .bundleName, .bundleDescription, .count, .target, .program:
                false
            }
        }
    }
}

/// The names that placeholders may use in one place of a recipe.
struct TargetNames {
    /// The recipe's parameters by their names; empty where they have no values yet.
    var parameters: [String: Int] = [:]
    /// The choices of parameters that have some, as text.
    var choices: [Int: [String]] = [:]
    /// The names of the recipe's parts; nil where none can stand.
    var parts: Set<String>?
    /// Whether there is an item to name.
    var hasItem = false
    /// Whether that is the item of a `$each`.
    var isInEach = false

    /// - Throws: a reason, the end of a message about the text with the placeholder.
    func name(_ text: String) throws(TargetText.Fault) -> TargetName {
        if let parameter = parameters[text] { return .parameter(parameter) }
        if let fact = TargetName.Fact(rawValue: text) {
            guard hasItem || !fact.isOfItem else {
                throw TargetText.Fault(
                    reason: "{\(text)} is a value of an item, which only files with \"each\": \"item\" and $each have")
            }
            return .fact(fact)
        }
        let known = TargetName.Fact.allCases.filter { hasItem || !$0.isOfItem }.map(\.rawValue)
        throw TargetText.Fault(
            reason:
                "unknown placeholder {\(shownText(text))}\(didYouMean(text, among: parameters.keys.sorted() + known))")
    }
}
