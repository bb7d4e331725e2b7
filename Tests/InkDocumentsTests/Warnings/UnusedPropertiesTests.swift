import InkTestSupport
import Testing

@testable import InkCodecs
@testable import InkDocuments
@testable import InkEngine

/// What a reader does not use of a thing is named, and nothing else.
@Suite struct UnusedPropertiesTests {
    private let known = UnreadProperties(
        of: "a layer", harmless: ["locked", "isolation=auto"], words: ["glow": "a glow"])

    private func node(_ text: String) throws -> XMLNode {
        try XMLNode.read(Array(text.utf8), "the text", place: Place(file: "f"))
    }

    private func lines(_ holders: [some PropertyHolder]) -> [String] {
        var warnings = Warnings()
        for (index, holder) in holders.enumerated() { warnings.addUnused(of: holder, known, at: "layer \(index + 1)") }
        return warnings.all.map(\.description)
    }

    @Test func anAttributeThatNobodyReadsIsNamedOnceWithACount() throws {
        let layer = try node(#"<layer name="a" locked="1" isolation="auto" glow="3" tilt="2" note=""/>"#)
        let other = try node(#"<layer name="b" isolation="isolate" glow="4"/>"#)
        _ = (layer.attributes["name"], other.attributes["name"])
        #expect(
            lines([layer, other]) == [
                "layer 1 and 1 more: left out: a glow", "layer 1: left out: the property \"tilt\" of a layer",
                "layer 2: left out: the property \"isolation\" of a layer",
            ])
    }

    @Test func elementsAndTextThatNobodyReadsAreNamed() throws {
        let text = "<layer>words<mask/><shade/><shade/></layer>"
        let layer = try node(text)
        _ = layer.child("mask")
        #expect(
            lines([layer]) == [
                "layer 1: left out: the property \"<shade>\" of a layer",
                "layer 1: left out: the property \"text\" of a layer",
            ])
        let whole = try node(text)
        _ = (whole.children, whole.text)
        #expect(lines([whole]).isEmpty)
    }

    @Test func keysOfAnObjectThatAreNotReadAreNamed() throws {
        let text = #"{"name": "a", "isolation": "auto", "tilt": 2, "none": null, "empty": [], "glow": {"by": 1}}"#
        let document = try JSONDocument(Array(text.utf8), file: "f", limits: Limits())
        #expect(
            lines([ReadObject(document.root, reading: ["name"])]) == [
                "layer 1: left out: the property \"tilt\" of a layer", "layer 1: left out: a glow",
            ])
        withExtendedLifetime(document) {}
    }

    @Test func namesAreShortAndTheirNumberIsBounded() throws {
        let attributes = (0..<300).map { "x\($0)='1'" }.joined(separator: " ")
        let layer = try node("<layer \(String(repeating: "y", count: 500))='1' \(attributes)/>")
        let found = lines([layer])
        #expect(found.count == 101)
        #expect(found[0].utf8.count < 120)
    }
}
