package import InkEngine
import InkJSON

/// The bundles that a target makes of a pack: how many, and each when it is needed.
package final class TargetBundles: Sendable {
    package let recipe: TargetRecipe
    package let target: PackTarget
    package let info: PackInfo
    package let items: [PackItem]
    /// The pack, for messages.
    let file: String
    let program: String
    let limits: Limits
    let identity: NameUUID
    package let bundling: PackTarget.Bundling
    /// The number of bundles.
    package let count: Int
    /// Values of the target's entry, and below those of the pack, by the numbers of parameters.
    let given: [Int: JSONValue]
    /// The own values of each item.
    let itemValues: [[Int: JSONValue]]

    /// Checks all values against the recipe, and the items against its limits.
    ///
    /// - Parameters:
    ///   - items: at least one.
    ///   - file: the pack, for messages.
    ///   - program: the name of this program in what it writes.
    package init(
        _ recipe: TargetRecipe, target: PackTarget, info: PackInfo, items: [PackItem], file: String,
        program: String = "ink", limits: Limits = Limits()
    ) throws(TargetError) {
        self.recipe = recipe
        self.target = target
        self.info = info
        self.items = items
        self.file = file
        self.program = program
        self.limits = limits
        identity = try TargetBundles.input { () throws(EngineError) in try info.identity(file: file) }
        bundling = target.bundle ?? recipe.bundling
        switch (bundling, recipe.rules.split) {
        case (.item, _): count = items.count
        case (.pack, let split?): count = (items.count + split - 1) / split
        case (.pack, nil): count = 1
        }
        let target = try Self.checked(target.values, recipe, file: file)
        given = try Self.checked(info.values, recipe, file: file).merging(target) { $1 }
        itemValues = try items.map { (item) throws(TargetError) in
            try Self.checked(item.values, recipe, file: file, isOfItem: true)
        }
        try checkItems()
    }

    /// What a body gives; its failure is one of the input.
    static func input<Value>(_ body: () throws(EngineError) -> Value) throws(TargetError) -> Value {
        do throws(EngineError) { return try body() } catch { throw .input(error) }
    }

    /// A mistake in the pack.
    ///
    /// - Parameter place: in the pack file; empty for a target of the command line.
    func fault(_ place: String, _ reason: String) -> TargetError {
        .input(.badInput(Place(file: file, path: place.isEmpty ? "target \(recipe.name)" : place), reason: reason))
    }

    /// The items of a bundle, by their numbers in the pack.
    func items(ofBundle index: Int) -> Range<Int> {
        bundling == .item
            ? index..<(index + 1) : (items.count * index / count)..<(items.count * (index + 1) / count)
    }

    private static func checked(
        _ values: [String: PackValue], _ recipe: TargetRecipe, file: String, isOfItem: Bool = false
    ) throws(TargetError) -> [Int: JSONValue] {
        var checked: [Int: JSONValue] = [:]
        // In one order, so that of two mistakes the same one is reported.
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            guard let number = recipe.number(of: name) else { continue }
            let parameter = recipe.parameters[number]
            let place = Place(file: file, path: value.place)
            if isOfItem, parameter.isOfBundle {
                throw .input(
                    .badInput(
                        place,
                        reason: "\(name) is the same for all items of a bundle, so it belongs to the pack's \"values\" "
                            + "or those of the target"))
            }
            if let fault = parameter.fault(of: value.value) { throw .input(.badInput(place, reason: fault)) }
            checked[number] = value.value
        }
        return checked
    }

    private func checkItems() throws(TargetError) {
        let rules = recipe.rules
        for index in 0..<count {
            let number = items(ofBundle: index).count
            let bundle = count > 1 ? "a bundle of target" : "target"
            guard number >= rules.itemsMin else {
                throw fault(target.place, "\(bundle) \(recipe.name) has \(number) items, must have \(rules.itemsMin)")
            }
            guard number <= rules.itemsMax ?? .max else {
                throw fault(
                    target.place,
                    "\(bundle) \(recipe.name) has \(number) items, can have at most \(rules.itemsMax ?? 0)")
            }
        }
        for item in items where item.id.unicodeScalars.count > rules.idLength ?? .max {
            throw fault(
                "\(item.place).id",
                "\"\(item.id)\" is too long for target \(recipe.name), which takes at most "
                    + "\(rules.idLength ?? 0) characters")
        }
    }

    /// Rejects values that no target has: those of the pack, its targets and its items.
    ///
    /// - Parameter recipes: all that the pack or the program has, whether they are made or not.
    package static func requireKnownValues(
        _ info: PackInfo, items: [PackItem], targets: [PackTarget], recipes: [TargetRecipe], file: String
    ) throws(TargetError) {
        let known = Set(recipes.flatMap { $0.parameters.map(\.name) })
        for values in [info.values] + targets.map(\.values) + items.map(\.values) {
            for (name, value) in values.sorted(by: { $0.key < $1.key }) where !known.contains(name) {
                throw .input(
                    .badInput(
                        Place(file: file, path: value.place),
                        reason: "no target has a value \"\(shownText(name))\"\(didYouMean(name, among: known.sorted()))"
                    ))
            }
        }
    }
}
