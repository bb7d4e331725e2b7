package import InkBroker
package import InkEngine
import InkSystem

/// What planning needs to know of a project that has been read.
package struct ProjectOutline: Hashable, Sendable {
    package struct LayerOutline: Hashable, Sendable {
        package var id: String
        package var name: String
        package var isVisible: Bool
    }

    package var id: String
    package var title: String
    /// In file order.
    package var layers: [LayerOutline]

    package init(id: String, title: String, layers: [LayerOutline]) {
        self.id = id
        self.title = title
        self.layers = layers
    }

    package init(_ project: Project) {
        id = project.id
        title = project.name
        layers = project.layers.map { LayerOutline(id: $0.id, name: $0.name, isVisible: $0.isVisible) }
    }

    /// - Throws: `badInput` when no picture would come of a project of which each visible layer is wanted.
    func check(_ choice: LayerChoice, file: String) throws(EngineError) {
        guard choice == .each, !layers.contains(where: \.isVisible) else { return }
        throw .badInput(
            Place(file: file), reason: "no layer is visible for --each-layer")
    }
}

/// A layer that gets its own picture.
package struct ChosenLayer: Hashable, Sendable {
    /// In its file.
    package var index: Int
    /// As planned; the project may have changed when it is read again.
    package var outline: ProjectOutline.LayerOutline
}

/// One picture that is to be made.
package struct PlannedPicture: Hashable, Sendable {
    /// Index of the input.
    package var input: Int
    package var size: ExportSize
    /// With `--each-layer`: which one.
    package var layer: ChosenLayer?
    /// Path of the picture.
    package var output: String
}

/// Which pictures come out of which inputs, and where they go; pure but for the questions that are passed in.
package struct ExportPlan: Sendable {
    /// Ordered by input, then layer from the bottom up in file order, then size.
    package private(set) var pictures: [PlannedPicture]

    /// Whether names or pictures can only be known when the projects have been read.
    static func needsOutlines(_ arguments: ExportArguments) -> Bool {
        arguments.name.needsProject || arguments.layers == .each
    }

    /// - Parameters:
    ///   - outlines: by input; needed for all inputs when `needsOutlines`. An input without one is left out then (it
    ///     could not be read).
    ///   - resolve: one spelling for all paths to one place; nil: no file gets these names.
    /// - Throws: `usage` when two pictures would get one name, a picture would replace an input, or several pictures
    ///   would go into one file.
    package init(
        inputs: [ExportInput], outlines: [Int: ProjectOutline], arguments: ExportArguments,
        resolve: ((String) -> String)?
    ) throws(ExportError) {
        pictures = []
        let outputFile = arguments.outputFile
        for (index, input) in inputs.enumerated() {
            let outline = outlines[index]
            if Self.needsOutlines(arguments), outline == nil { continue }
            for layer in Self.layers(arguments.layers, outline) {
                for size in arguments.sizes {
                    let number = pictures.count + 1
                    let name = try arguments.name.fill { placeholder in
                        Self.value(
                            of: placeholder, input: input, outline: outline, size: size, layer: layer, number: number)
                    }
                    let output = outputFile ?? Self.place(name, of: input, output: arguments.output)
                    pictures.append(PlannedPicture(input: index, size: size, layer: layer, output: output))
                }
            }
        }
        if let outputFile, pictures.count > 1 {
            throw .usage("\(outputFile) is one file, but there are \(pictures.count) pictures; name a folder")
        }
        if let resolve { try refuseCollisions(inputs, resolve) }
    }

    /// The same plan with the outputs that `output` gives; nil keeps a picture's own, and one for which `isWanted` does
    /// not hold is left out.
    ///
    /// - Throws: `usage` when these outputs are each other's or an input's.
    func repeating(
        _ isWanted: (PlannedPicture) -> Bool, of inputs: [ExportInput], resolve: (String) -> String,
        output: (PlannedPicture) -> String?
    ) throws(ExportError) -> ExportPlan {
        var plan = self
        plan.pictures = pictures.filter(isWanted).map { picture in
            var picture = picture
            picture.output = output(picture) ?? picture.output
            return picture
        }
        try plan.refuseCollisions(inputs, resolve)
        return plan
    }

    /// With `-1`, `-2`, ... behind the names of files that exist.
    ///
    /// - Parameter resolve: one spelling for all paths to one place.
    mutating func avoidExisting(resolve: (String) -> String, _ exists: (String) -> Bool) {
        var taken = Set(pictures.map { FilePlace(resolved: resolve($0.output)) })
        for index in pictures.indices where exists(pictures[index].output) {
            let output = pictures[index].output
            let ending = output[(output.lastIndex(of: ".") ?? output.endIndex)...]
            let stem = output.dropLast(ending.count)
            var number = 1
            var candidate = "\(stem)-\(number)\(ending)"
            while exists(candidate) || taken.contains(FilePlace(resolved: resolve(candidate))) {
                number += 1
                candidate = "\(stem)-\(number)\(ending)"
            }
            taken.insert(FilePlace(resolved: resolve(candidate)))
            pictures[index].output = candidate
        }
    }

    private static func layers(_ choice: LayerChoice, _ outline: ProjectOutline?) -> [ChosenLayer?] {
        guard choice == .each, let outline else { return [nil] }
        return outline.layers.enumerated().filter(\.element.isVisible)
            .map { ChosenLayer(index: $0.offset, outline: $0.element) }
    }

    private static func value(
        of placeholder: NamePlaceholder, input: ExportInput, outline: ProjectOutline?, size: ExportSize,
        layer: ChosenLayer?, number: Int
    ) -> String {
        switch placeholder {
        case .name: return input.stem
        case .dir: return input.folderName
        case .size: return size.name
        case .number: return String(number)
        case .title: return outline?.title ?? ""
        case .id: return outline?.id ?? ""
        case .layer:
            guard let found = layer?.outline else { return "" }
            return found.name.isEmpty ? found.id : found.name
        }
    }

    private static func place(_ name: String, of input: ExportInput, output: String?) -> String {
        guard let output else { return input.folder.appendingPath(name) }
        return input.tree.reduce(output) { $0.appendingPath($1) }.appendingPath(name)
    }

    private func refuseCollisions(_ inputs: [ExportInput], _ resolve: (String) -> String) throws(ExportError) {
        var readFrom: [FilePlace: String] = [:]
        var templates: [(place: FilePlace, path: String)] = []
        for input in inputs where !input.isStandardInput {
            let place = FilePlace(resolved: resolve(input.path))
            readFrom[place] = input.path
            if input.isTemplateFolder { templates.append((place, input.path)) }
        }
        var writtenBy: [FilePlace: Int] = [:]
        for (index, picture) in pictures.enumerated() {
            let place = FilePlace(resolved: resolve(picture.output))
            if let other = writtenBy.updateValue(index, forKey: place) {
                let first = inputs[pictures[other].input].shownName
                let second = inputs[picture.input].shownName
                let names = first == second ? "two pictures of \(first)" : "\(first) and \(second)"
                throw .usage("\(picture.output) would be the name of \(names) (see --name)")
            }
            if let input = readFrom[place] { throw .usage("\(picture.output) would replace the input \(input)") }
            // A template may get a new preview; its other pictures are input.
            if let template = templates.first(where: { place.isInside($0.place) }),
                !place.isName("preview.png", in: template.place)
            {
                throw .usage("\(picture.output) lies inside the input \(template.path)")
            }
        }
    }
}

