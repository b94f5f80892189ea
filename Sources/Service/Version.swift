/// The version of this program.
package enum Version {
    /// The version as `lamplighter version` prints it; CHANGELOG.md names the same version.
    package static let text = "0.1.0"
}
