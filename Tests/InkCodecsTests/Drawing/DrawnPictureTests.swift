import InkTestSupport
import Testing

@testable import InkCodecs
@testable import InkEngine

/// Checks that a walk that writes nothing finds what writing the file found.
func expectSurvey(
    of picture: DrawnPicture, _ images: [VectorImage], _ warnings: [ReadingWarning],
    limits: VectorLimits = VectorLimits(),
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let survey = try picture.survey(limits)
    #expect(survey.warnings == warnings, sourceLocation: sourceLocation)
    #expect(
        survey.images.map { "\($0)" } == images.map { "\($0)" }, "other images, or in another order",
        sourceLocation: sourceLocation)
}