extension LayerChoice {
    /// The indices of the layers that a picture draws, ascending; nil for all visible ones.
    /// - Throws: `usage` when a name is unknown in this project, `engine` when it has become another.
    package func drawnLayers(
        of outline: ProjectOutline, layer: ChosenLayer?, file: String
    ) throws(ExportError) -> [Int]? {
        if let layer {
            guard outline.layers.indices.contains(layer.index), outline.layers[layer.index] == layer.outline else {
                throw .engine(
                    .badInput(
                        Place(file: file, path: "layers[\(layer.index)]"),
                        reason: "the layer has changed since the run was planned; export the project again"))
            }
            return [layer.index]
        }
        guard case .named(let names) = self else { return nil }
        var drawn: Set<Int> = []
        for name in names {
            // An id is one layer's; a name may be that of several, which are all meant.
            let byID = outline.layers.indices.filter { outline.layers[$0].id == name }
            let matching = byID.isEmpty ? outline.layers.indices.filter { outline.layers[$0].name == name } : byID
            guard !matching.isEmpty else {
                let known = outline.layers.prefix(20).map { "\"\($0.name.isEmpty ? $0.id : $0.name)\"" }
                let list = known.isEmpty ? "it has no layers" : "there are " + known.joined(separator: ", ")
                let meant = didYouMean(name, among: outline.layers.flatMap { [$0.name, $0.id] })
                throw .usage(
                    "\(file): no layer \"\(name)\"\(meant); \(list)\(outline.layers.count > 20 ? ", ..." : "")")
            }
            drawn.formUnion(matching)
        }
        return drawn.sorted()
    }
}
