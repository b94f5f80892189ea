import Testing

@testable import Metering

@Suite struct RelayPlaceTests {
    @Test(
        "Each place has its own address, from which the place can be derived",
        arguments: [0, 1, 255, 256, 65_535]
    )
    func places(_ place: Int) {
        #expect(RelayPlace.place(of: RelayPlace.address(of: place)) == place)
    }

    @Test(
        "Other addresses have no place",
        arguments: [
            "127.0.0.1", "127.65.0.1", "127.64.0", "127.64.0.256", "127.64.0.1.1", "192.0.2.7",
            "::1", "",
        ]
    )
    func others(_ address: String) {
        #expect(RelayPlace.place(of: address) == nil)
    }
}
