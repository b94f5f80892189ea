import Configuration
import Files
import Problems
import Synchronization
import SystemPackage

/// A reader of the configuration file; it refuses names that aren't settings.
enum SettingsFile {
    /// The keys in a file.
    ///
    /// For each key, swift-configuration asks a closure whether the value is secret. The same closure also adds the key
    /// to this list.
    private final class Keys: Sendable {
        private let keys = Mutex<[String]>([])
        func note(_ key: String) { keys.withLock { $0.append(key) } }
        var all: [String] { keys.withLock { $0 } }
    }

    /// Reads a YAML (`.yaml`, `.yml`) or JSON file.
    ///
    /// - Throws: A `Problem` if the file is missing or malformed, or contains an unknown setting.
    static func open(_ name: String) async throws -> (path: String, provider: any ConfigProvider) {
        let path = AbsolutePath.of(name)
        let keys = Keys()
        let provider: any ConfigProvider
        do {
            provider = try await read(path) { key, _ in
                keys.note(key)
                return SettingsTable.setting(key)?.isSecret ?? true
            }
        } catch {
            throw Problem.configurationUnreadable(path: path, why: reason(error, path))
        }
        for key in keys.all.sorted() where SettingsTable.setting(key) == nil && !isEmptySection(key, of: provider) {
            throw unknown(key, at: location(of: key, in: path))
        }
        return (path, provider)
    }

    /// Returns the error for a setting that does not exist.
    static func unknown(_ key: String, at place: String) -> Problem {
        let hint = SettingsTable.suggestion(for: key).map { "; did you mean \($0)?" } ?? ""
        return .settingUnknown(key: key, place: place, hint: hint)
    }

    private static func read(
        _ path: String,
        isSecret: @escaping @Sendable (String, Any) -> Bool
    ) async throws -> any ConfigProvider {
        // An empty file sets nothing, but the libraries would refuse it because it isn't a mapping.
        if isBlank(path) { return InMemoryProvider(values: [:]) }
        if path.hasSuffix(".json") {
            return try await FileProvider<JSONSnapshot>(
                parsingOptions: .init(secretsSpecifier: .dynamic { isSecret($0, $1) }),
                filePath: FilePath(path)
            )
        }
        return try await FileProvider<YAMLSnapshot>(
            parsingOptions: .init(secretsSpecifier: .dynamic { isSecret($0, $1) }),
            filePath: FilePath(path)
        )
    }

    /// Returns whether a key, such as `mqtt:`, is a section that contains only comments.
    ///
    /// swift-configuration treats the key of an empty section as a value.
    private static func isEmptySection(_ key: String, of provider: any ConfigProvider) -> Bool {
        guard SettingsTable.all.contains(where: { $0.key.hasPrefix(key + ".") }) else { return false }
        let path = AbsoluteConfigKey(key.split(separator: ".").map(String.init))
        let found = try? provider.value(forKey: path, type: .string)
        guard case .string(let text)? = found?.value?.content else { return false }
        return ["", "~", "null"].contains(text)
    }

    private static func isBlank(_ path: String) -> Bool {
        guard let text = TextFile.read(path) else { return false }
        let isJSON = path.hasSuffix(".json")
        return text.split(whereSeparator: \.isNewline).allSatisfy { line in
            let rest = line.drop(while: \.isWhitespace)
            return rest.isEmpty || !isJSON && (rest.hasPrefix("#") || rest == "---")
        }
    }

    private static func reason(_ error: any Error, _ path: String) -> String {
        guard TextFile.read(path) != nil else { return "no such file, or not readable by this user" }
        // Only the first line is used. It contains the error and its position. Later lines can quote a value, which may
        // be secret.
        return "\(error)".split(separator: "\n").first.map(String.init) ?? "it is malformed"
    }

    /// Returns the location of a key as `file:line`, found by a simple search in the text.
    private static func location(of key: String, in path: String) -> String {
        guard let last = key.split(separator: ".").last, let text = TextFile.read(path) else { return path }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let index = lines.firstIndex { line in
            let start = line.drop { $0.isWhitespace || $0 == "\"" || $0 == "'" || $0 == "{" }
            return start.hasPrefix(last) && start.dropFirst(last.count).contains(":")
        }
        return index.map { "\(path):\($0 + 1)" } ?? path
    }
}
