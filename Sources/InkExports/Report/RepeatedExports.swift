import InkBroker
import InkEngine
import InkJSON
import InkPlanning
import InkSystem

/// The exports of an earlier run to repeat, from its report.
package struct RepeatedExports: Sendable {
    fileprivate struct Key: Hashable {
        var input: Int
        var size: String
        var layer: Int?
        var viewport: Int?
        var file: Int
    }

    /// The options of that run by name, with paths resolved against its folder.
    package let options: [String: [String]]
    /// Each input once, in the report's order.
    package let inputs: [ExportInput]
    /// Inputs that could not be planned; they are exported completely.
    private let whole: Set<Int>
    private let outputs: [Key: String]
    /// Whether exports of the report are left out.
    let isPart: Bool

    /// - Parameters:
    ///   - onlyFailed: leave out what was done, or was up to date.
    ///   - isOption: whether an option of the report can be used again.
    /// - Throws: `configuration` if the file is not a report, `engine` if it cannot be read.
    package init(path: String, onlyFailed: Bool, isOption: (String) -> Bool) throws(ExportError) {
        let report = try ExportReport.read(path, refusing: .configuration)
        guard report["format"]?.string == "ink-export-report",
            report["version"]?.integer == ExportReport.formatVersion, let folder = report["folder"]?.string,
            let exports = report["exports"]?.array, let written = report["options"]?.members
        else {
            throw .configuration("\(path): not a report of ink export, version \(ExportReport.formatVersion)")
        }
        let isHere = folder == FileSystem.currentFolder()
        func resolve(_ path: String) -> String {
            isHere || path.hasPrefix("/") || path == "-" ? path : folder.appendingPath(path)
        }
        var values: [String: [String]] = [:]
        for (name, value) in written {
            let texts = (value.array ?? []).compactMap(\.string)
            guard isOption(name) else {
                throw .configuration("\(path): options.\(name) is not an option of ink export")
            }
            guard texts.count == value.array?.count else {
                throw .configuration("\(path): options.\(name) must be a list of texts")
            }
            values[name] = Self.pathOptions.contains(name) ? texts.map(resolve) : texts
        }
        options = values

        var inputs: [ExportInput] = []
        var indices: [ExportInput: Int] = [:]
        var whole: Set<Int> = []
        var outputs: [Key: String] = [:]
        var isPart = false
        for (index, export) in exports.enumerated() {
            guard let state = export["state"]?.string.flatMap(ExportState.init(rawValue:)),
                let input = export["input"]?.string, let tree = export["tree"]?.array?.map(\.string),
                !tree.contains(nil)
            else { throw .configuration("\(path): exports[\(index)] is not an export") }
            if onlyFailed, state == .done || state == .skipped {
                isPart = true
                continue
            }
            guard input != "-" else {
                throw .usage("\(path): exports[\(index)] came from standard input and cannot be repeated")
            }
            let found = ExportInput(path: resolve(input), tree: tree.compactMap { $0 })
            let position = indices[found] ?? inputs.count
            if position == inputs.count {
                indices[found] = position
                inputs.append(found)
            }
            if let output = export["output"]?.string, let size = export["size"]?.string {
                let key = Key(
                    input: position, size: size, layer: export["layer"]?.integer,
                    viewport: export["viewport"]?.integer, file: export["file"]?.integer ?? 0)
                outputs[key] = resolve(output)
            } else {
                whole.insert(position)
            }
        }
        self.inputs = inputs
        self.whole = whole
        self.outputs = outputs
        self.isPart = isPart
    }

    /// Options whose values are paths.
    private static let pathOptions: Set<String> = ["output", "presets", "limits", "overlay", "font", "pdf-book"]

    /// Whether to repeat a picture.
    func contains(_ picture: PlannedPicture) -> Bool {
        whole.contains(picture.input) || output(of: picture) != nil
    }

    /// The path that the earlier run wrote.
    func output(of picture: PlannedPicture) -> String? {
        outputs[Key(picture)]
    }

    /// Pictures missing from the new plan, as failures.
    func records(missingIn plan: ExportPlan) -> [ExportRecord] {
        let planned = Set(plan.pictures.map(Key.init))
        let missing = outputs.filter { !planned.contains($0.key) }
        return missing.sorted { ($0.key.input, $0.value) < ($1.key.input, $1.value) }.map { key, output in
            let input = inputs[key.input]
            var record = ExportRecord(
                input: input,
                failure: PictureFailure(
                    kind: .badInput,
                    reason:
                        "\(input.shownName): \(output) cannot be rendered again: its layer or viewport is gone or hidden"
                ))
            record.output = output
            record.size = ExportSize(key.size)
            record.layer = key.layer
            record.viewport = key.viewport
            record.file = key.file
            return record
        }
    }
}

extension RepeatedExports.Key {
    fileprivate init(_ picture: PlannedPicture) {
        self.init(
            input: picture.input, size: picture.size.name, layer: picture.layer?.index,
            viewport: picture.viewport, file: picture.file)
    }
}
