import Glibc

/// A writer of the gate's credentials file, which appends changed records or rewrites the whole file.
///
/// Several processes can write the file. Each operation holds the lock of `PATH.lock`. The operation first reads the
/// records that other processes have appended. The gate reads appended records before it admits the next client. The
/// service can thus answer a request right after an append. A `rewrite` is synced to disk. Appends aren't synced,
/// because the service can rewrite a lost file from the store. A caller holds the lock (`hold`) while it copies records
/// from the store. Otherwise, an older record could follow a newer one. Calls block, and two threads must not use one
/// value at the same time.
///
///     var file = try CredentialsFile(path: "gate/credentials")
///     if file.isDamaged { try file.rewrite(everything) }
///     try file.append([.device(did: did, secret: digest)])
///     if file.totalCount > 2 * file.liveCount + 1_000 { try file.rewrite(everything) }
package struct CredentialsFile: ~Copyable, Sendable {
    private let path: String
    private var descriptor: Descriptor?
    private var inode: ino_t = 0
    private var parser = CredentialsParser()
    /// The offset after the last complete record.
    private var end = 0
    /// A hash of the kind and key of each record that is still in force; hashes take less memory than the keys.
    private var live: Set<Int> = []
    private var appendFailed = false
    /// Whether records that an earlier writer committed to the store may be missing from the file.
    private var isOwed = false
    private var held: CredentialsLock?

    /// The number of records in the file, including replaced records.
    package private(set) var totalCount = 0

    /// The number of records that are still in force, because no later record replaces or removes them.
    ///
    /// The records of the case `removed` aren't counted.
    package var liveCount: Int { live.count }

    /// True if records can't be appended to the file.
    ///
    /// A gate that finds the file damaged admits only workers until the file is rewritten. The gate can still check the
    /// workers' password, because the hash of this password is among the gate's options.
    package var isDamaged: Bool { appendFailed || isOwed || parser.isDamaged }

    /// Opens or creates the file, and cuts off a crashed writer's incomplete record.
    package init(path: String) throws(CredentialsError) {
        self.path = path
        let lock = try CredentialsLock.take(of: path)
        if access(path, F_OK) != 0 { try replace(with: [], holding: lock) }
        try catchUp()
        isOwed = lock.isOwed
        _ = consume lock
    }

    /// Makes all other writers wait until `release` is called.
    package mutating func hold() throws(CredentialsError) {
        guard held == nil else { return }
        hold(try CredentialsLock.take(of: path))
    }

    /// Keeps the caller's lock, so that all other writers wait until `release`.
    package mutating func hold(_ lock: consuming CredentialsLock) {
        isOwed = isOwed || lock.isOwed
        held = consume lock
    }

    /// Tells the waiting writers that this writer is still active, if this writer holds the lock.
    package func keep() throws(CredentialsError) { try held?.keep() }

    /// Releases the lock.
    ///
    /// The caller passes true for `withdrawing` if it committed nothing to the store. The method then also withdraws
    /// the promise that the caller made with the lock (`CredentialsLock.promise`).
    package mutating func release(withdrawing: Bool = false) {
        // If the withdrawal fails, the next writer rewrites the file. The rewrite takes longer but does no harm.
        if withdrawing { try? held?.withdraw() }
        held = nil
    }

    /// Appends records with a single write, which stores all of them or none.
    ///
    /// - Throws: `CredentialsError`. If `isDamaged` is true after the error, the file must be rewritten.
    package mutating func append(_ records: [Record]) throws(CredentialsError) {
        guard !records.isEmpty else { return }
        var bytes: [UInt8] = []
        for record in records { bytes += try record.encoded() }
        try inTurn { file, lock throws(CredentialsError) in
            try file.catchUp()
            guard !file.isDamaged else { throw .damaged }
            try lock.keep()
            try file.write(bytes)
            for record in records { file.count(record) }
            file.end += bytes.count
            try lock.settle()
        }
    }

    /// Replaces the file with a new, synced file that contains exactly these records.
    ///
    /// The old file is unchanged if writing or renaming fails.
    package mutating func rewrite(_ records: [Record]) throws(CredentialsError) {
        try inTurn { file, lock throws(CredentialsError) in
            try file.replace(with: records, holding: lock)
            file.descriptor = nil
            try file.catchUp()
            file.isOwed = false
            try lock.settle()
        }
    }

    private mutating func inTurn(
        _ body: (inout CredentialsFile, borrowing CredentialsLock) throws(CredentialsError) -> Void
    ) throws(CredentialsError) {
        let isHeld = held != nil
        try hold()
        guard let lock = held.take() else { return }
        do {
            try body(&self, lock)
        } catch {
            if error == .lostTurn { appendFailed = true }
            held = isHeld ? consume lock : nil
            throw error
        }
        held = isHeld ? consume lock : nil
    }

    private mutating func write(_ bytes: [UInt8]) throws(CredentialsError) {
        do {
            try descriptor?.writeOnce(bytes)
        } catch {
            appendFailed = true
            try descriptor?.truncate(to: end)
            appendFailed = false
            throw error
        }
    }

    private func replace(with records: [Record], holding lock: borrowing CredentialsLock) throws(CredentialsError) {
        let draft = "\(path).new"
        unlink(draft)
        let file = try Descriptor(draft, O_WRONLY | O_CREAT | O_EXCL, mode: 0o640)
        var bytes = Layout.header
        for record in records {
            bytes += try record.encoded()
            if bytes.count >= 1 << 20 {
                try lock.keep()
                try file.writeOnce(bytes)
                bytes.removeAll(keepingCapacity: true)
            }
        }
        try file.writeOnce(bytes)
        // The broker's group must be able to read the file, whatever the umask is.
        guard fchmod(file.number, 0o640) == 0 else { throw .system(call: "fchmod", errno: errno) }
        try file.synchronize()
        try lock.keep()
        guard rename(draft, path) == 0 else { throw .system(call: "rename", errno: errno) }
        try synchronizeFolder()
    }

    private func synchronizeFolder() throws(CredentialsError) {
        let slash = path.lastIndex(of: "/")
        let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        try Descriptor(folder, O_RDONLY | O_DIRECTORY).synchronize()
    }

    /// Reads the records that other writers have appended, or all records if the file was replaced.
    private mutating func catchUp() throws(CredentialsError) {
        var status = stat()
        guard stat(path, &status) == 0 else { throw .system(call: "stat", errno: errno) }
        if descriptor == nil || status.st_ino != inode || status.st_size < end {
            descriptor = try Descriptor(path, O_RDWR | O_APPEND)
            (parser, end, totalCount, appendFailed) = (CredentialsParser(), 0, 0, false)
            live.removeAll()
        }
        inode = status.st_ino
        let size = Int(status.st_size)
        guard size > end, let bytes = try descriptor?.read(from: end, count: size - end) else { return }
        takeIn(bytes)
        // This process has the lock, so an incomplete record comes from a crashed process.
        if !isDamaged, end < size { try descriptor?.truncate(to: end) }
    }

    private mutating func takeIn(_ bytes: [UInt8]) {
        var parser = parser
        var records: [Record] = []
        end += parser.parse(bytes) { records.append($0) }
        self.parser = parser
        for record in records { count(record) }
    }

    private mutating func count(_ record: Record) {
        totalCount += 1
        var hasher = Hasher()
        hasher.combine(record.kind)
        hasher.combine(record.key)
        if case .removed = record { live.remove(hasher.finalize()) } else { live.insert(hasher.finalize()) }
    }
}
