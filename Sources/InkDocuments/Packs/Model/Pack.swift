import InkEngine

/// A pack as its file describes it: plain values, checked against the rules of the format. Pictures are named and have
/// not been opened.
package struct Pack: Sendable {
    package var info: PackInfo
    package var targets: [PackTarget] = []
    /// Those that have names, then those that stand where they are used, each once.
    package var pictures: [PackPicture] = []
    package var effects: [PackEffect] = []
    /// In the order of the file: single items, then those of matrices.
    package var items: [PackItem] = []
    /// What each item is made of.
    var makings: [PackMaking] = []
    /// The number of the icon's picture; nil: the first item.
    package var iconPicture: Int?

    /// The longest list of steps of an item.
    static let stepsMax = 32

    init(info: PackInfo) { self.info = info }
}

/// A picture that a pack names.
package struct PackPicture: Sendable {
    /// How a picture becomes one of another size.
    package enum Scaling: String, CaseIterable, Sendable {
        case smooth
        /// Pixels stay squares.
        case pixel
    }

    /// A path inside the pack's folder.
    package var file: String
    package var scaling = Scaling.smooth
    /// The layers that are drawn, by name or id; nil: all that are visible.
    package var layers: [String]?
    /// What a drawing with viewports shows, as `--viewport` has it.
    package var viewport: String?
    /// Where the pack names it: `pictures.cow`.
    package var place: String
    /// Where the pack names its file: `pictures.cow.file`.
    package var filePlace: String
}

/// What an effect adds to an item's picture.
package struct PackEffect: Sendable {
    package var name: String
    /// Colours first, then layers.
    var steps: [PackStep] = []
    package var values: [String: PackValue] = [:]
}

/// What an item is made of.
struct PackMaking: Sendable {
    /// The number of the base's picture.
    var base: Int
    var colors: [PackStep]
    /// The numbers of the effects.
    var effects: [Int]
}

/// One change of an item's picture (section 3 of the format's description).
enum PackStep: Sendable {
    /// A fill that is clipped to what is there.
    case fill(PackPaint, BlendMode, amount: Double)
    /// A palette for the base: from 0xrrggbb to 0xrrggbb.
    case replace([UInt32: UInt32])
    case layer(PackLayer)

    /// Whether it changes nothing.
    var isIdle: Bool {
        switch self {
        case .fill(_, _, let amount): amount == 0
        case .replace(let colors): colors.isEmpty
        case .layer(let layer): layer.opacity == 0
        }
    }
}

/// The colour of a step.
enum PackPaint: Sendable {
    case color(RGBA8)
    /// Degrees as in CSS: 0 up, 90 right.
    case gradient([Gradient.Stop], angle: Double)
}

/// A picture over the picture so far.
struct PackLayer: Sendable {
    /// Its number in the pack.
    var picture: Int
    var mode = BlendMode.normal
    var opacity = 1.0
    /// Whether it shows only where something is already.
    var isClipped = false
    /// In fractions of the canvas; nil: all of it.
    var placement: Placement?
}

extension Pack {
    /// The places of items that have a step which changes nothing, and those of effects; that of a matrix once.
    package var idleSteps: [String] {
        let effects = effects.filter { $0.steps.contains(where: \.isIdle) }.map { "effects.\($0.name)" }
        let items = zip(items, makings).filter { $0.1.colors.contains(where: \.isIdle) }.map(\.0.place)
        var seen: Set<String> = []
        return (items + effects).filter { seen.insert($0).inserted }
    }

    /// The number of the base of an item among the pictures.
    package func base(ofItem item: Int) -> Int { makings[item].base }
}
