import Domain
import JSON
import Testing
import Wire

@testable import Workers

@Suite("Previewing an invitation")
struct PreviewTests {
    private let world: World
    private static let did = JSONValue.string(World.did(0).text)

    init() throws {
        world = try World(devices: 1, online: true, users: 3, bound: 1)
    }

    @discardableResult
    private func ask(_ user: Int, _ method: String, _ params: JSONObject) throws -> JSONObject {
        let id = "\(user)-\(world.broker.acknowledged)"
        world.sendRequest(user, method, id: id, params)
        try world.runControl()
        return try #require(world.answers(user).last { $0["id"] == .string(id) })
    }

    private func invite(_ more: JSONObject) throws -> JSONObject {
        var params: JSONObject = ["did": Self.did]
        for member in more.members { params[member.key] = member.value }
        return try ask(0, "share/invite", params).result
    }

    private func byName() throws -> JSONObject {
        let guest: JSONValue = ["type": "uid", "value": .string(World.uid(1).text)]
        return ["sharingId": try invite(["way": "user", "guest": guest])["sharingId"]]
    }

    private func byCode() throws -> JSONObject {
        let code = try invite(["way": "qrcode", "access": "read"])["qrCode"]?.objectValue
        return ["qrText": code?["text"]]
    }

    @Test("A preview shows the offer, and changes and uses up nothing")
    func shows() throws {
        for name in [try byName(), try byCode()] {
            world.broker.forgetPublished()
            for _ in 0..<2 {
                let shown = try ask(1, "share/preview", name).result
                #expect(shown["did"] == Self.did && shown["status"] == "pending")
                #expect(shown["productKey"] == .string(World.key.text) && shown["online"] == true)
                #expect(shown["guest"]?.objectValue?["uid"] == .string(World.uid(1).text))
                #expect(shown["inviter"]?.objectValue?["uid"] == .string(World.uid(0).text))
            }
            #expect(world.broker.published(to: World.topics.user(World.uid(0), "share")).isEmpty)
        }
        #expect(try world.count("binding") == 1)
    }

    @Test("Only those who may answer an invitation can preview it")
    func refused() throws {
        let (named, code) = (try byName(), try byCode())
        #expect(try ask(2, "share/preview", named).errorCode == "ResourceNotFound")
        #expect(try ask(0, "share/preview", named).errorCode == "ResourceNotFound")
        #expect(try ask(0, "share/preview", code).errorCode == "InvalidRequest")
        #expect(try ask(1, "share/preview", ["qrText": "none"]).errorCode == "ResourceNotFound")
        #expect(try ask(1, "share/preview", [:]).errorField == "params.sharingId")
        var answer = code
        answer["accept"] = true
        #expect(try ask(1, "share/answer", answer).isOK)
        #expect(try ask(2, "share/preview", code).errorCode == "Expired")
    }

    @Test("A terminal has thirty previews an hour, including refused ones, and can still answer") func limit() throws {
        let named = try byName()
        for _ in 0..<29 { #expect(try ask(1, "share/preview", named).isOK) }
        let unknown = try ask(1, "share/preview", ["qrText": "none"])
        #expect(unknown.errorCode == "ResourceNotFound")
        #expect(try ask(1, "share/preview", named).errorCode == "TooManyRequests")
        #expect(try ask(2, "share/preview", ["qrText": "none"]).errorCode == "ResourceNotFound")
        var answer = named
        answer["accept"] = true
        #expect(try ask(1, "share/answer", answer).isOK)
    }
}
