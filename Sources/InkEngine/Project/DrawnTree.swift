/// What a picture has of a project's layer tree (spec section 8.2): all of it or the elements that were chosen, in
/// drawing order, each with what is clipped to it.
public struct DrawnTree: Sendable {
    /// An element of the tree.
    public struct Element: Sendable {
        /// As in the file, but a chosen element and the groups around it are visible, a group passes through only where
        /// it has no picture of its own, and its elements are `children`.
        public var layer: Layer
        /// Its place in `[Layer].flattened`.
        public let number: Int
        /// Its path in the file.
        public let path: String
        /// The elements of a group, from the bottom up.
        public var children: [Element] = []
        /// What is painted only onto this element, from the bottom up.
        public var clipped: [Element] = []

        /// Whether the element is a group whose elements are blended onto what lies below it.
        public var isPassThrough: Bool {
            if case .group(_, true) = layer.kind { true } else { false }
        }

        /// The layers of a project that shows this element alone.
        public var layers: [Layer] {
            var own = layer
            (own.order, own.isClipped) = (0, false)
            if case .group(_, let isPassThrough) = layer.kind {
                own.kind = .group(children.flatMap(\.layers), isPassThrough: isPassThrough)
            }
            return [own]
                + clipped.flatMap(\.layers).map { layer in
                    var layer = layer
                    layer.isClipped = true
                    return layer
                }
        }

        /// The element as it is before it is blended with its mode and opacity.
        public var unblended: Element {
            var own = self
            (own.layer.opacity, own.layer.blendMode, own.layer.isVisible) = (1, .normal, true)
            return own
        }

        /// What can change a pixel of it; nil if nothing can.
        fileprivate func drawn(fillsSuggested: Bool) -> Element? {
            guard layer.isVisible, layer.opacity > 0, layer.maskShapes?.isEmpty != true else { return nil }
            var own = self
            own.children = children.compactMap { $0.drawn(fillsSuggested: fillsSuggested) }
            own.clipped = clipped.compactMap { $0.drawn(fillsSuggested: fillsSuggested) }
            switch layer.kind {
            case .fill(let paint): return paint.isInvisible ? nil : own
            case .group: return own.children.isEmpty ? nil : own
            case .layer:
                let isEmpty = layer.strokes.isEmpty && layer.shapes.isEmpty && layer.contentImage == nil
                if !isEmpty || !fillsSuggested { own.layer.suggestedPattern = nil }
                return isEmpty && own.layer.suggestedPattern == nil ? nil : own
            }
        }
    }

    /// From the bottom up, hidden ones included.
    public let elements: [Element]

    /// - Parameter chosen: numbers of the elements to draw, whether visible or not, with all that is visible in them
    ///   and clipped to them; nil for all that is visible.
    public init(_ layers: [Layer], chosen: [Int]? = nil) {
        elements = Self.elements(layers, number: 0, path: "layers", chosen: chosen.map { Set($0) })
    }

    /// What can change a pixel. A layer has a suggested pattern only where it is filled with it.
    public func drawn(fillsSuggested: Bool) -> [Element] {
        elements.compactMap { $0.drawn(fillsSuggested: fillsSuggested) }
    }

    /// The element with a number.
    ///
    /// - Precondition: the tree has it.
    public subscript(number: Int) -> Element {
        guard let found = elements.flattened.first(where: { $0.number == number }) else {
            preconditionFailure("the tree has no element \(number)")
        }
        return found
    }

    private static func elements(_ siblings: [Layer], number: Int, path: String, chosen: Set<Int>?) -> [Element] {
        var next = number
        let numbers = siblings.map { layer in
            defer { next += 1 + layer.children.elementCount }
            return next
        }
        func element(_ index: Int, chosen: Set<Int>?, isIsolated: Bool) -> Element {
            var made = Element(layer: siblings[index], number: numbers[index], path: "\(path)[\(index)]")
            if case .group(let children, let isPassThrough) = made.layer.kind {
                made.children = elements(children, number: made.number + 1, path: made.path + ".layers", chosen: chosen)
                made.layer.kind = .group([], isPassThrough: isPassThrough && !isIsolated)
            }
            return made
        }
        var made: [Element] = []
        for stack in siblings.clippingStacks {
            guard let chosen, !chosen.contains(numbers[stack.base]) else {
                // A base comes with what is clipped to it.
                let isIsolated = stack.clipped.contains { siblings[$0].isVisible }
                var base = element(stack.base, chosen: nil, isIsolated: isIsolated)
                base.clipped = stack.clipped.map { element($0, chosen: nil, isIsolated: true) }
                if chosen != nil { base.layer.isVisible = true }
                made.append(base)
                continue
            }
            // Elements that were chosen inside of others, and clipped ones that were chosen alone.
            for index in [stack.base] + stack.clipped {
                let isChosen = chosen.contains(numbers[index])
                var own = element(index, chosen: isChosen ? nil : chosen, isIsolated: false)
                guard isChosen || !own.children.isEmpty else { continue }
                own.layer.isVisible = true
                made.append(own)
            }
        }
        return made
    }
}

extension [DrawnTree.Element] {
    fileprivate var flattened: [DrawnTree.Element] { flatMap { [$0] + ($0.children + $0.clipped).flattened } }

    /// The layers of what is visible.
    var visible: [Layer] {
        filter(\.layer.isVisible).flatMap { [$0.layer] + ($0.children + $0.clipped).visible }
    }
}
