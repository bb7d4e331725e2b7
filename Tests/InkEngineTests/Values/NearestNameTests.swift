import Testing

@testable import InkEngine

@Suite struct NearestNameTests {
    private static let commands = ["export", "inspect", "import", "submit", "status", "wait", "cancel", "worker"]
    private static let keys = [
        "id", "name", "order", "isVisible", "opacity", "blendMode", "maskImage", "color", "spacing",
    ]

    @Test(
        "A misspelt name finds the one that was meant",
        arguments: [
            ("exprot", "export"), ("exports", "export"), ("stauts", "status"), ("stat", "status"), ("canel", "cancel"),
            ("Worker", "worker"), ("submti", "submit"),
        ])
    func misspelt(typed: String, meant: String) {
        #expect(nearestName(to: typed, among: Self.commands) == meant)
    }

    @Test(
        "A key in another spelling or cut short finds its key",
        arguments: [
            ("colour", "color"), ("blendmode", "blendMode"), ("blend_mode", "blendMode"), ("visible", "isVisible"),
            ("mask", "maskImage"), ("spacings", "spacing"), ("Opacity", "opacity"), ("opactiy", "opacity"),
        ])
    func keys(typed: String, meant: String) {
        #expect(nearestName(to: typed, among: Self.keys) == meant)
    }

    @Test("Brush types and blend modes are found without case and hyphens")
    func formatNames() {
        let types = BrushType.allCases.map(\.rawValue)
        let modes = BlendMode.allCases.map(\.rawValue)
        #expect(nearestName(to: "cross-hatch", among: types) == "crossHatch")
        #expect(nearestName(to: "dot", among: types) == "dots")
        #expect(nearestName(to: "hatch", among: types) == "crossHatch")
        #expect(nearestName(to: "colourBurn", among: modes) == "colorBurn")
        #expect(nearestName(to: "COLOR_DODGE", among: modes) == "colorDodge")
    }

    @Test("What is like no name finds none", arguments: ["", "-", "x", "zebra", "metronome", "ex", "ixport-all-of-it"])
    func nothingNear(typed: String) {
        #expect(nearestName(to: typed, among: Self.commands) == nil)
    }

    @Test("The nearest counts, of equals the first; text of any length and kind is taken")
    func choice() {
        #expect(nearestName(to: "coat", among: ["boot", "coats", "cost"]) == "coats")
        #expect(nearestName(to: "coat", among: ["boat", "goat"]) == "boat")
        #expect(nearestName(to: "Hímmel", among: ["Himmel", "Meer"]) == "Himmel")
        #expect(nearestName(to: "空の雲", among: ["空の影", "海"]) == "空の影")
        let long = String(repeating: "a", count: 1_000_000)
        #expect(nearestName(to: long, among: [long]) == nil)
        #expect(nearestName(to: "a", among: [long]) == nil)
    }
}
