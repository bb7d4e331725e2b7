import InkEngine
import InkJSON

/// What is to lie over the documents of a submission.
struct SubmittedMarks: Sendable {
    /// A picture.
    var watermark: SubmittedDocument?
    /// A file of overlays; the files that it names are where `pictures` are.
    var overlay: SubmittedDocument?
    var pictures: [SubmittedDocument] = []

    init() {}

    /// An error's text with the names of files that were sent in place of the paths where they lie.
    func renamed(_ text: String) -> String {
        var text = text
        for file in [watermark, overlay].compactMap(\.self) + pictures {
            text = text.replacing(file.path, with: file.name)
        }
        return text
    }

    /// The largest file of overlays, bytes.
    private static let overlayBytesMax = 1 << 19
    /// Overlays in a file.
    private static let overlaysMax = 64

    /// A file of overlays with the places of pictures that were sent in place of their names. What else is wrong with it
    /// is left to its reader.
    ///
    /// - Throws: 400 for what is no JSON; 422 if it names a file that was not sent, or a font: a broker parses none that
    ///   come from clients.
    static func located(
        _ overlay: SubmittedDocument, _ pictures: [SubmittedDocument]
    ) throws(Problem) -> JSONValue {
        let bytes: [UInt8]
        do throws(EngineError) { bytes = try InputFile.read(path: overlay.path, limitBytes: overlayBytesMax) } catch {
            throw .unprocessable("\(error)".replacing(overlay.path, with: overlay.name))
        }
        let document: JSONValue
        do throws(JSONReader.Failure) { document = try JSONReader.read(bytes) } catch {
            throw .malformed("overlay is not JSON: \(error.reason) at byte \(error.offset)")
        }
        var paths: [String: String] = [:]
        for picture in pictures where paths.updateValue(picture.path, forKey: picture.name) != nil {
            throw .malformed("there are two parts overlay-picture named \"\(picture.name)\"")
        }
        func refusal(_ place: String, _ reason: String) -> Problem {
            .unprocessable("\(overlay.name): \(place): \(reason)")
        }
        let noFonts = "fonts are not taken here; texts are set in DejaVu Sans"
        func located(_ value: JSONValue, _ place: String) throws(Problem) -> JSONValue {
            guard case .object(var members) = value else { return value }
            for (index, (key, value)) in members.enumerated() {
                switch (key, value) {
                case ("file", .string(let name)):
                    guard let path = paths[name] else {
                        throw refusal("\(place).file", "\"\(name)\" was not sent as a part overlay-picture")
                    }
                    members[index].1 = .string(path)
                case ("font", .object(let font)):
                    guard !font.contains(where: { $0.0 == "file" }) else {
                        throw refusal("\(place).font.file", noFonts)
                    }
                default: break
                }
            }
            return .object(members)
        }
        guard case .object(var members) = document else { return document }
        for (index, (key, value)) in members.enumerated() {
            switch (key, value) {
            case ("fonts", .array(let fonts)) where fonts.isEmpty: break
            case ("fonts", .null): break
            case ("fonts", _): throw refusal("fonts", noFonts)
            case ("overlays", .array(var items)):
                guard items.count <= overlaysMax else {
                    throw refusal("overlays", "there are \(items.count), at most \(overlaysMax) are possible")
                }
                for item in items.indices { items[item] = try located(items[item], "overlays[\(item)]") }
                members[index].1 = .array(items)
            default: break
            }
        }
        return .object(members)
    }
}
