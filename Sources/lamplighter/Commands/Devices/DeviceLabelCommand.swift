import ArgumentParser
import Domain
import JSON
import QRCode
import Sodium

/// The command `device label`, which shows the label to be printed on a device so that it can be bound remotely.
struct DeviceLabelCommand: OperationCommand {
    static let configuration = CommandConfiguration(
        commandName: "label",
        abstract: "Print a device's label: the text and QR code for binding it remotely.",
        discussion: """
            lamplighter device label d-0123456789abc

            The label proves possession, so print it only for the owner of the device. It stays the
            same as long as the data directory's server.key stays the same; the device need not have
            registered yet.
            """
    )
    static let operation = "showLabel"

    /// The format of the label.
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case text, svg, png
    }

    @Option(help: "The product's key.")
    var product: String

    @Option(help: "The device's MAC: 12 lowercase hex digits, or an IMEI.")
    var mac: String

    @Option(
        help: "Format: text (with the code in block characters), svg, or png."
    )
    var format: Format = .text

    @OptionGroup(title: "Common options") var common: CommonOptions

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
