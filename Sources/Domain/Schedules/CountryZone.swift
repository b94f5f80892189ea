/// The time zone of countries that keep one for all who have their calling code.
///
/// Codes that several zones share are left out: 1, 7, 34 (the Canaries), 52, 55, 56, 61, 62, 64, 351 (the
/// Azores), 593 and others. A wrong guess would wake people at the wrong hour; none is UTC, which shows.
package enum CountryZone {
    /// Returns the IANA name of the zone, or nil where there is none or more than one.
    package static func name(of countryCode: String) -> String? { zones[countryCode] }

    private static let zones: [String: String] = [
        // Europe
        "30": "Europe/Athens", "31": "Europe/Amsterdam", "32": "Europe/Brussels",
        "33": "Europe/Paris", "36": "Europe/Budapest", "39": "Europe/Rome",
        "40": "Europe/Bucharest", "41": "Europe/Zurich", "43": "Europe/Vienna",
        "44": "Europe/London", "45": "Europe/Copenhagen", "46": "Europe/Stockholm",
        "47": "Europe/Oslo", "48": "Europe/Warsaw", "49": "Europe/Berlin",
        "90": "Europe/Istanbul", "352": "Europe/Luxembourg", "353": "Europe/Dublin",
        "354": "Atlantic/Reykjavik", "355": "Europe/Tirane", "356": "Europe/Malta",
        "357": "Asia/Nicosia", "358": "Europe/Helsinki", "359": "Europe/Sofia",
        "370": "Europe/Vilnius", "371": "Europe/Riga", "372": "Europe/Tallinn",
        "373": "Europe/Chisinau", "375": "Europe/Minsk", "381": "Europe/Belgrade",
        "385": "Europe/Zagreb", "386": "Europe/Ljubljana", "387": "Europe/Sarajevo",
        "389": "Europe/Skopje", "420": "Europe/Prague", "421": "Europe/Bratislava",
        // Asia
        "60": "Asia/Kuala_Lumpur", "63": "Asia/Manila", "65": "Asia/Singapore",
        "66": "Asia/Bangkok", "81": "Asia/Tokyo", "82": "Asia/Seoul", "84": "Asia/Ho_Chi_Minh",
        "86": "Asia/Shanghai", "91": "Asia/Kolkata", "92": "Asia/Karachi", "94": "Asia/Colombo",
        "95": "Asia/Yangon", "98": "Asia/Tehran", "852": "Asia/Hong_Kong", "853": "Asia/Macau",
        "855": "Asia/Phnom_Penh", "856": "Asia/Vientiane", "880": "Asia/Dhaka",
        "886": "Asia/Taipei", "961": "Asia/Beirut", "962": "Asia/Amman", "964": "Asia/Baghdad",
        "965": "Asia/Kuwait", "966": "Asia/Riyadh", "968": "Asia/Muscat", "971": "Asia/Dubai",
        "972": "Asia/Jerusalem", "973": "Asia/Bahrain", "974": "Asia/Qatar",
        "977": "Asia/Kathmandu", "994": "Asia/Baku", "995": "Asia/Tbilisi",
        // Africa and America
        "20": "Africa/Cairo", "27": "Africa/Johannesburg", "51": "America/Lima",
        "54": "America/Argentina/Buenos_Aires", "57": "America/Bogota", "58": "America/Caracas",
        "213": "Africa/Algiers", "216": "Africa/Tunis", "233": "Africa/Accra",
        "234": "Africa/Lagos", "254": "Africa/Nairobi", "506": "America/Costa_Rica",
        "507": "America/Panama", "591": "America/La_Paz", "598": "America/Montevideo",
    ]
}
