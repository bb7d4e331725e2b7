import CRecipes

/// The recipes of this program.
package enum TargetRecipes {
    /// The JSON of each, in the order of a list.
    package static let texts: [(name: String, text: [UInt8])] = (0..<ink_recipe_count()).map { index in
        let recipe = ink_recipe_at(index)
        // They are constants of the program.
        return (String(cString: recipe.name), Array(UnsafeBufferPointer(start: recipe.bytes, count: recipe.byte_count)))
    }

    /// The names of all.
    package static var names: [String] { texts.map(\.name) }

    /// Reads the recipe of a name; nil if the program has none.
    package static func recipe(named name: String) throws(TargetError) -> TargetRecipe? {
        guard let found = texts.first(where: { $0.name == name }) else { return nil }
        return try TargetRecipe.read(found.text, file: name)
    }
}
