import Foundation
import InkJSON
import Testing

@testable import InkDocuments
@testable import InkEngine

/// Texts and UUIDs of bundles, against those of the reference (`Data/packs/SOURCES.md`).
@Suite("Bundles of packs")
struct PackConformanceTests {
    private static let folder = PNGData.folder.appendingPathComponent("packs")

    /// Six items, as the example of the format has them.
    private static let items: [PackItem] = {
        func item(_ id: String, _ name: String, _ values: [String: JSONValue]) -> PackItem {
            var item = PackItem(id: id, name: name, base: "cow")
            item.values = values.mapValues { PackValue($0, place: "items") }
            return item
        }
        return [
            item("rainbow_cow", "Rainbow Cow", ["scale": .number(0.5)]),
            item("pink_pig", "Pink Pig", ["health": .integer(20), "spawn": .string("animal")]),
            item("sky_chicken", "Sky Chicken", ["movement": .string("fly"), "look": .string("paper")]),
            item("dusk_cow", "Dusk Cow", ["scale": .integer(2)]),
            item("night_cow", "Night Cow", ["movement": .string("still")]),
            item("lime_pig", "Lime Pig", ["movement": .string("swim"), "family": .string("pigs")]),
        ]
    }()

    private static func info() -> PackInfo {
        var info = PackInfo(
            id: "rainbow_farm", name: "Rainbow farm", description: "Six friendly creatures made of pictures")
        info.author = "A. Painter"
        info.values = ["texture": PackValue(.integer(64), place: "values.texture")]
        return info
    }

    private static func bundle(release: PackRelease? = nil) throws -> PackBundle {
        let recipe = try #require(try TargetRecipes.recipe(named: "mcaddon"))
        let source = try TargetBundles(
            recipe, target: PackTarget("mcaddon", place: "targets[0]"), info: info(), items: items,
            file: "crafta.inkpack")
        return try PackBundle(source, 0, release: release)
    }

    @Test("An add-on has the files of the reference, byte by byte where they are texts")
    func addOn() throws {
        let bundle = try Self.bundle()
        try bundle.check()
        #expect(bundle.archive == "rainbow_farm.mcaddon")
        let expected = Self.folder.appendingPathComponent("expected/rainbow_farm")
        var texts: Set<String> = []
        for path in try FileManager.default.subpathsOfDirectory(atPath: expected.path)
        where path.hasSuffix(".json") || path.hasSuffix(".lang") {
            texts.insert(path)
            let file = try #require(bundle.files.first { $0.path == path }, "\(path)")
            let wanted = try Data(contentsOf: expected.appendingPathComponent(path))
            #expect(
                String(decoding: try bundle.bytes(of: file), as: UTF8.self) == String(decoding: wanted, as: UTF8.self),
                "\(path)")
        }
        #expect(texts.count == 23)
        let others = bundle.files.filter { !texts.contains($0.path) }
        #expect(others.map(\.path) == Self.pictures)
        for file in others {
            guard case .picture(let picture) = file.content else {
                Issue.record("\(file.path) is no picture")
                continue
            }
            let edge = file.path.hasSuffix("icon.png") ? 256 : 64
            #expect(picture.size == .box(PixelSize(width: edge, height: edge)))
            #expect(picture.alignment == (file.path.hasSuffix("_egg.png") || edge == 256 ? .center : .bottom))
        }
    }

    private static let pictures =
        ["rainbow_farm_bp/pack_icon.png", "rainbow_farm_rp/pack_icon.png"]
        + items.map(\.id).sorted().flatMap { id in
            ["", "_egg"].map { "rainbow_farm_rp/textures/ink/rainbow_farm/\(id)\($0).png" }
        }

    @Test("Another release is in all places, with the same UUIDs")
    func releases() throws {
        let (old, new) = (try Self.bundle(), try Self.bundle(release: PackRelease(major: 3, minor: 0, patch: 7)))
        let place = try #require(new.releasePlace)
        #expect(place.file == "rainbow_farm_bp/manifest.json")
        for (one, other) in zip(old.files, new.files) where one.path.hasSuffix("manifest.json") {
            let (one, other) = (try old.bytes(of: one), try new.bytes(of: other))
            #expect(PackRelease(of: one, at: place.keys) == PackRelease(major: 1, minor: 0, patch: 0))
            #expect(PackRelease(of: other, at: place.keys) == PackRelease(major: 3, minor: 0, patch: 7))
            let numbers = "[3, 0, 7]"
            let (before, after) = (String(decoding: one, as: UTF8.self), String(decoding: other, as: UTF8.self))
            #expect(after.replacing(numbers, with: "[1, 0, 0]") == before)
            #expect(after.ranges(of: numbers).count == 3)
        }
    }

    private struct Vector: Decodable {
        var author: String
        var id: String
        var root: String
        var bundle: String
        var role: String
        var expected: String
    }

    @Test("UUIDs follow from author, id, bundle and role")
    func uuids() throws {
        let data = try Data(contentsOf: Self.folder.appendingPathComponent("uuids.json"))
        let vectors = try JSONDecoder().decode([Vector].self, from: data)
        #expect(vectors.count == 4)
        for vector in vectors {
            var info = PackInfo(id: vector.id, name: "a", description: "b")
            info.author = vector.author
            let root = try info.identity(file: "a.inkpack")
            #expect("\(root)" == vector.root)
            let uuid = try NameUUID(namespace: root, name: "\(vector.bundle)/\(vector.role)")
            #expect("\(uuid)" == vector.expected)
            info.uuid = vector.root
            info.author = "somebody else"
            #expect(try info.identity(file: "a.inkpack") == root)
        }
        var info = Self.info()
        info.uuid = "no"
        #expect(throws: EngineError.self) { try info.identity(file: "a.inkpack") }
    }
}
