@testable import InkEngine
import InkTestSupport
import Testing

@testable import InkCodecs

extension DrawnDocumentTests {
    private func krita(_ layers: String, _ files: [(String, [UInt8])], background: String = "") -> [UInt8] {
        let text = """
            <DOC xmlns="http://www.calligra.org/DTD/krita"><IMAGE name="K" width="128" height="64" colorspacename="RGBA">
            <layers>\(layers)</layers>\(background)</IMAGE></DOC>
            """
        return archive(
            [("mimetype", Array("application/x-krita".utf8)), ("maindoc.xml", Array(text.utf8))]
                + files.map { ("K/layers/\($0.0)", $0.1) })
    }

    private func tiles(_ places: [(x: Int, y: Int)], _ pixel: [UInt8]) -> [UInt8] {
        var bytes = Array(
            "VERSION 2\nTILEWIDTH 64\nTILEHEIGHT 64\nPIXELSIZE \(pixel.count)\nDATA \(places.count)\n".utf8)
        for place in places {
            bytes += Array("\(place.x),\(place.y),LZF,\(1 + 4096 * pixel.count)\n".utf8) + [0]
            // Tiles that are not packed have pixel after pixel.
            for _ in 0..<4096 { bytes += pixel }
        }
        return bytes
    }

    private static let fill = """
        <layer name="Fill" nodetype="generatorlayer" generatorname="color" filename="f" compositeop="normal" opacity="255"
        visible="1" x="0" y="0" channelflags=""/>
        """
    private static let settings = Array(
        "<params><param name=\"color\">&lt;color>&lt;RGB r=\"1\" g=\"0\" b=\"0\"/>&lt;/color></param></params>".utf8)

    @Test("A fill layer of Krita fills its selection alone", arguments: [0, 255])
    func fillSelection(outside: UInt8) throws {
        let file = krita(
            Self.fill,
            [
                ("f.filterconfig", Self.settings),
                ("f.pixelselection", tiles([(0, 0)], [outside == 0 ? 255 : 0])),
                ("f.pixelselection.defaultpixel", [outside]),
            ])
        let found = try pixels(of: file, "a.kra")
        #expect(found.warnings.isEmpty)
        let (inside, beyond) = (found.pixels[30 * 128 + 30], found.pixels[30 * 128 + 100])
        #expect(isNear(inside, outside == 0 ? Self.red : Self.clear), "\(inside)")
        #expect(isNear(beyond, outside == 0 ? Self.clear : Self.red), "\(beyond)")
    }

    @Test func aFillLayerOfKritaWithoutASelectionFillsAll() throws {
        let found = try pixels(of: krita(Self.fill, [("f.filterconfig", Self.settings)]), "a.kra")
        #expect(found.pixels.allSatisfy { isNear($0, Self.red) })
    }

    @Test func theColourBelowAllLayersOfKritaIsDrawn() throws {
        let file = krita("", [], background: "<ProjectionBackgroundColor ColorData=\"AAD//w==\"/>")
        let found = try pixels(of: file, "a.kra")
        #expect(isNear(found.pixels[0], Self.red) && found.warnings.isEmpty)
    }

    @Test func anErasingLayerOfKritaErases() throws {
        let layer = """
            <layer name="E" nodetype="paintlayer" colorspacename="RGBA" filename="e" compositeop="erase" opacity="255" tint="2"/>
            """
        let file = krita(
            layer + Self.fill, [("f.filterconfig", Self.settings), ("e", tiles([(64, 0)], [0, 0, 0, 255]))])
        let found = try pixels(of: file, "a.kra")
        #expect(found.warnings == ["E: left out: the property \"tint\" of a layer"])
        #expect(isNear(found.pixels[0], Self.red) && isNear(found.pixels[100], Self.clear))
    }
}
