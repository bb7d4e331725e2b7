@testable import InkBroker
import InkCodecs
import InkEngine
import InkProtocol
import InkStore
import InkTestSupport
import Testing

@testable import InkService

/// Contents that clients send.
extension ServiceStateTests {
    private static let content = ContentID(hashing: [1, 2, 3])
    private var upload: UploadID { UploadID(content: Self.content, number: 1) }

    private func announce(
        _ state: inout ServiceState, _ session: SessionID, _ other: ContentID? = nil, now: UInt64,
        hasContent: Bool = false
    ) -> SubmissionKey {
        let submission = Submission(
            key: .random(), name: "a.ink", source: .content(other ?? Self.content, byteCount: 3, .plain),
            picture: PictureSpec(size: .named("2k")), delivery: .fetch)
        _ = state.handle(.submitted(session, submission), now: now)
        _ = state.handle(.examined(submission.key, known: nil, hasContent: hasContent), now: now)
        return submission.key
    }

    @Test("What the disk says of a content that was given up is not taken for that of the next try")
    func staleAnswers() {
        var state = service()
        _ = announce(&state, one, now: 0)
        _ = state.handle(.contentBegun(upload), now: 0)
        #expect(
            state.handle(.contentArrived(one, Self.content, offset: 0, count: 3), now: 0) == [
                .writeContent(upload, offset: 0)
            ])
        _ = state.handle(.contentUnavailable(one, Self.content, reason: "it has changed"), now: 0)
        _ = announce(&state, one, now: 0)
        let second = UploadID(content: Self.content, number: 2)
        _ = state.handle(.contentBegun(second), now: 0)
        #expect(state.handle(.contentWritten(upload, through: 3), now: 0) == [])
        let fault = StoreError.full(path: "/data")
        #expect(state.handle(.contentFailed(upload, fault), now: 0) == [])
        _ = state.handle(.contentArrived(one, Self.content, offset: 0, count: 3), now: 0)
        #expect(state.handle(.contentWritten(second, through: 3), now: 0) == [.finishContent(second)])
    }

    @Test("One that finds the content as it comes to the disk is numbered after those that waited for it")
    func numbersOfOneContent() {
        var state = service()
        let first = announce(&state, one, now: 0)
        _ = state.handle(.contentBegun(upload), now: 0)
        _ = state.handle(.contentArrived(one, Self.content, offset: 0, count: 3), now: 0)
        #expect(state.handle(.contentWritten(upload, through: 3), now: 0) == [.finishContent(upload)])
        let second = announce(&state, two, now: 0, hasContent: true)
        _ = state.handle(.contentStored(upload), now: 0)
        #expect(state.submitting[first]?.job == 1 && state.submitting[second]?.job == 2)
    }

    @Test("A sender that stays silent is given up after a minute, and is told")
    func silence() {
        var state = service()
        let key = announce(&state, one, now: 0)
        _ = state.handle(.contentBegun(upload), now: 0)
        _ = state.handle(.tick, now: 59_999)
        #expect(state.uploads.count == 1)
        let actions = state.handle(.tick, now: 60_000)
        #expect(actions.contains(.discardContent(upload)) && state.uploads.isEmpty && state.submitting.isEmpty)
        #expect(actions.contains { if case .send(one, .rejected(key, _)) = $0 { true } else { false } })
    }

    @Test("What a client that leaves was sending goes on from another that has the same")
    func heir() {
        var state = service()
        _ = announce(&state, one, now: 0)
        _ = state.handle(.contentBegun(upload), now: 0)
        _ = announce(&state, two, now: 0)
        let actions = state.handle(.left(one), now: 5)
        #expect(actions == [.send(two, .contentRequest(Self.content, offset: 0, byteCount: 3))])
        #expect(state.uploads[Self.content]?.sender == two && state.submitting.count == 1)
    }

    @Test("An upload whose session is lost goes on where it stopped, when the client is back within a minute")
    func resumed() {
        var state = service()
        _ = announce(&state, one, now: 0)
        _ = state.handle(.contentBegun(upload), now: 0)
        _ = state.handle(.contentArrived(one, Self.content, offset: 0, count: 2), now: 10)
        _ = state.handle(.contentWritten(upload, through: 2), now: 11)
        #expect(state.handle(.left(one), now: 3_000).isEmpty)
        #expect(state.brokenInvariants.isEmpty && state.submitting.isEmpty)
        let again = SessionID(rawValue: 3)
        _ = state.handle(.joined(again, owner: "1"), now: 4_000)
        let key = SubmissionKey.random()
        let submission = Submission(
            key: key, name: "a.ink", source: .content(Self.content, byteCount: 3, .plain),
            picture: PictureSpec(size: .named("2k")), delivery: .fetch)
        _ = state.handle(.submitted(again, submission), now: 50_000)
        #expect(
            state.handle(.examined(key, known: nil, hasContent: false), now: 50_000)
                == [.send(again, .contentRequest(Self.content, offset: 2, byteCount: 1))])
        // Of a client that does not come back nothing is kept for ever.
        _ = state.handle(.left(again), now: 60_000)
        #expect(state.handle(.tick, now: 119_999).isEmpty)
        #expect(state.handle(.tick, now: 120_000) == [.discardContent(upload)])
        #expect(state.uploads.isEmpty)
    }

    @Test("A content that has come whole is stored, though its client leaves meanwhile", arguments: [false, true])
    func lastBytes(areWritten: Bool) {
        var state = service()
        _ = announce(&state, one, now: 0)
        _ = state.handle(.contentBegun(upload), now: 0)
        _ = state.handle(.contentArrived(one, Self.content, offset: 0, count: 3), now: 10)
        let written = ServiceEvent.contentWritten(upload, through: 3)
        if areWritten { _ = state.handle(written, now: 11) }
        #expect(state.handle(.left(one), now: 12).isEmpty)
        if !areWritten { #expect(state.handle(written, now: 13) == [.finishContent(upload)]) }
        #expect(state.brokenInvariants == [] && state.submitting.isEmpty)
        // It is not sent a second time.
        let key = announce(&state, two, now: 14)
        #expect(state.brokenInvariants == [] && state.uploads[Self.content]?.number == 1)
        let stored = state.handle(.contentStored(upload), now: 15)
        #expect(stored.contains { if case .journal(.accept(key), _) = $0 { true } else { false } })
        #expect(state.brokenInvariants == [] && state.uploads.isEmpty)
    }

    @Test("What is kept of contents whose clients are gone makes room for those of others")
    func keptUploads() {
        var limits = ServiceLimits()
        limits.openUploads = 1
        var state = service(limits)
        _ = announce(&state, one, now: 0)
        _ = state.handle(.contentBegun(upload), now: 0)
        _ = state.handle(.left(one), now: 5)
        let other = Submission(
            key: .random(), name: "b.ink",
            source: .content(ContentID(digest: [UInt8](repeating: 8, count: 32)), byteCount: 3, .plain),
            picture: PictureSpec(size: .named("2k")), delivery: .fetch)
        _ = state.handle(.submitted(two, other), now: 10)
        let actions = state.handle(.examined(other.key, known: nil, hasContent: false), now: 11)
        #expect(actions.contains(.discardContent(upload)))
        #expect(actions.contains { if case .beginContent = $0 { true } else { false } })
        #expect(state.brokenInvariants.isEmpty)
    }

    @Test("What a client that leaves has in line takes no place", arguments: [false, true])
    func line(hasHeir: Bool) {
        var limits = ServiceLimits()
        limits.openUploads = 1
        var state = service(limits)
        _ = announce(&state, one, now: 0)
        _ = state.handle(.contentBegun(upload), now: 0)
        _ = state.handle(.contentArrived(one, Self.content, offset: 0, count: 2), now: 1)
        _ = state.handle(.contentWritten(upload, through: 2), now: 2)
        // Some are looked at before the Self.content and some after it.
        for digit in [0, 1, 254, 255] as [UInt8] {
            _ = announce(&state, one, ContentID(digest: [UInt8](repeating: digit, count: 32)), now: 3)
        }
        if hasHeir { _ = announce(&state, two, now: 4) }
        let request = ServiceMessage.contentRequest(Self.content, offset: 2, byteCount: 1)
        #expect(state.handle(.left(one), now: 5) == (hasHeir ? [.send(two, request)] : []))
        #expect(Set(state.uploads.keys) == [Self.content] && state.uploads[Self.content]?.arrived == 2)
        #expect(state.brokenInvariants == [])
    }
}
