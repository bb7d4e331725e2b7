/// Dots per inch, which two axes need not have in common.
public struct PictureDensity: Hashable, Sendable {
    public var across: Double
    public var down: Double

    /// Both within `PictureOptions.dotsPerInchRange`; nil for anything else, which files say too.
    public init?(across: Double, down: Double) {
        let range = PictureOptions.dotsPerInchRange
        guard range.contains(across), range.contains(down) else { return nil }
        self.across = across
        self.down = down
    }

    /// Of a unit that is so many times in an inch.
    ///
    /// Units of the metric system are too coarse for whole dots per inch: what is near a whole number is that.
    init?(across: Double, down: Double, perInch: Double) {
        func rounded(_ value: Double) -> Double {
            let dots = value * perInch
            return perInch != 1 && abs(dots - dots.rounded()) <= perInch / 2 ? dots.rounded() : dots
        }
        self.init(across: rounded(across), down: rounded(down))
    }

    /// Of a picture that is turned.
    func turned(_ orientation: ImageOrientation) -> PictureDensity {
        var turned = self
        if orientation.rawValue >= 5 { (turned.across, turned.down) = (down, across) }
        return turned
    }
}

extension PictureOptions {
    /// What a picture's file says of its resolution: `dotsPerInch`, else that of the photo or document where the picture
    /// shows it in its own size.
    ///
    /// - Parameter output: in pixels.
    public func density(of project: Project, output: PixelSize) -> PictureDensity? {
        if let dotsPerInch { return PictureDensity(across: dotsPerInch, down: dotsPerInch) }
        let canvas = project.canvasSize
        guard hasMetadata, view == nil, Double(output.width) == canvas.width, Double(output.height) == canvas.height
        else { return nil }
        return project.metadata.density
    }
}
