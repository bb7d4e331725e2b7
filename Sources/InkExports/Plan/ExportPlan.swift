import InkBroker
package import InkCodecs
import InkDocuments
package import InkEngine
package import InkPlanning
import InkSystem

/// What planning needs from a project that has been read.
package struct ProjectOutline: Hashable, Sendable {
    /// What planning needs from a layer.
    package struct LayerOutline: Hashable, Sendable {
        package var id: String
        package var name: String
        /// Whether it is visible by itself: all groups around it are, and so is the base that it is clipped to.
        package var isVisible: Bool
        /// The numbers of its enclosing groups, outermost first.
        package var groups: [Int] = []
        /// Whether it is drawn only together with its base.
        package var isClipped = false
        /// The pages on which it can be seen; nil where there are none, or it is inside of another.
        package var pages: Set<Int>?
    }

    package var id: String
    package var title: String
    /// All elements of the layer tree, by number.
    package var layers: [LayerOutline]
    /// The names of its viewports, in file order.
    package var viewports: [String]
    /// Whether each viewport is a picture where nothing else is said.
    package var hasPages = false
    /// How pages follow each other in time; nil where they do not.
    package var animation: Animation?

    package init(id: String, title: String, layers: [LayerOutline], viewports: [String] = []) {
        self.id = id
        self.title = title
        self.layers = layers
        self.viewports = viewports
    }

    package init(_ project: Project) {
        id = project.id
        title = project.name
        layers = []
        viewports = project.viewports.map(\.name)
        hasPages = project.hasPages
        animation = project.animation
        add(project.layers, groups: [])
        guard hasPages else { return }
        for (index, pages) in project.pagesOfElements { layers[index].pages = pages }
    }

    private mutating func add(_ siblings: [Layer], groups: [Int]) {
        let stacks = siblings.clippingStacks
        let clipped = Set(stacks.flatMap(\.clipped))
        for (index, layer) in siblings.enumerated() {
            var outline = LayerOutline(id: layer.id, name: layer.name, isVisible: layer.isVisible)
            outline.groups = groups
            outline.isClipped = clipped.contains(index)
            layers.append(outline)
            add(layer.children, groups: groups + [layers.count - 1])
        }
    }

    /// The elements that get a picture each with `--each-layer`: the top level, each with what is clipped to it.
    var ownPictures: [Int] {
        layers.indices.filter { layers[$0].isVisible && layers[$0].groups.isEmpty && !layers[$0].isClipped }
    }

    /// - Throws: `badInput` if each layer or viewport is wanted and the project has none.
    func check(_ arguments: ExportArguments, file: String) throws(EngineError) {
        if arguments.layers == .each, ownPictures.isEmpty {
            throw .badInput(Place(file: file), reason: "no layer is visible for --each-layer")
        }
        if arguments.isEachViewport, viewports.isEmpty {
            throw .badInput(Place(file: file), reason: "there is no viewport for --each-viewport")
        }
    }

    /// The elements that a name stands for: the id or name of one of the top level, or of any with those of the groups
    /// around it before it, as `group/layer`. An id belongs to one element; a name may belong to several.
    func layers(named name: String) -> [Int] {
        func matches(_ spelling: (LayerOutline) -> String) -> [Int] {
            layers.indices.filter { index in
                let layer = layers[index]
                let last = spelling(layer)
                if layer.groups.isEmpty { return last == name }
                guard name.hasSuffix("/" + last), !last.isEmpty, let group = layer.groups.last else { return false }
                return self.layers(named: String(name.dropLast(last.count + 1))).contains(group)
            }
        }
        let byID = matches(\.id)
        return byID.isEmpty ? matches(\.name) : byID
    }
}

extension ProjectOutline {
    /// How elements inside of groups that have this name or id are named: `House/Wall`.
    fileprivate func paths(named name: String) -> [String] {
        layers.filter { !$0.groups.isEmpty && ($0.name == name || $0.id == name) }.map { layer in
            let groups = layer.groups.map { layers[$0].name.isEmpty ? layers[$0].id : layers[$0].name }
            return (groups + [name]).joined(separator: "/")
        }
    }
}

/// A layer that gets a picture of its own.
package struct ChosenLayer: Hashable, Sendable {
    /// In its file.
    package var index: Int
    /// As planned; the project may have changed when it is read again.
    package var outline: ProjectOutline.LayerOutline
}

/// One file that is to be made.
package struct PlannedPicture: Hashable, Sendable {
    /// Index of the input.
    package var input: Int
    package var size: ExportSize
    /// The layer, with `--each-layer`.
    package var layer: ChosenLayer?
    /// The index of the viewport in the project, with `--each-viewport`.
    package var viewport: Int?
    /// Which of the files that the run makes of each picture.
    package var file = 0
    /// How it is encoded where that is not the run's choice.
    package var encoding: PictureEncoding?
    /// How it lies in a bundle of a pack; nil for a picture of its own.
    package var part: BundlePart?
    /// Path of the picture.
    package var output: String
}

