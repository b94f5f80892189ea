import ArgumentParser
import Domain
import JSON
import QRCode
import Sodium
import Storage

/// `device label`: the label that is printed on a device, so that it can be bound remotely.
struct DeviceLabelCommand: AsyncParsableCommand {
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

    @OptionGroup(title: "Common options") var settings: SettingsOptions
    @OptionGroup(title: "Common options") var output: OutputOptions

    func validate() throws {
        guard MAC(mac) != nil else {
            throw ValidationError(
                "--mac takes 12 lowercase hex digits or 15 digits, not \(mac)"
            )
        }
    }

    func run() async throws {
        let place = try await CommandContext.open(settings)
        let product = try place.product(product)
        guard let mac = MAC(mac) else { return }
        let claim = try place.store.read { $0.devices.label(product.key, mac) }
        guard let code = QRCode(claim) else { return }
        if output.json {
            return Terminal.show(
                .object([
                    "productKey": .string(product.key.text), "mac": .string(mac.text),
                    "claim": .string(claim), "svg": .string(code.svg),
                    "png": .string(Sodium.base64(code.png())),
                ])
            )
        }
        switch format {
        case .text: Terminal.show(line: "\(claim)\n\n\(code.blocks)")
        case .svg: Terminal.show(line: code.svg)
        case .png: Terminal.show(bytes: code.png())
        }
    }
}
