import InkEngine
import InkProtocol
import InkStore
import InkTestSupport
import Testing

@testable import InkService

@Suite("Jobs of an earlier life")
struct RestoredJobTests {
    @Test("The file of a sealed picture is looked for, and a picture that is a folder is made again")
    func sealed() {
        let submission = Submission(
            key: .random(), name: "a.ink", source: .path("/in/a.ink"), picture: PictureSpec(size: .named("2k")),
            delivery: .fetch)
        func restored(_ temporary: String) -> (actions: [ServiceAction], phase: ServiceState.Job.Phase?) {
            let seal = SealedPicture(
                target: "/out/a", temporary: temporary, picture: PictureReport(size: PixelSize(width: 1, height: 1)))
            let record = InkStore.JobRecord(
                number: 7, key: .random(), submission: submission.stored, owner: "", priority: 0,
                state: .publishing(seal), createdAt: 0)
            var state = ServiceState(nextJob: 8, nextNotice: 1)
            let actions = state.restore([record]).filter { if case .recover(7, seal) = $0 { false } else { true } }
            return (actions, state.jobs[7]?.phase)
        }
        let (file, folder) = (restored("/out/.a.part"), restored("/out/.a.part/picture.zip"))
        #expect(file.actions.isEmpty && file.phase == .recovering)
        #expect(folder.actions == [.journal(.note, [.queued(7, crashes: 0)])] && folder.phase == .waiting)
    }
}