/// What a picture that is a part of a bundle has in place of the run's options.
package struct BundlePart: Hashable, Sendable {
    /// Its size; nil: that of the canvas.
    package var box: PixelSize?
    package var fit = PictureFit()
    package var background: RGBA8?
}

extension PlannedPicture {
    /// Whether both are files of one picture.
    package func isSamePicture(as other: PlannedPicture) -> Bool {
        var same = other
        (same.file, same.output) = (file, output)
        return same == self
    }

    /// The options of the run with what this picture shows of the project, for this file alone.
    package func options(_ arguments: ExportArguments) -> PictureOptions {
        var options = arguments.options
        options.files = [encoding.map { PictureFileOptions(encoding: $0) } ?? arguments.options.files[file]]
        if let viewport { options.view = .index(viewport) }
        if let part {
            if part.box != nil { options.fit = part.fit }
            options.background = part.background
            // Bundles are the same wherever they are made, and their texts say whose they are.
            options.hasMetadata = false
        }
        return options
    }
}

/// The pictures of a run and their paths; pure except for the functions that are passed in.
package struct ExportPlan: Sendable {
    /// Ordered by input, then layer from the bottom up in file order, then viewport, size and file.
    package private(set) var pictures: [PlannedPicture]
    /// Files beside the inputs that no picture may replace.
    private let protected: [String]

    /// Pictures whose paths are known, of a folder that is nobody else's.
    init(_ pictures: [PlannedPicture]) {
        self.pictures = pictures
        protected = []
    }

    /// Whether names or pictures are known only after the projects have been read.
    static func needsOutline(of input: ExportInput, _ arguments: ExportArguments) -> Bool {
        arguments.name.needsProject || arguments.layers == .each || arguments.isEachViewport
            || arguments.options.view == nil && input.traits.mayHavePages
    }

    /// - Parameters:
    ///   - outlines: by input; needed where `needsOutline`. An input without one is left out then (it
    ///     could not be read).
    ///   - protected: files beside the inputs that no picture may replace.
    ///   - resolve: one spelling for all paths to one place; nil: no file gets these names.
    /// - Throws: `usage` when two pictures would get one name, a picture would replace an input, or several pictures
    ///   would go into one file.
    package init(
        inputs: [ExportInput], outlines: [Int: ProjectOutline], arguments: ExportArguments,
        protecting protected: [String] = [], resolve: ((String) -> String)?
    ) throws(ExportError) {
        pictures = []
        self.protected = protected
        let outputFile = arguments.outputFile
        var number = 0
        for (index, input) in inputs.enumerated() {
            let outline = outlines[index]
            if Self.needsOutline(of: input, arguments), outline == nil { continue }
            let encodings = arguments.encodings(of: input)
            let endings = Self.endings(of: input, arguments)
            let isEachPage = outline?.hasPages == true && arguments.options.view == nil
            let viewports: [Int?] =
                arguments.isEachViewport || isEachPage ? outline.map { Array($0.viewports.indices) } ?? [] : [nil]
            // Pages of their own names need not be told apart.
            let namesPages = isEachPage && viewports.count > 1 && !arguments.name.placeholders.contains(.viewport)
            let first = pictures.count
            for layer in Self.layers(arguments.layers, outline) {
                for viewport in viewports {
                    // A layer of one page is not a picture of another.
                    if let viewport, isEachPage, layer?.outline.pages?.contains(viewport) == false { continue }
                    for size in arguments.sizes(of: input) {
                        number += 1
                        for (file, ending) in endings.enumerated() {
                            var picture = PlannedPicture(
                                input: index, size: size, layer: layer, viewport: viewport, file: file,
                                encoding: encodings[file], output: "")
                            let name = try arguments.name.fill { placeholder in
                                if placeholder == .ext { return ending }
                                let value = Self.value(
                                    of: placeholder, input: input, outline: outline, picture, number: number)
                                guard namesPages, placeholder == .name else { return value }
                                let page = Self.value(
                                    of: .viewport, input: input, outline: outline, picture, number: number)
                                return "\(value)-\(page)"
                            }
                            picture.output = outputFile ?? Self.place(name, of: input, output: arguments.output)
                            pictures.append(picture)
                        }
                    }
                }
            }
            if outputFile == nil { numberParts(first..<pictures.count) }
        }
        if let outputFile, pictures.count > 1 {
            throw .usage("\(outputFile) is one file, but there are \(pictures.count) pictures; name a folder")
        }
        if arguments.isStandardOutput, pictures.count > 1 {
            throw .usage(
                "-o -: standard output takes one picture, but there are \(pictures.count); choose one, as with --viewport, or "
                    + "name a folder (-o DIR)")
        }
        if let resolve { try refuseCollisions(inputs, resolve) }
    }

    /// The usual endings of the files of a picture.
    static func endings(of input: ExportInput, _ arguments: ExportArguments) -> [String] {
        zip(arguments.encodings(of: input), arguments.options.files).map { own, file in
            PictureCodecs.codec(of: (own ?? file.encoding).format)?.endings[0] ?? ""
        }
    }

    /// This plan with the outputs that `output` gives; nil keeps a picture's own, and one for which `isWanted` does
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

    /// Leaves out the pictures of all inputs for which this does not hold.
    mutating func keep(_ isWanted: (Int) -> Bool) { pictures.removeAll { !isWanted($0.input) } }

    /// The plan with `-1`, `-2`, ... appended to the names of existing files.
    ///
    /// - Parameter resolve: one spelling for all paths to one place.
    mutating func avoidExisting(resolve: (String) -> String, _ exists: (String) -> Bool) {
        var taken = Set(pictures.map { FilePlace(resolved: resolve($0.output)) })
        for index in pictures.indices where exists(pictures[index].output) {
            let output = pictures[index].output
            var number = 1
            while exists(output.numbered(number))
                || taken.contains(FilePlace(resolved: resolve(output.numbered(number))))
            {
                number += 1
            }
            let candidate = output.numbered(number)
            taken.insert(FilePlace(resolved: resolve(candidate)))
            pictures[index].output = candidate
        }
    }

    /// Gives layers and pages of one document names that differ where the document has the same for several: a number is
    /// appended. Names that are one on some file systems, because they differ only in case, count as the same.
    private mutating func numberParts(_ range: Range<Int>) {
        struct Part: Hashable {
            var layer: Int?
            var page: Int?

            init(_ picture: PlannedPicture) { (layer, page) = (picture.layer?.index, picture.viewport) }
        }
        func spelling(_ output: String) -> String { output.lowercased() }
        var owners: [String: Part] = [:]
        for index in range {
            let name = spelling(pictures[index].output)
            owners[name] = owners[name] ?? Part(pictures[index])
        }
        var numbers: [String: Int] = [:]
        var start = range.lowerBound
        while start < range.upperBound {
            let part = Part(pictures[start])
            let end = pictures[start..<range.upperBound].firstIndex { Part($0) != part } ?? range.upperBound
            defer { start = end }
            let outputs = pictures[start..<end].map(\.output)
            guard outputs.contains(where: { owners[spelling($0)] != part }) else { continue }
            var number = numbers[spelling(outputs[0])] ?? 2
            while outputs.contains(where: { owners[spelling($0.numbered(number))] != nil }) { number += 1 }
            numbers[spelling(outputs[0])] = number + 1
            for (index, output) in zip(start..<end, outputs) {
                pictures[index].output = output.numbered(number)
                owners[spelling(pictures[index].output)] = part
            }
        }
    }

    private static func layers(_ choice: LayerChoice, _ outline: ProjectOutline?) -> [ChosenLayer?] {
        guard choice == .each, let outline else { return [nil] }
        return outline.ownPictures.map { ChosenLayer(index: $0, outline: outline.layers[$0]) }
    }

    static func value(
        of placeholder: NamePlaceholder, input: ExportInput, outline: ProjectOutline?, _ picture: PlannedPicture,
        number: Int
    ) -> String {
        switch placeholder {
        case .name: return input.stem
        case .dir: return input.folderName
        case .size: return picture.size.name
        case .number: return String(number)
        case .ext: return ""
        case .title: return outline?.title ?? ""
        case .id: return outline?.id ?? ""
        case .layer:
            guard let found = picture.layer?.outline else { return "" }
            return found.name.isEmpty ? found.id : found.name
        case .viewport:
            guard let index = picture.viewport, let name = outline?.viewports[index] else { return "" }
            return name.isEmpty ? String(index + 1) : name
        }
    }

    static func place(_ name: String, of input: ExportInput, output: String?) -> String {
        guard let output else { return input.folder.appendingPath(name) }
        return input.tree.reduce(output) { $0.appendingPath($1) }.appendingPath(name)
    }

    private func refuseCollisions(_ inputs: [ExportInput], _ resolve: (String) -> String) throws(ExportError) {
        var readFrom: [FilePlace: String] = [:]
        for path in protected { readFrom[FilePlace(resolved: resolve(path))] = path }
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

extension String {
    /// The path of a file with `-2` before its ending.
    fileprivate func numbered(_ number: Int) -> String {
        let ending = self[(lastIndex(of: ".") ?? endIndex)...]
        return "\(dropLast(ending.count))-\(number)\(ending)"
    }
}

extension LayerChoice {
    /// The indices of the layers that a picture draws, ascending; nil for all visible ones.
    /// - Throws: `usage` when a name is unknown in this project, `engine` when it has become another.
    package func drawnLayers(
        of outline: ProjectOutline, layer: ChosenLayer?, file: String, option: String = "--layers"
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
            let matching = outline.layers(named: name)
            guard !matching.isEmpty else {
                let inside = outline.paths(named: name)
                guard inside.isEmpty else {
                    let shown = inside.prefix(5).map { "\"\($0)\"" }.joined(separator: " or ")
                    throw .usage(
                        "\(file): no layer \"\(name)\" outside of groups; inside of one it is \(option) \(shown)")
                }
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
