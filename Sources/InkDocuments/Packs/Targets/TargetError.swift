package import InkEngine

/// Why the bundles of a target cannot be made. `description` is one line that a person can act on.
package enum TargetError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A mistake in a recipe.
    case recipe(EngineError)
    /// A mistake in a pack or its files, or a failure to read them.
    case input(EngineError)

    package var description: String {
        switch self {
        case .recipe(let error), .input(let error): "\(error)"
        }
    }
}
