import InkJSON
import InkTestSupport
import Testing

@testable import InkDocuments
@testable import InkEngine

/// Pack files: what is read of them, and where what is wrong with them lies.
@Suite("Reading packs")
struct PackReaderTests {
    private static let parts = """
        "pictures": {"cow": {"file": "art/cow.png", "scaling": "pixel"}, "pig": "art/pig.png"},
        "colors": {"pink": "#ff6b9d", "dusk": ["pink", {"mode": "color-dodge", "color": "#123", "amount": 0.5}]},
        "effects": {"glow": {"layers": [{"picture": "art/glow.png", "mode": "softLight", "clip": true}]},
                    "tiny": {"values": {"scale": 0.5}}}
        """

    private static func text(_ more: String, _ parts: String = parts) -> String {
        #"{"version": "1.0", "id": "farm", \#(parts), \#(more)}"#
    }

    private static func pack(_ more: String, limits: Limits = Limits()) throws(EngineError) -> Pack {
        try PackReader.read(Array(text(more).utf8), file: "farm.inkpack", limits: limits)
    }

    private static func fault(_ text: String, limits: Limits = Limits()) -> String? {
        do throws(EngineError) {
            _ = try PackReader.read(Array(text.utf8), file: "p", limits: limits)
            return nil
        } catch {
            return error.description
        }
    }

    @Test("Names and descriptions follow from ids")
    func defaults() throws {
        let pack = try Self.pack(#""items": [{"id": "rainbow_cow", "base": "cow"}], "x-note": [1], "_a": 2"#)
        #expect(pack.info.name == "Farm" && pack.info.description == "Farm" && pack.info.release.description == "1.0.0")
        #expect(pack.items.map(\.name) == ["Rainbow Cow"])
        #expect(pack.pictures.map(\.file) == ["art/cow.png", "art/pig.png", "art/glow.png"])
        #expect(pack.pictures.map(\.scaling) == [.pixel, .smooth, .smooth])
    }

    @Test("An item's values are over those of its effects")
    func values() throws {
        let pack = try Self.pack(
            #""items": [{"id": "ab", "base": "cow", "effects": ["tiny"]}, {"id": "ac", "base": "cow", "effects": ["tiny"], "values": {"scale": 3}}]"#
        )
        #expect(pack.items.map { $0.values["scale"]?.value.number } == [0.5, 3])
        #expect(
            pack.items.map { $0.values["scale"]?.place } == ["effects.tiny.values.scale", "items[1].values.scale"])
    }

