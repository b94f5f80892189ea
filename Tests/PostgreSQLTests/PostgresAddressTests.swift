import PostgreSQL
import Testing

@Suite("The address of a PostgreSQL database")
struct PostgresAddressTests {
    @Test(
        "An address is local if it is a socket or if one of its hosts is a loopback address",
        arguments: [
            ("postgres://lamplighter@/lamps", true),
            ("postgres://lamplighter@/lamps?host=/run/postgresql", true),
            ("postgres://lamplighter@localhost/lamps", true),
            ("postgres://lamplighter@127.0.0.1:5433/lamps", true),
            ("postgres://lamplighter@[::1]/lamps", true),
            ("postgres://lamplighter@db1,localhost/lamps", true),
            ("postgres://lamplighter@db1,db2/lamps", false),
            ("host=db1 hostaddr=192.0.2.1 dbname=lamps", false),
            ("service=lamps", false),
        ]
    )
    func isLocal(_ text: String, _ isLocal: Bool) throws {
        #expect(try PostgresAddress(text).isLocal == isLocal)
    }
}
