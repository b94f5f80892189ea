import ArgumentParser
import Domain
import JSON
import QRCode
import Sodium

extension DeviceLabelCommand {
    /// The format of the label.
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case text, svg, png
    }

    func validate() throws {
        guard MAC(mac) != nil else {
            throw ValidationError(
                "--mac takes 12 lowercase hex digits or 15 digits, not \(mac)"
            )
        }
    }

    var path: [String: String] { ["productKey": product, "mac": mac] }

    func answer(in place: CommandContext) async throws -> JSONObject {
        var answer = try await place.run(Self.operation, path)
        guard let code = QRCode(answer.text("text")) else { return answer }
        answer["svg"] = .string(code.svg)
        answer["png"] = .string(Sodium.base64(code.png()))
        return answer
    }

    func show(_ answer: JSONObject, in place: CommandContext) {
        let text = answer.text("text")
        guard let code = QRCode(text) else { return }
        switch format {
        case .text: Terminal.show(line: "\(text)\n\n\(code.blocks)")
        case .svg: Terminal.show(line: code.svg)
        case .png: Terminal.show(bytes: code.png())
        }
    }
}