    @Test("A matrix gives all combinations, the base turning slowest")
    func matrix() throws {
        let pack = try Self.pack(
            #"""
            "matrix": {"base": ["cow", "art/red.fox.png"], "color": ["pink", "#Fa0"], "effects": [[], ["glow", "tiny"]],
             "id": "{effects}_{color}_{base}", "name": "{color}  {base}_{effects}", "values": {"scale": 2},
             "exclude": [{"base": "cow", "color": "#Fa0"}, {"effects": ["glow", "tiny"], "color": "pink"}]}
            """#)
        #expect(pack.items.map(\.id) == ["pink_cow", "pink_red", "fa0_red", "glow_tiny_fa0_red"])
        #expect(pack.items.map(\.name) == ["pink cow", "pink red", "Fa0 red", "Fa0 red glow tiny"])
        #expect(pack.items.map(\.base) == ["cow", "art/red.fox.png", "art/red.fox.png", "art/red.fox.png"])
        #expect(pack.items.allSatisfy { $0.values["scale"]?.value.number == 2 })
    }

    @Test("The items of a matrix are counted before any is made")
    func hugeMatrix() {
        let list = "[" + Array(repeating: #""cow""#, count: 3000).joined(separator: ",") + "]"
        let effects = "[" + Array(repeating: "[]", count: 3000).joined(separator: ",") + "]"
        let more = #""matrix": {"base": \#(list), "color": \#(list), "effects": \#(effects)}"#
        #expect(Self.fault(Self.text(more))?.contains("matrix: the number of items is 27000000000") == true)
    }

    /// What is wrong, and where.
    private static let wrong: [(place: String, text: String)] = [
        ("line 1", "{"), ("line 1", ##"{"id": "a", "id": "b"}"##), ("line 1", ##"{"id": NaN}"##),
        ("version", ##"{"version": "2.0", "id": "aa"}"##), ("id", ##"{"id": "A"}"##), ("id", ##"{}"##),
        ("items", text(##""items": []"##)), ("items", text(##""author": "me""##)),
        ("matrix.color", text(##""matrix": {"base": ["cow"], "color": "pink"}"##)),
        ("matrix.id", text(##""matrix": {"base": ["cow"], "id": "{what}"}"##)),
        ("matrix.id", text(##""matrix": {"base": ["cow"], "id": "9{base}"}"##)),
        ("matrix.id", text(##""matrix": {"base": ["cow", "cow"]}"##)),
        ("release", text(##""release": "1.02.0""##)), ("release", text(##""release": "0.0.0""##)),
        ("uuid", text(##""uuid": "5d0f9a2c""##)), ("name", text(##""name": "a\nb""##)),
        ("name", text(##""name": "\##(String(repeating: "a", count: 61))""##)),
        ("items[0].colour", text(##""items": [{"id": "aa", "base": "cow", "colour": "pink"}]"##)),
        ("items[0].color", text(##""items": [{"id": "aa", "base": "cow", "color": "pinc"}]"##)),
        ("items[0].color[1]", text(##""items": [{"id": "aa", "base": "cow", "color": ["pink", "#12345"]}]"##)),
        ("items[0].base", text(##""items": [{"id": "aa", "base": "cov"}]"##)),
        ("items[0].base", text(##""items": [{"id": "aa", "base": "../cow.png"}]"##)),
        ("items[0].id", text(##""items": [{"id": "aux", "base": "cow"}]"##)),
        ("items[0].id", text(##""items": [{"id": "a-b", "base": "cow"}]"##)),
        ("items[1].id", text(##""items": [{"id": "aa", "base": "cow"}, {"id": "aa", "base": "cow"}]"##)),
        ("items[0].effects[0]", text(##""items": [{"id": "aa", "base": "cow", "effects": ["glov"]}]"##)),
        ("items[0]", text(##""items": [{"id": "aa", "base": "cow", "color": [\##(steps(33))]}]"##)),
        ("icon", text(##""icon": "moo""##)),
        ("targets[0].bundle", text(##""targets": [{"target": "a", "bundle": "b"}]"##)),
        ("pictures.cow.file", ##"{"id": "aa", "pictures": {"cow": {"file": "/etc/hostname"}}}"##),
        ("pictures.cow", ##"{"id": "aa", "pictures": {"cow": "a/../b.png"}}"##),
        ("pictures.cow.scaling", ##"{"id": "aa", "pictures": {"cow": {"file": "a.png", "scaling": "pixels"}}}"##),
        ("colors.a", ##"{"id": "aa", "colors": {"a": ["b"], "b": ["a"]}}"##),
        ("colors.a", ##"{"id": "aa", "colors": {"a": {"color": "#fff", "gradient": ["#fff", "#000"]}}}"##),
        ("colors.a", ##"{"id": "aa", "colors": {"a": {"mode": "multiply"}}}"##),
        ("colors.a.gradient", ##"{"id": "aa", "colors": {"a": {"gradient": ["#fff"]}}}"##),
        ("colors.a.gradient[1]", ##"{"id": "aa", "colors": {"a": {"gradient": [[0.5, "#fff"], [0.4, "#000"]]}}}"##),
        ("colors.a.gradient[1]", ##"{"id": "aa", "colors": {"a": {"gradient": [[0.5, "#fff"], "#000"]}}}"##),
        ("colors.a.replace.#ff", ##"{"id": "aa", "colors": {"a": {"replace": {"#ff": "#000"}}}}"##),
        ("colors.a.amount", ##"{"id": "aa", "colors": {"a": {"color": "#fff", "amount": true}}}"##),
        (
            "effects.e.layers[0].mode",
            ##"{"id": "aa", "effects": {"e": {"layers": [{"picture": "a.png", "mode": "scren"}]}}}"##
        ),
        (
            "effects.e.layers[0].opacity",
            ##"{"id": "aa", "effects": {"e": {"layers": [{"picture": "a.png", "opacity": 1.5}]}}}"##
        ),
        (
            "effects.e.layers[0].place.rotation",
            ##"{"id": "aa", "effects": {"e": {"layers": [{"picture": "a.png", "place": {"rotation": "45"}}]}}}"##
        ),
        (
            "effects.e.layers[0].place.width",
            ##"{"id": "aa", "effects": {"e": {"layers": [{"picture": "a.png", "place": {"width": 0}}]}}}"##
        ),
    ]

    private static func steps(_ count: Int) -> String {
        Array(repeating: ##""#fff""##, count: count).joined(separator: ",")
    }

    @Test("What is wrong is an error at its place", arguments: wrong.indices)
    func places(index: Int) throws {
        let (place, text) = Self.wrong[index]
        let fault = try #require(Self.fault(text), "\(text)")
        #expect(fault.hasPrefix("p: \(place)"), "\(fault)")
    }

    @Test("Colours that name others cannot grow without bounds")
    func growingColors() {
        let colors = (1..<40).map { #""c\#($0)": ["c\#($0 - 1)", "c\#($0 - 1)"]"# }.joined(separator: ",")
        let fault = Self.fault(##"{"id": "aa", "colors": {"c0": "#fff", \##(colors)}}"##)
        #expect(fault?.contains("the limit is 32") == true, "\(fault ?? "")")
    }

    @Test("Limits are kept")
    func limits() {
        var limits = Limits()
        limits.packBytes = 10
        #expect(Self.fault(Self.text(#""items": []"#), limits: limits)?.contains("10") == true)
        limits = Limits()
        limits.packPictures = 2
        #expect(Self.fault(Self.text(#""items": []"#), limits: limits)?.contains("number of pictures") == true)
        limits = Limits()
        limits.packItems = 1
        let two = Self.text(#""items": [{"id": "aa", "base": "cow"}, {"id": "ab", "base": "cow"}]"#)
        #expect(Self.fault(two, limits: limits)?.hasPrefix("p: items: the number of items is 2") == true)
    }

    @Test("Damaged packs are errors, never crashes", arguments: UInt64(0)..<40)
    func damaged(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let whole = Array(
            Self.text(
                ##""items": [{"id": "aa", "base": "cow", "color": ["dusk", {"gradient": ["#fff", "#000"], "angle": 30}], "effects": ["glow"]}], "matrix": {"base": ["pig"], "color": ["pink"], "id": "{base}_{color}"}"##
            ).utf8)
        for _ in 0..<50 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: bytes.indices, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.remove(at: place)
                default: bytes.insert(Array(#"{}[]",:0-"#.utf8).randomElement(using: &random) ?? 0, at: place)
                }
            }
            // Whether a change is an error depends on what it changes.
            if let pack = try? PackReader.read(bytes, file: "p", limits: Limits()) { #expect(!pack.items.isEmpty) }
        }
    }
}
