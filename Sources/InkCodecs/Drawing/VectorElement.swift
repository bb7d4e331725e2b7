import InkEngine

/// What is drawn of an element of the layer tree, with what is clipped to it (spec section 8.2).
struct VectorElement {
    /// Visible, with those elements in it that are drawn, in drawing order.
    var layer: Layer
    /// The path of the layer in its file.
    var path: String
    var children: [VectorElement] = []
    var clipped: [VectorElement] = []

    /// The elements to draw of a project, from the bottom up; those of `options.layers`, or all that is visible.
    static func elements(of project: Project, _ options: PictureOptions) -> [VectorElement] {
        let chooser = VectorElementChooser(fillsSuggested: options.fillsSuggested)
        return chooser.elements(project.layers, number: 0, path: "layers", chosen: options.layers.map { Set($0) })
    }

    /// The layers that show this element alone, as siblings in drawing order.
    var pictured: [Layer] {
        var layers = [layer]
        layers[0].isClipped = false
        for element in clipped {
            layers += element.pictured
            layers[layers.count - 1].isClipped = true
        }
        return layers.inFileOrder
    }

    var isPassThrough: Bool {
        if case .group(_, true) = layer.kind { true } else { false }
    }

    /// Whether all that this blends onto what lies below it is blended normally.
    var isNormal: Bool {
        isPassThrough ? children.allSatisfy(\.isNormal) : layer.blendMode == .normal
    }
}

extension [Layer] {
    /// These layers, drawn in this order whatever theirs is.
    var inFileOrder: [Layer] {
        map { layer in
            var layer = layer
            layer.order = 0
            return layer
        }
    }
}

private struct VectorElementChooser {
    let fillsSuggested: Bool

    func elements(_ siblings: [Layer], number: Int, path: String, chosen: Set<Int>?) -> [VectorElement] {
        var numbers: [Int] = []
        var next = number
        for sibling in siblings {
            numbers.append(next)
            next += 1 + sibling.children.elementCount
        }
        func element(_ index: Int, chosen: Set<Int>?, isIsolated: Bool) -> VectorElement? {
            self.element(
                siblings[index], number: numbers[index], path: "\(path)[\(index)]", chosen: chosen,
                isIsolated: isIsolated)
        }
        var made: [VectorElement] = []
        for stack in siblings.clippingStacks {
            guard let chosen, !chosen.contains(numbers[stack.base]) else {
                guard siblings[stack.base].isVisible || chosen != nil else { continue }
                let clipped = stack.clipped.filter { siblings[$0].isVisible }
                guard var base = element(stack.base, chosen: nil, isIsolated: !clipped.isEmpty) else { continue }
                base.clipped = clipped.compactMap { element($0, chosen: nil, isIsolated: true) }
                made.append(base)
                continue
            }
            // Elements that were chosen inside of others, and clipped ones that were chosen alone.
            for index in [stack.base] + stack.clipped {
                let isChosen = chosen.contains(numbers[index])
                let inside = (numbers[index] + 1)..<(numbers[index] + 1 + siblings[index].children.elementCount)
                guard isChosen || chosen.contains(where: inside.contains) else { continue }
                if let element = element(index, chosen: isChosen ? nil : chosen, isIsolated: false) {
                    made.append(element)
                }
            }
        }
        return made
    }

    private func element(
        _ layer: Layer, number: Int, path: String, chosen: Set<Int>?, isIsolated: Bool
    ) -> VectorElement? {
        guard layer.opacity > 0 else { return nil }
        var element = VectorElement(layer: layer, path: path)
        element.layer.isVisible = true
        element.layer.isClipped = false
        switch layer.kind {
        case .fill(let color): return color.alpha > 0 ? element : nil
        case .group(let children, let isPassThrough):
            element.children = elements(children, number: number + 1, path: path + ".layers", chosen: chosen)
            let kept = element.children.flatMap(\.pictured).inFileOrder
            element.layer.kind = .group(kept, isPassThrough: isPassThrough && !isIsolated)
            return kept.isEmpty ? nil : element
        case .layer:
            let isEmpty = layer.strokes.isEmpty && layer.contentImage == nil
            return isEmpty && (!fillsSuggested || layer.suggestedPattern == nil) ? nil : element
        }
    }
}
