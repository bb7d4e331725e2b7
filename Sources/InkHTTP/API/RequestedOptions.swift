package import InkExports
package import InkJSON

/// The options of pictures in a request.
package struct RequestedOptions: Sendable {
    package private(set) var choices = PictureChoices()
    /// Where they are in the request, before their names in errors.
    private var place = ""

    package init() {}

    /// From a JSON object.
    ///
    /// - Parameter others: further options of the command line, which are refused by name.
    /// - Throws: 400 for what is no option or no value of it; 422 for a value that cannot be.
    package init(_ json: JSONValue, others: Set<String>) throws(Problem) {
        place = "options."
        guard let members = json.members else {
            throw .malformed("options: not an object, as in {\"size\": [\"2k\"]}")
        }
        var values: [(PictureOption, PictureOption.Value)] = []
        for (name, json) in members {
            let option = try Self.option(name, others)
            if option.kind == .flag, case .bool(false) = json { continue }
            guard let value = option.value(of: json) else {
                throw .malformed("options.\(name): not \(option.expected)")
            }
            values.append((option, value))
        }
        try choose(values)
    }

    /// From the parameters of an address.
    ///
    /// - Parameter others: further options of the command line, which are refused by name.
    /// - Throws: 400 for what is no option or no value of it; 422 for a value that cannot be.
    package init(_ query: [(name: String, value: String)], others: Set<String>) throws(Problem) {
        var texts: [String: [String]] = [:]
        for (name, text) in query {
            let option = try Self.option(name, others)
            guard !text.utf8.contains(0) else { throw .malformed("\(name): contains a NUL character") }
            if option.kind == .flag {
                guard text == "true" || text == "false" else { throw .malformed("\(name): not \(option.expected)") }
                if text == "false" { continue }
            }
            texts[name, default: []].append(text)
        }
        var values: [(PictureOption, PictureOption.Value)] = []
        for option in PictureOption.all {
            guard let texts = texts[option.name] else { continue }
            do throws(ExportError) { values.append((option, try option.value(of: texts))) } catch {
                throw .malformed(inRequest(error.description))
            }
        }
        try choose(values)
    }

    private mutating func choose(_ values: [(PictureOption, PictureOption.Value)]) throws(Problem) {
        do throws(ExportError) { choices = try PictureChoices(values) } catch {
            throw .unprocessable(inRequest(error.description))
        }
    }

    /// An error's text with the names that options have in the request.
    func inRequest(_ text: String) -> String {
        PictureOption.inRequest(text.replacing("--shared", with: "paths"), place: place)
    }

    private static func option(_ name: String, _ others: Set<String>) throws(Problem) -> PictureOption {
        let all = PictureOption.all.filter(\.isOfRequests)
        if let option = all.first(where: { $0.name == name }) { return option }
        if DocumentForm.partNames.contains(name) {
            throw .malformed("\(name) is a part of a form (multipart/form-data), not an option")
        }
        throw others.contains(name)
            ? .malformed("HTTP does not take the option \(name); use ink export --\(name)")
            : .malformed(
                "there is no option \"\(name.prefix(64))\"; there are \(all.map(\.name).joined(separator: ", "))")
    }
}
