public import InkEngine

/// Where an overlay lies on a picture, and how large it is. Lengths are output pixels unless their unit says otherwise; x
/// grows to the right, y downwards.
public struct OverlayLayout: Hashable, Sendable {
    /// The edge, middle or corner of the picture at which the part of the overlay of the same name lies.
    public enum Horizontal: String, Hashable, Sendable, CaseIterable {
        case left, center, right
    }

    /// The edge, middle or corner of the picture at which the part of the overlay of the same name lies, from top to
    /// bottom.
    public enum Vertical: String, Hashable, Sendable, CaseIterable {
        case top, center, bottom
    }

    /// What margin and offset are measured in.
    public enum Unit: String, Hashable, Sendable, CaseIterable {
        /// Output pixels.
        case pixels = "px"
        /// Shares, 0...1: in x of the picture's width, in y of its height.
        case percent
        /// Canvas pixels, which grow with the picture.
        case canvas
        /// Shares of the shorter edge, in x and y.
        case shortSide
    }

    /// What gives an overlay its width.
    public enum Size: Hashable, Sendable {
        /// Its own: that of a text.
        case own
        /// A share of the shorter edge, within bounds in output pixels; `min` is at most `max`.
        case automatic(fraction: Double, min: Double, max: Double)
        /// Output pixels. The height counts where the aspect is not kept; nil: the overlay's own.
        case pixels(width: Double, height: Double?)
        /// A share of the picture's width.
        case percent(width: Double)
    }

    /// Copies at all whole steps that meet the picture.
    public struct Repetition: Hashable, Sendable {
        /// Between neighbours, output pixels, or canvas pixels with that unit; at least 0.
        public var gapX: Double
        public var gapY: Double
        /// The share of a step, 0...1, by which every other row is shifted to the right.
        public var stagger: Double

        public init(gapX: Double = 0, gapY: Double = 0, stagger: Double = 0) {
            self.gapX = gapX
            self.gapY = gapY
            self.stagger = stagger
        }
    }

    public var horizontal = Horizontal.right
    public var vertical = Vertical.bottom
    /// At least 0; means nothing on an axis that is centred.
    public var margin = 16.0
    /// The unit of margin and offset.
    public var unit = Unit.pixels
    public var offsetX = 0.0
    public var offsetY = 0.0
    public var size = Size.automatic(fraction: 0.18, min: 64, max: 512)
    /// Whether width and height of a picture keep their ratio.
    public var keepsAspect = true
    /// How copies are repeated; nil: one copy.
    public var repetition: Repetition?

    public init() {}

    /// Copies of a repeated overlay in one picture.
    public static let copiesMax = 4_096
}

/// A picture that overlays are laid over.
public struct OverlayTarget: Hashable, Sendable {
    /// Output pixels.
    public var size: PixelSize
    /// Output pixels in a canvas pixel.
    public var scale: Double

    public init(size: PixelSize, scale: Double = 1) {
        self.size = size
        self.scale = scale
    }

    var shortSide: Double { Double(min(size.width, size.height)) }
}

/// Why an overlay cannot be laid over a picture.
public enum OverlayFault: Error, Hashable, Sendable {
    /// Longer than `OverlayLayout.edgePixelsMax`.
    case tooLarge(width: Double, height: Double)
    case tooManyCopies
}

extension OverlayLayout {
    /// The longest edge of an overlay, output pixels.
    public static let edgePixelsMax = 65_536

    /// The size of the overlay on a picture.
    ///
    /// - Parameter own: its own size, which is not empty.
    func size(own: PixelSize, on target: OverlayTarget) throws(OverlayFault) -> PixelSize {
        let width: Double
        switch size {
        case .own: return own
        case .automatic(let fraction, let least, let most): width = min(max(target.shortSide * fraction, least), most)
        case .pixels(let pixels, _): width = pixels
        case .percent(let share): width = Double(target.size.width) * share
        }
        let rounded = max(1, roundedHalfUp(width))
        var height = max(1, roundedHalfUp(rounded * Double(own.height) / Double(own.width)))
        if !keepsAspect {
            height = Double(own.height)
            if case .pixels(_, let given?) = size { height = max(1, roundedHalfUp(given)) }
        }
        guard rounded <= Double(Self.edgePixelsMax), height <= Double(Self.edgePixelsMax) else {
            throw .tooLarge(width: rounded, height: height)
        }
        return PixelSize(width: Int(rounded), height: Int(height))
    }

