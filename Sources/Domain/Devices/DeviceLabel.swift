/// The text of the label that is printed on a device: it names the device and proves possession.
///
/// The last part is made with a key that never leaves the service, so that no other party can make
/// labels.
package enum DeviceLabel {
    /// The prefix, by which an app recognises a device's label.
    package static let prefix = "LL1"
    /// The number of bytes of the keyed digest in the label.
    package static let proofBytes = 16

    /// Writes a label.
    package static func text(_ key: ProductKey, _ mac: MAC, proof: String) -> String {
        "\(prefix):\(key.text):\(mac.text):\(proof)"
    }
}
