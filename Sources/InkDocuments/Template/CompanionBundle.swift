import InkCodecs
import InkEngine

/// A template in a folder that somebody else opens.
final class CompanionBundle: TemplateBundle {
    private let companions: any CompanionFiles

    init(_ companions: any CompanionFiles) { self.companions = companions }

    func read(_ path: BundlePath, limitBytes: Int) throws(EngineError) -> [UInt8]? {
        // No file has a longer path.
        guard let name = CompanionName(.folderFile, utf8: Array(path.text.utf8)) else { return nil }
        guard let answer = try companions.answer(to: name, limitBytes: limitBytes) else {
            // Until it is known, a pixel stands for a picture, so that all others are asked for too.
            return name == .manifest ? nil : try WholePNG.pixel()
        }
        return answer.bytes
    }

    /// Readers need no list of a template's files.
    func names(limits: Limits) -> [String] { [] }
}

extension WholePNG {
    /// A picture of one pixel, in place of one that is not there.
    static func pixel() throws(EngineError) -> [UInt8] {
        try encode(samples: [255], size: PixelSize(width: 1, height: 1))
    }
}
