import Testing

@testable import Mosquitto

/// Tests of the memory that an intake keeps between batches.
@Suite struct IntakeTests {
    @Test("A discarded batch leaves none of its bytes in reused memory") func overwritten() throws {
        var intake = Intake()
        let secret = Array("the password is lamp".utf8)
        _ = secret.withUnsafeBytes { intake.store($0) }
        let address = intake.bytes.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }

        intake.removeAll()

        let memory = try #require(UnsafeRawPointer(bitPattern: address))
        let left = withExtendedLifetime(intake) { Array(UnsafeRawBufferPointer(start: memory, count: secret.count)) }
        #expect(left == Array(repeating: 0, count: secret.count))
        #expect(intake.isEmpty && intake.bytes.isEmpty)
    }
}
