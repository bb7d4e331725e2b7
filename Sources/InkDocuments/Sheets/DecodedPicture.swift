import InkCodecs
package import InkEngine

/// A picture in memory, decoded from any of the `ImageDecoders`.
package struct DecodedPicture: Sendable {
    package let size: PixelSize
    /// `rgb8` or `rgba8`.
    package let format: SampleFormat
    /// Row-major, without padding.
    package let samples: [UInt8]
    /// Whether the colours are guessed (`ImageHeader.guessesColors`).
    package let guessesColors: Bool

    /// Decodes all of a picture.
    ///
    /// - Parameter convertsProfiles: whether its colour profile counts.
    /// - Throws: as `ImageDecoders.decode`.
    package init(
        _ file: [UInt8], convertsProfiles: Bool = true, place: Place, limits: Limits
    ) throws(EngineError) {
        let header = try ImageDecoders.decoder(of: file, place: place).header(file, place: place)
        try header.check(against: limits, place: place)
        guessesColors = header.guessesColors(convertsProfiles: convertsProfiles)
        var samples: [UInt8] = []
        var channels = 3
        try DecodedRows.decode(
            file, width: header.size.width, convertsProfiles: convertsProfiles, place: place, limits: limits
        ) { rows in
            channels = rows.channels
            samples += rows.samples
        }
        self.samples = samples
        format = channels == 4 ? .rgba8 : .rgb8
        size = header.size
        guard samples.count == size.area * channels else {
            throw .internalError("\(place): \(samples.count) bytes are not a picture of \(size)")
        }
    }
}
