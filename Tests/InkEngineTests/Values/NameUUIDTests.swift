import Testing

@testable import InkEngine

@Suite("UUIDs of names")
struct NameUUIDTests {
    @Test("The name decides, with version 4 and the variant of RFC 9562")
    func names() throws {
        let root = try #require(NameUUID("f75dd15b-036b-4b3b-b4e2-2f6208262586"))
        let one = try NameUUID(namespace: root, name: "pack/behaviour")
        #expect("\(one)" == "2bbf162e-5bbb-4c06-ba37-8046cc41b084")
        #expect(try NameUUID(namespace: root, name: "pack/behaviour") == one)
        for number in 0..<200 {
            let uuid = try NameUUID(namespace: root, name: "\(number)")
            #expect(uuid.bytes[6] >> 4 == 4 && uuid.bytes[8] >> 6 == 2)
            #expect(NameUUID("\(uuid)".uppercased()) == uuid)
        }
    }

    @Test(
        "Anything but 32 digits in their groups is no UUID",
        arguments: [
            "", "f75dd15b", "f75dd15b036b4b3bb4e22f6208262586", "f75dd15b-036b-4b3b-b4e2-2f620826258",
            "f75dd15b-036b-4b3b-b4e2-2f6208262586-", "g75dd15b-036b-4b3b-b4e2-2f6208262586",
            "+75dd15b-036b-4b3b-b4e2-2f6208262586", "-75dd15b036b-4b3b-b4e2-2f62-08262586",
        ])
    func malformed(text: String) { #expect(NameUUID(text) == nil) }
}
