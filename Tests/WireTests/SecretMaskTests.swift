import Foundation
import JSON
import Testing

@testable import Wire

@Suite("Messages as shown to operators")
struct SecretMaskTests {
    private static let app = ["app", "demo", String(repeating: "ab", count: 16)]

    private func shown(_ text: String, _ levels: [String], writeOnly: Set<String> = []) -> String? {
        SecretMask(writeOnly: writeOnly).shown(ArraySlice(text.utf8), on: levels)
            .map { String(decoding: $0.encoded(), as: UTF8.self) }
    }

    @Test("Each secret that the schemas name is hidden")
    func names() throws {
        let secret: Set<String> = [
            "anySecret", "anyPassword", "newPassword", "codeToken", "token", "secret", "passcode",
            "ticket",
        ]
        var names: Set<String> = []
        let root = URL(filePath: #filePath).appending(path: "../../../schemas").standardized
        for folder in ["methods", "messages"] {
            let path = root.appending(path: folder)
            for file in try FileManager.default.contentsOfDirectory(atPath: path.path) {
                let bytes = try Data(contentsOf: path.appending(path: file))
                collect(try JSONValue.parse(bytes), secret, into: &names)
            }
        }

        #expect(names.count >= 10)
        #expect(names.subtracting(SecretMask.secrets) == [])
    }

    /// Collects the names of all properties that refer to one of the definitions named in `secret`.
    private func collect(_ value: JSONValue, _ secret: Set<String>, into names: inout Set<String>) {
        for element in value.arrayValue ?? [] { collect(element, secret, into: &names) }
        for member in value.objectValue?.members ?? [] {
            if let reference = member.value.objectValue?["$ref"]?.stringValue,
                let name = reference.split(separator: "/").last, secret.contains(String(name))
            {
                names.insert(member.key)
            }
            collect(member.value, secret, into: &names)
        }
    }

    @Test("A report is shown whole, and a registration without its secrets")
    func devices() {
        let report = #"{"id":"1","data":{"power":true,"code":"x"},"code":0}"#
        #expect(shown(report, ["device", "d-14f", "report"]) == report)
        #expect(
            shown(#"{"did":"d-1","secret":"s3cret"}"#, ["product", "k", "m", "registered"])
                == #"{"did":"d-1","secret":"•••"}"#
        )
        #expect(shown("no json", ["device", "d-14f", "report"]) == #""no json""#)
        #expect(shown("no json", ["product", "k", "m", "register"]) == nil)
    }

    @Test("Values of write-only data points are hidden in commands and requests")
    func writeOnly() {
        let command = #"{"cid":1,"data":{"pin":"1234","power":true}}"#
        let masked = #"{"cid":1,"data":{"pin":"•••","power":true}}"#
        #expect(shown(command, ["device", "d-1", "command"], writeOnly: ["pin"]) == masked)
    }

    @Test("Requests about accounts show names and sizes, and other requests show all that isn't secret")
    func requests() {
        let login = #"{"id":"1","params":{"pasword":"hunter22","phone":"491234"}}"#
        #expect(
            shown(login, Self.app + ["request", "account", "login"])
                == #"{"id":"string of 1 bytes","params":{"pasword":"string of 8 bytes","phone":"string of 6 bytes"}}"#
        )
        #expect(
            shown(
                #"{"token":"t","params":{"did":"d-1","passcode":"p"}}"#,
                Self.app + ["request", "device", "bind"]
            )
                == #"{"token":"•••","params":{"did":"d-1","passcode":"•••"}}"#
        )
        #expect(
            shown(login, Self.app + ["request", "acount", "login"])?.contains("hunter") == false
        )
        #expect(shown(login, Self.app + ["request"])?.contains("hunter") == false)
    }

    @Test("Answers show the code of an error, and hide codes for logging in")
    func answers() {
        let topic = Self.app + ["response"]
        let error = #"{"id":"1","error":{"code":"NotBound"}}"#
        #expect(shown(error, topic) == error)
        #expect(shown(#"{"result":{"code":"123456"}}"#, topic) == #"{"result":{"code":"•••"}}"#)
        #expect(
            shown(
                #"{"to":"a@b.example","params":{"code":"123456"}}"#,
                ["system", "outbound", "email"]
            )
                == #"{"to":"a@b.example","params":"•••"}"#
        )
    }

    @Test("Addresses are masked for those who may not see them")
    func addresses() {
        let value: JSONValue = [
            "email": "anna@example.com", "phone": "4917012345", "username": "anna",
            "name": "anna@example.com", "latitude": 52.5, "mode": "white",
        ]
        #expect(
            SecretMask.withoutAddresses(value) == [
                "email": "a•••@example.com", "phone": "•••45", "username": "anna",
                "name": "a•••@example.com", "latitude": "•••", "mode": "white",
            ]
        )
    }
}
