import Administration
import ArgumentParser
import Backups
import Domain
import JSON

extension PassphraseOptions {
    func validate() throws {
        guard passphraseFile == nil || !passphrase else {
            throw ValidationError("--passphrase and --passphrase-file can't be combined")
        }
    }

    /// Reads the passphrase of `--passphrase-file` or `--passphrase`, or returns nil without these options.
    func read(isNew: Bool) throws -> Passphrase? {
        if let passphraseFile { return try Passphrase.read(file: passphraseFile) }
        return passphrase ? try Passphrase.ask(isNew: isNew) : nil
    }
}

/// The display of a backup's steps and result.
enum BackupProgress {
    /// Returns a function that shows progress, and that throws an error after Ctrl-C.
    static func shower(isSilent: Bool) -> Backup.Progress {
        Interrupt.listen()
        var shown: (step: String, percent: Int) = ("", -1)
        return { step, done in
            guard Interrupt.times == 0 else { throw ExitCode(130) }
            let percent = Int(done * 100)
            guard !isSilent, step != shown.step || percent / 10 != shown.percent / 10 else { return }
            let line = "  \(step) \(percent) %"
            if step == shown.step { Terminal.progress(line) } else { Terminal.tell(line) }
            shown = (step, percent)
        }
    }

    /// Shows the result of a backup command.
    static func show(_ report: Backup.Report, _ path: String, as state: String, output: OutputOptions) {
        let rows = report.summary.rows
        if output.json {
            let tables = rows.sorted { $0.key < $1.key }
                .map { ($0.key, JSONValue.integer(Int64($0.value))) }
            return Terminal.show(json: [
                "state": state, "path": path, "bytes": report.bytes,
                "madeAt": report.header.madeAt, "version": report.header.version,
                "encrypted": report.header.isEncrypted, "tables": JSONObject(tables),
            ])
        }
        let kind = report.header.isEncrypted ? "encrypted" : "not encrypted"
        print(
            "\(path): \(state), \(report.bytes >> 10) KiB, \(kind), of \(TimeText.of(report.header.madeAt)), with "
                + "\(rows["device"] ?? 0) devices and \(rows["account"] ?? 0) accounts"
        )
    }
}
