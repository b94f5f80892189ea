import Domain
import Synchronization
import TestKit
import Testing

@testable import Workers

@Suite("The password pool")
struct PasswordPoolTests {
    /// A password hasher that waits while a test holds the hasher's gate.
    final class SlowHasher: PasswordHashing {
        let gate = Mutex<Void>(())
        let running = Mutex((now: 0, most: 0))

        func hash(_ password: [UInt8]) throws -> String {
            running.withLock {
                $0.now += 1
                $0.most = max($0.most, $0.now)
            }
            defer { running.withLock { $0.now -= 1 } }
            return gate.withLock { _ in "plain:" + String(decoding: password, as: UTF8.self) }
        }

        func verify(_ password: [UInt8], against encoded: String) -> Bool {
            PlainHasher().verify(password, against: encoded)
        }

        func needsRehash(_ encoded: String) -> Bool { false }
    }

    private func secret(_ text: String) -> SecretBytes { SecretBytes(Array(text.utf8)) }

    @Test("The pool hashes, verifies, and renews old hashes", .endsInTime)
    func work() async throws {
        let sender = Sender("t")
        let pool = try PasswordPool(PlainHasher(mark: "new:"), threads: 2, bounds: PoolBounds(waiting: 10))
        #expect(await pool.run(.hash(secret("a")), for: sender).hash == "new:a")
        let verified = await pool.run(.verify(secret("a"), against: "old:a"), for: sender)
        #expect(verified.matched == "old:a" && verified.rehashed == "new:a")
        let wrong = await pool.run(.verify(secret("b"), against: "new:a"), for: sender)
        #expect(wrong.matched == nil)
        let dummy = await pool.run(.verify(secret("nobody's"), against: nil), for: sender)
        #expect(dummy.matched == nil && dummy.refusal == nil)
    }

    @Test("The numbers of running and of waiting jobs are limited", .endsInTime)
    func bounds() async throws {
        let hasher = SlowHasher()
        let pool = try PasswordPool(hasher, threads: 2, bounds: PoolBounds(waiting: 8))
        let results = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<200 {
                group.addTask {
                    let work = BackgroundTask.hash(SecretBytes([1]))
                    return await pool.run(work, for: Sender("t\(number % 20)")).refusal == nil
                }
            }
            return await group.reduce(into: [Bool]()) { $0.append($1) }
        }
        #expect(results.count == 200 && results.contains(true))
        #expect(hasher.running.withLock(\.most) <= 2)
        #expect(pool.room(in: .password) == 8)
    }

    @Test("A closed pool refuses waiting and new jobs", .endsInTime)
    func closed() async throws {
        let pool = try PasswordPool(PlainHasher(), threads: 1, bounds: PoolBounds(waiting: 8))
        pool.close()
        let password = secret("a")
        let refused = await pool.run(.hash(password), for: Sender("t"))
        #expect(refused.refusal?.code == .unavailable)
        #expect(password.withBytes { $0 == [0] })
        #expect(pool.room(in: .password) == 0)
    }

    /// Submits tasks of several senders while the hasher waits, and returns the results of all tasks.
    private func crowd(
        _ pool: PasswordPool,
        _ hasher: SlowHasher,
        _ senders: [Sender],
        _ secrets: [SecretBytes]
    ) async -> [Prepared] {
        let results = Mutex<[Int: Prepared]>([:])
        await withCheckedContinuation { all in
            hasher.gate.withLock { _ in
                for (place, sender) in senders.enumerated() {
                    pool.submit(.hash(secrets[place]), from: sender) { prepared in
                        let isLast = results.withLock { results in
                            results[place] = prepared
                            return results.count == senders.count
                        }
                        if isLast { all.resume() }
                    }
                }
            }
        }
        return results.withLock { results in senders.indices.map { results[$0] ?? Prepared() } }
    }

    @Test("A terminal can have two jobs at a time, and an address eight", .endsInTime)
    func held() async throws {
        let hasher = SlowHasher()
        let bounds = PoolBounds(waiting: 256, perSender: 2, perAddress: 8)
        let pool = try PasswordPool(hasher, threads: 1, bounds: bounds)
        let senders =
            (0..<3).map { _ in Sender("alone") } + (0..<10).map { Sender("near\($0)", address: "10.0.0.1") } + [
                Sender("other")
            ]
        let secrets = senders.map { _ in SecretBytes([7]) }
        let results = await crowd(pool, hasher, senders, secrets)
        #expect(results.prefix(3).map { $0.refusal?.code } == [nil, nil, .tooManyRequests])
        #expect(results[3..<13].count { $0.refusal == nil } == 8)
        #expect(results[13].refusal == nil)

        let again = await pool.run(.hash(SecretBytes([7])), for: Sender("alone"))
        #expect(again.refusal == nil)
    }

    @Test("No password stays in memory, whether it was hashed or refused", .endsInTime)
    func wiped() async throws {
        let hasher = SlowHasher()
        let bounds = PoolBounds(waiting: 4, perSender: 2)
        let pool = try PasswordPool(hasher, threads: 1, bounds: bounds)
        let senders = (0..<12).map { Sender("t\($0 / 3)") }
        let secrets = senders.map { _ in SecretBytes(Array("lamp over water".utf8)) }
        // The addresses of the secrets' memory, which stays allocated as long as the secrets exist.
        let places = secrets.map { secret in
            secret.withBytes { $0.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) } }
        }
        let before = places.map { memory($0, 15) }
        #expect(before.allSatisfy { $0 == Array("lamp over water".utf8) })

        let results = await crowd(pool, hasher, senders, secrets)

        #expect(results.contains { $0.hash == "plain:lamp over water" })
        #expect(results.contains { $0.refusal != nil })
        let after = places.map { memory($0, 15) }
        #expect(after.allSatisfy { $0 == [UInt8](repeating: 0, count: 15) })
        withExtendedLifetime(secrets) {}
    }

    private func memory(_ address: UInt, _ count: Int) -> [UInt8] {
        guard let start = UnsafePointer<UInt8>(bitPattern: address) else { return [] }
        return Array(UnsafeBufferPointer(start: start, count: count))
    }

    @Test("A completed job is released", .endsInTime)
    func forgotten() async throws {
        let hasher = SlowHasher()
        let pool = try PasswordPool(hasher, threads: 1, bounds: PoolBounds(waiting: 64))
        weak var first: SecretBytes?
        do {
            let secret = SecretBytes([1, 2, 3])
            first = secret
            _ = await pool.run(.hash(secret), for: Sender("a"))
        }
        // After a second job, the pool's only thread must have released the first job.
        _ = await pool.run(.hash(SecretBytes([4])), for: Sender("b"))
        #expect(first == nil)
    }
}
