import InkCodecs
import InkEngine

/// Colours that take the places of others in a picture (a `replace` step).
struct PackPalette {
    /// From 0xrrggbb to 0xrrggbb.
    private let colors: [UInt32: UInt32]
    private let convertsProfiles: Bool
    private let file: String
    private let limits: Limits

    /// - Parameters:
    ///   - convertsProfiles: whether colour profiles of images count.
    ///   - file: names the pack in messages.
    init(_ colors: [UInt32: UInt32], convertsProfiles: Bool, file: String, limits: Limits) {
        self.colors = colors
        self.convertsProfiles = convertsProfiles
        self.file = file
        self.limits = limits
    }

    /// The colours of brushes, fills and pixels replaced.
    ///
    /// - Throws: `badInput` for damaged pixels, `overLimit`.
    func applied(to layers: [Layer]) throws(EngineError) -> [Layer] {
        var layers = layers
        for index in layers.indices {
            switch layers[index].kind {
            case .layer: break
            case .fill(let paint): layers[index].kind = .fill(replaced(paint))
            case .group(let children, let isPassThrough):
                layers[index].kind = .group(try applied(to: children), isPassThrough: isPassThrough)
            }
            for shape in layers[index].shapes.indices {
                layers[index].shapes[shape].fill = replaced(layers[index].shapes[shape].fill)
            }
            for stroke in layers[index].strokes.indices {
                let color = layers[index].strokes[stroke].brush.color
                layers[index].strokes[stroke].brush.color = replaced(color)
            }
            if let image = layers[index].contentImage { layers[index].contentImage = try replaced(image) }
        }
        return layers
    }

    private func replaced(_ color: RGBA8) -> RGBA8 {
        guard color.alpha > 0, let other = colors[color.rgb] else { return color }
        var made = RGBA8(rgb: other)
        made.alpha = color.alpha
        return made
    }

    private func replaced(_ paint: Paint) -> Paint {
        switch paint {
        case .color(let color): return .color(replaced(color))
        case .gradient(var gradient):
            for stop in gradient.stops.indices { gradient.stops[stop].color = replaced(gradient.stops[stop].color) }
            return .gradient(gradient)
        case .pattern(var brush):
            brush.color = replaced(brush.color)
            return .pattern(brush)
        }
    }

    /// The image as a PNG, where it has one of the colours; else as it is.
    private func replaced(_ image: EncodedImage) throws(EngineError) -> EncodedImage {
        let place = Place(file: file, path: image.place.isEmpty ? nil : image.place)
        let decoded = try DecodedPicture(
            image.bytes, convertsProfiles: convertsProfiles, place: place, limits: limits)
        var samples = decoded.samples
        let channels = decoded.format.bytesPerPixel
        var isChanged = false
        for pixel in stride(from: 0, to: samples.count, by: channels) {
            if channels == 4, samples[pixel + 3] == 0 { continue }
            let color = UInt32(samples[pixel]) << 16 | UInt32(samples[pixel + 1]) << 8 | UInt32(samples[pixel + 2])
            guard let other = colors[color] else { continue }
            isChanged = true
            samples[pixel] = UInt8(truncatingIfNeeded: other >> 16)
            samples[pixel + 1] = UInt8(truncatingIfNeeded: other >> 8)
            samples[pixel + 2] = UInt8(truncatingIfNeeded: other)
        }
        guard isChanged else { return image }
        let png = try WholePNG.encode(samples: samples, size: decoded.size, format: decoded.format)
        return try EncodedImage(checking: png, place: place, limits: limits)
    }
}
