package import InkEngine

/// Whom exports tell how they go; called on the thread that runs them. Texts are one line, not yet fit for a terminal: names of
/// files may hold control characters.
package protocol ExportObserver: Sendable {
    /// What has gone wrong with a project or a picture. The others go on.
    func error(_ text: String)
    /// What the user should know of the farm.
    func warning(_ text: String)
    /// So many files in searched folders are named like no project.
    func skipped(otherFiles: Int)
    /// So many pictures are going to be made.
    func began(pictures: Int)
    /// A project has been read, with these warnings; not called without any.
    func hasRead(_ name: String, _ warnings: [ReadingWarning])
    /// A dry run would make this picture.
    /// - Throws: what ends the run.
    func planned(_ picture: PictureRequest) throws(ExportError)
    /// A picture has been handed to the farm, by its number in the run.
    func started(_ id: Int, output: String)
    /// So many of its tasks are done.
    func progressed(_ id: Int, done: Int, total: Int)
    /// A picture has ended, whatever became of it.
    /// - Parameter pixels: output pixels that were made; 0 for none.
    func ended(_ id: Int, pixels: Int)
    /// Called a few times a second, with the time since the pictures began.
    func passed(milliseconds: Double)
    /// The run begins to stop, because it was asked to.
    func stopping()
    /// All pictures have ended.
    func ended()
}
