import InkTestSupport
import Testing

@testable import InkCodecs
@testable import InkEngine

@Suite("Metadata that formats share")
struct MetadataTests {
    @Test("Text in XML keeps what XML has a form for, and leaves the rest out")
    func xmlText() {
        #expect("a<b>&\"c\"\u{1}\n\u{FFFE}\u{7F}\u{1F600}é".xmlEscaped == "a&lt;b&gt;&amp;&quot;c&quot;&#10;\u{1F600}é")
    }

    @Test(arguments: [
        ("2026-05-04T10:20:30+02:00", "2026:05:04 10:20:30", "2026-05-04T10:20:30+02:00", "D:20260504102030+02'00'"),
        ("2026-05-04T10:20:30.25Z", "2026:05:04 10:20:30", "2026-05-04T10:20:30+00:00", "D:20260504102030+00'00'"),
        ("2026-05-04 10:20", "2026:05:04 10:20:00", "2026-05-04T10:20:00", "D:20260504102000"),
        ("2026-05-04", "2026:05:04 00:00:00", "2026-05-04T00:00:00", "D:20260504000000"),
        (
            "Mon, 04 May 2026 10:20:30 GMT", "2026:05:04 10:20:30", "2026-05-04T10:20:30+00:00",
            "D:20260504102030+00'00'"
        ),
        ("4 May 2026 10:20 -0730", "2026:05:04 10:20:00", "2026-05-04T10:20:00-07:30", "D:20260504102000-07'30'"),
    ])
    func datesHaveTheFormOfEachFormat(text: String, exif: String, xmp: String, pdf: String) throws {
        let date = try #require(PictureDate(text))
        #expect(date.exif == exif && date.xmp == xmp && date.pdf == pdf)
    }

    @Test(arguments: [
        "", "yesterday", "2026-13-01", "2026-05-04T25:00:00Z", "2026-05-04T10:20:30Z and more", "04/05/2026",
    ])
    func whatIsNoDateIsNone(text: String) { #expect(PictureDate(text) == nil) }

    @Test func nothingToSayIsNoPacket() {
        #expect(XMPPacket.make(PictureDescription(dotsPerInch: 300, hasProfile: true)) == nil)
        #expect(XMPPacket.make(PictureDescription(text: [PictureText(.title, "\u{0}")])) == nil)
        #expect(ExifData.make(PictureDescription(dotsPerInch: 300), PixelSize(width: 1, height: 1)) == nil)
    }

    @Test func aPacketIsCutToWhatItMayHave() throws {
        let description = PictureDescription(text: [PictureText(.author, String(repeating: "&", count: 30_000))])
        let packet = try #require(XMPPacket.make(description, byteCountMax: 5_000))
        #expect(packet.count <= 5_000 && packet.count > 2_500)
    }

    /// By Little CMS, which converts from it as from its own sRGB.
    @Test func theProfileIsSRGB() throws {
        let conversion = try #require(ColorConversion(profile: SRGBProfile.bytes, StoredPixels(colors: .rgb)))
        var random = SeededGenerator(seed: 4)
        let row =
            (0..<256).flatMap { [UInt8($0), UInt8($0), UInt8($0)] }
            + (0..<3000).map { _ in UInt8.random(in: 0...255, using: &random) }
        var converted = [UInt8](repeating: 0, count: row.count)
        converted.withUnsafeMutableBufferPointer {
            conversion.convert(row, into: $0.baseAddress!, width: row.count / 3)
        }
        #expect(zip(row, converted).allSatisfy { abs(Int($0) - Int($1)) <= 1 })
    }
}