    /// Where an overlay of this size lies: its first copy. May reach beyond the picture, and lie outside of it.
    func place(_ size: PixelSize, on target: OverlayTarget) -> PixelRect {
        let (unitX, unitY) = units(of: target)
        func start(_ edge: Int, _ length: Int, isFirst: Bool, isLast: Bool, margin: Double) -> Double {
            if isFirst { return margin }
            let room = Double(edge) - Double(length)
            return isLast ? Double(edge) - margin - Double(length) : room / 2
        }
        let x = start(
            target.size.width, size.width, isFirst: horizontal == .left, isLast: horizontal == .right,
            margin: margin * unitX)
        let y = start(
            target.size.height, size.height, isFirst: vertical == .top, isLast: vertical == .bottom,
            margin: margin * unitY)
        return PixelRect(
            x: whole(x + offsetX * unitX), y: whole(y + offsetY * unitY), width: size.width, height: size.height)
    }

    /// All copies that meet the picture, from the top, in each row from the left; without repetition the first one wherever
    /// it lies.
    ///
    /// - Parameter reach: by how much what is drawn may reach beyond a copy, pixels.
    func copies(_ size: PixelSize, on target: OverlayTarget, reach: Int = 0) throws(OverlayFault) -> [PixelRect] {
        let first = place(size, on: target)
        guard let repetition else { return [first] }
        let unit = unit == .canvas ? target.scale : 1
        let stepX = Double(size.width) + repetition.gapX * unit
        let stepY = Double(size.height) + repetition.gapY * unit
        var copies: [PixelRect] = []
        for row in Self.steps(from: first.y, by: stepY, length: size.height, reach: reach, edge: target.size.height) {
            let shift = row.isMultiple(of: 2) ? 0 : Int(roundedHalfUp(repetition.stagger * stepX))
            let columns = Self.steps(
                from: first.x + shift, by: stepX, length: size.width, reach: reach, edge: target.size.width)
            guard copies.count + columns.count <= Self.copiesMax else { throw .tooManyCopies }
            for column in columns {
                copies.append(
                    PixelRect(
                        x: first.x + shift + Int(roundedHalfUp(Double(column) * stepX)),
                        y: first.y + Int(roundedHalfUp(Double(row) * stepY)), width: size.width,
                        height: size.height))
            }
        }
        return copies
    }

    /// The steps, negative ones too, at which something of this length meets 0..<edge.
    private static func steps(from start: Int, by step: Double, length: Int, reach: Int, edge: Int) -> Range<Int> {
        func position(_ index: Int) -> Int { start + Int(roundedHalfUp(Double(index) * step)) }
        // One step of slack for the rounding.
        var low = Int((Double(-start - length - reach) / step).rounded(.down)) - 1
        while position(low) + length + reach <= 0 { low += 1 }
        var high = Int((Double(edge - start + reach) / step).rounded(.up)) + 1
        while high > low, position(high - 1) - reach >= edge { high -= 1 }
        return low..<max(low, high)
    }

    /// What margin and offset are multiplied by in x and y.
    private func units(of target: OverlayTarget) -> (x: Double, y: Double) {
        switch unit {
        case .pixels: (1, 1)
        case .percent: (Double(target.size.width), Double(target.size.height))
        case .canvas: (target.scale, target.scale)
        case .shortSide: (target.shortSide, target.shortSide)
        }
    }

    /// Far away is as good as far away: sums stay numbers.
    private func whole(_ value: Double) -> Int { Int(min(max(roundedHalfUp(value), -1e9), 1e9)) }
}

/// The nearest whole number; halves go up.
func roundedHalfUp(_ value: Double) -> Double { (value + 0.5).rounded(.down) }
