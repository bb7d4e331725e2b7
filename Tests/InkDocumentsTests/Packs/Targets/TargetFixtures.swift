import Foundation
import InkJSON

@testable import InkDocuments
@testable import InkEngine

/// Recipes, packs and bundles for tests.
enum TargetFixtures {
    /// The bytes of a recipe: a name, an archive and the files, and what else is given.
    static func recipe(_ files: String, _ more: String = "") -> [UInt8] {
        Array(
            """
            { "version": "1.0", "name": "mine", "archive": "{bundle.id}.zip", "files": [ \(files) ]\(more.isEmpty ? "" : ", \(more)") }
            """.utf8)
    }

    static func read(_ files: String, _ more: String = "") throws -> TargetRecipe {
        try TargetRecipe.read(recipe(files, more), file: "mine.json")
    }

    static func item(_ id: String, _ values: [String: JSONValue] = [:]) -> PackItem {
        var item = PackItem(id: id, name: id.capitalized, base: "cow", color: "pink", effects: ["glow", "tiny"])
        item.place = "items[0]"
        item.values = values.mapValues { PackValue($0, place: "items[0].values") }
        return item
    }

    static func info(_ values: [String: JSONValue] = [:]) -> PackInfo {
        var info = PackInfo(id: "farm", name: "Farm", description: "All of it")
        info.author = "A. Painter"
        info.values = values.mapValues { PackValue($0, place: "values") }
        return info
    }

    static func bundles(
        _ recipe: TargetRecipe, _ items: [PackItem] = [item("pink_cow"), item("sky_cow")],
        values: [String: JSONValue] = [:], bundle: PackTarget.Bundling? = nil
    ) throws -> TargetBundles {
        try TargetBundles(
            recipe, target: PackTarget(recipe.name, bundle: bundle, place: "targets[0]"), info: info(values),
            items: items, file: "farm.inkpack")
    }

    /// Bundles of two items.
    static func source(_ recipe: TargetRecipe) throws(TargetError) -> TargetBundles {
        try TargetBundles(
            recipe, target: PackTarget(recipe.name, place: "targets[0]"), info: info(),
            items: [item("pink_cow"), item("sky_cow")], file: "farm.inkpack")
    }

    /// The texts and JSON of the first bundle, by their paths; nothing for other files.
    static func texts(_ source: TargetBundles, _ index: Int = 0) throws -> [String: String] {
        let bundle = try PackBundle(source, index)
        try bundle.check()
        var texts: [String: String] = [:]
        for file in bundle.files { texts[file.path] = String(decoding: try bundle.bytes(of: file), as: UTF8.self) }
        return texts
    }

    /// The error of a body, by its kind and text.
    static func fault(_ body: () throws -> Void) -> String? {
        do {
            try body()
            return nil
        } catch let error as TargetError {
            switch error {
            case .recipe: return "recipe: \(error)"
            case .input: return "input: \(error)"
            }
        } catch {
            return "\(error)"
        }
    }
}
