import Domain
import JSON
import Storage
import Testing
import Wire

@testable import Workers

@Suite("A transaction and its effects")
struct UnitOfWorkTests {
    private struct Broken: Error {}

    private static func message(_ text: String) -> OutboundMessage {
        OutboundMessage(World.topics.system(text), Array(text.utf8))
    }

    @Test("A failed part leaves nothing in the store or among the effects") func failedPart() throws {
        let world = try World()

        let (_, effects) = try world.work { work in
            work.effects.publish(Self.message("first"))
            #expect(throws: Broken.self) {
                try work.isolated { part in
                    try part.tx.meta.set("part", to: "failed")
                    part.effects.publish(Self.message("failed"))
                    part.effects.wake(.control)
                    throw Broken()
                }
            }
            try work.isolated { part in
                try part.tx.meta.set("other", to: "kept")
                part.effects.publish(Self.message("second"))
                part.effects.wake(.status)
            }
        }

        #expect(effects.messages == [Self.message("first"), Self.message("second")])
        #expect(effects.woken == [.init(.status)])
        #expect(try world.read { try $0.meta.value("part") } == nil)
        #expect(try world.read { try $0.meta.value("other") } == "kept")
    }

    @Test("Merged effects keep the order of messages and all other effects")
    func merge() {
        var first = Effects()
        first.publish(Self.message("1"))
        first.count(Rejection(.forbidden, "no"))
        var second = Effects()
        second.publish(Self.message("2"), isSecret: true)
        second.deadLetter(.failed, "broken", topic: "t", payload: [])
        second.count(Rejection(.forbidden, "no"))
        second.countDroppedHistory(3)
        second.wake(.control)

        first.merge(second)

        #expect(first.messages == [Self.message("1"), Self.message("2")])
        #expect(first.isSecret && first.deadLetters.count == 1 && first.woken == [.init(.control)])
        #expect(first.rejected == ["Forbidden": 2] && first.droppedHistory == 3)
    }

    @Test("Outside a worker's loop, dead letters are stored and workers are woken, too") func outside() throws {
        let world = try World()

        try world.environment.work(publishedBy: .session) { work in
            work.effects.deadLetter(.failed, "broken", topic: "t", payload: [])
            work.effects.wake(.control)
        }

        let wakeups = world.environment.wakeups
        #expect(wakeups.takeWakeup(of: Lane(.control)) && wakeups.takeWakeup(of: Lane(.session)))
        #expect(try world.count("deadLetter") == 1)
        try world.runSession()
        let notices = world.broker.published(to: "ll/v1/system/dead-letter")
        #expect(notices.map { $0["reason"] } == ["broken"])
    }

    @Test("A tool leaves its messages to one of the service's workers")
    func tool() throws {
        let world = try World()

        let limits = world.environment.limits
        try world.store.work(publishedBy: .session, topics: World.topics, limits: limits) { work in
            work.effects.publish(OutboundMessage(World.topics.system("told"), Array("{\"by\":\"tool\"}".utf8)))
        }

        try world.runSession()
        #expect(world.broker.published(to: "ll/v1/system/told").map { $0["by"] } == ["tool"])
    }
}
