package import JSON

/// The documents of the demo's product and app, as an operator would import them.
package enum DemoDocuments {
    /// Returns the document of a lamp with a thermometer, an alert and a fault.
    package static func product(_ keys: DemoKeys) -> JSONValue {
        .object([
            "productKey": .string(keys.productKey), "name": "Demo lamp",
            "productSecret": .string(keys.productSecret),
            "registration": "open", "reset": "owner", "remoteBind": "claim",
            "dataPoints": [
                ["name": "power", "displayName": "Power", "access": "rw", "type": "bool"],
                [
                    "name": "brightness", "displayName": "Brightness", "access": "rw", "type": "int", "min": 0,
                    "max": 100, "step": 1, "unit": "%",
                ],
                [
                    "name": "mode", "displayName": "Mode", "access": "rw", "type": "enum",
                    "values": ["white", "warm", "color", "night"],
                ],
                [
                    "name": "temperature", "displayName": "Temperature", "access": "ro", "type": "float", "min": -40,
                    "max": 125, "unit": "°C",
                ],
            ],
            "alerts": ["overheat"], "faults": ["lampFailure"],
        ])
    }

    /// Returns the document of an app for all products, with logins by phone or uid.
    package static func app(_ keys: DemoKeys) -> JSONValue {
        .object([
            "appId": .string(keys.appID), "name": "Demo app",
            "secret": .string(keys.appSecret),
            "policies": [
                "phoneRegistration": true, "uidLogin": true, "defaultCountryCode": "49",
            ],
            "providers": .object(JSONObject()), "products": "all",
        ])
    }
}
