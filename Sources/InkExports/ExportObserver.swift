package import InkEngine
package import InkProtocol

/// Follows the progress of exports; called on the thread that runs them. Texts are one line, but not escaped for a
/// terminal: file names may contain control characters.
package protocol ExportObserver: Sendable {
    /// A project or a picture has failed. The others continue.
    func error(_ text: String)
    /// A message about the farm for the user.
    func warning(_ text: String)
    /// A remark on the pictures of the run, such as that all of them lack something.
    func remark(_ text: String)
    /// The files in searched folders that are not taken, if there are any.
    func skipped(_ files: SkippedFiles)
    /// The number of pictures in the run.
    func began(pictures: Int)
    /// A project has been read with these warnings; not called without warnings.
    func hasRead(_ name: String, _ warnings: [ReadingWarning])
    /// A dry run would export this picture.
    /// - Throws: to end the run.
    func planned(_ picture: PictureRequest) throws(ExportError)
    /// The picture with this number in the run has been submitted to the farm; it becomes so many files, each of which
    /// ends by itself.
    func started(_ id: Int, output: String, files: Int)
    /// The number of its finished tasks.
    func progressed(_ id: Int, done: Int, total: Int)
    /// How long it still takes; now and then.
    func estimated(_ id: Int, _ timeLeft: TimeLeft)
    /// A picture has ended, whatever its result.
    /// - Parameter pixels: rendered output pixels.
    func ended(_ id: Int, pixels: Int)
    /// Called a few times per second, with the time since the pictures began.
    func passed(milliseconds: Double)
    /// The run is stopping on request.
    func stopping()
    /// All pictures have ended.
    func ended()
}
