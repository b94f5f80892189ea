import Domain
import JSON
import Storage
import Synchronization
import Testing
import Wire

@testable import Workers

@Suite("Requests with too little disk space") struct DiskLowTests {
    @Test("Writing requests are refused without effect and can be repeated; reading requests are answered")
    func requests() throws {
        let free = Mutex<Int64>(1)
        let world = try World(devices: 1, online: true, users: 2)
        let disk = DiskGuard(.init()) { .init(free: free.withLock(\.self), total: 1000) }
        world.environment.disk = disk
        _ = disk.look()

        world.sendBinding(0, id: "q1")
        world.sendRequest(0, "device/list", id: "q2")
        try world.runControl()
        #expect(world.answers().map(\.errorCode) == ["Unavailable", nil])
        #expect(try world.count("binding") == 0)

        free.withLock { $0 = 900 }
        _ = disk.look()
        world.sendBinding(0, id: "q1")
        try world.runControl()
        #expect(world.answers().last?.isOK == true)
        #expect(try world.count("binding") == 1)
    }
}
