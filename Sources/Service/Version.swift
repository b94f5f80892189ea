/// The version of this program.
package enum Version {
    /// The version as `lamplighter version` prints it; CHANGELOG.md has the same.
    package static let text = "0.1.0"
}
