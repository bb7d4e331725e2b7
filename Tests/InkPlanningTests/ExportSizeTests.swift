import InkPlanning
import InkEngine
import Testing

@Suite struct ExportSizeTests {
    private let place = Place(file: "a.ink")

    @Test(arguments: [
        ("2k", 2048, 1536, 2048, 1536), ("2k", 1000, 500, 2048, 1024), ("4k", 1080, 1920, 2304, 4096),
        ("8k", 10, 10, 8192, 8192), ("1080p", 1600, 900, 1920, 1080), ("2K", 3, 1, 2048, 683),
        ("2x", 300, 200, 600, 400), ("0.5x", 301, 199, 151, 100), ("1x", 7, 9, 7, 9), ("0.001x", 10, 10, 1, 1),
        ("1920x1080", 2048, 2048, 1080, 1080), ("100x100", 200, 3, 100, 2), ("100x100", 3, 200, 2, 100),
        // Halves, but not in binary fractions.
        ("0.29x", 50, 100, 15, 29), ("0.57x", 50, 100, 29, 57), ("1.005x", 100, 100, 101, 101),
        ("300dpi", 842, 595, 3508, 2479), ("72dpi", 7, 9, 7, 9),
        ("50x50", 4000, 1, 50, 1), ("2k", 65_536, 1, 2048, 1), ("512x512", 64, 32, 512, 256),
    ])
    func givesTheOutputSize(text: String, width: Int, height: Int, outputWidth: Int, outputHeight: Int) throws {
        let size = try #require(ExportSize(text))
        let output = try size.outputSize(
            canvas: CanvasSize(PixelSize(width: width, height: height)), limits: Limits(), place: place)
        #expect(output == PixelSize(width: outputWidth, height: outputHeight))
    }

    @Test(arguments: [
        "", "k", "3k", "x", "0x", "-1x", "1e3x", "0x0", "0x5", "5x0", "1x2x3", "+2x", "2.x", ".5x", "nanx", "1080",
        "99999999999x1", " 2k", "1.2.3x",
        "dpi", "0dpi", "-1dpi", "1e3dpi", "300 dpi", "0.5dpi", "1000000dpi",
    ])
    func refusesOtherText(text: String) {
        #expect(ExportSize(text) == nil)
    }

    @Test(arguments: ["100000x", "70000x70000", "99999999999999999999x"])
    func refusesAnOutputOverTheLimits(text: String) throws {
        let size = try #require(ExportSize(text))
        #expect(throws: EngineError.self) {
            try size.outputSize(
                canvas: CanvasSize(PixelSize(width: 1000, height: 1000)), limits: Limits(), place: place)
        }
    }

    @Test func limitsTheAreaToo() throws {
        var limits = Limits()
        limits.outputPixels = 99
        #expect(throws: EngineError.self) {
            try ExportSize.fit(PixelSize(width: 10, height: 10))
                .outputSize(canvas: CanvasSize(PixelSize(width: 5, height: 5)), limits: limits, place: place)
        }
    }

    @Test(arguments: ["2k", "1080p", "0.5x", "1920x1080"])
    func hasTheNameThatWasAskedFor(text: String) throws {
        #expect(try #require(ExportSize(text)).name == text)
    }
}
