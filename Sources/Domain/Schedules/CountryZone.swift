/// The time zones of the calling codes that have a single one.
///
/// Codes with several zones are left out: 1, 7, 34 (the Canaries), 52, 55, 56, 61, 62, 64, 351 (the
/// Azores), 593 and others. A wrong guess would wake people at the wrong hour; without a zone it is
/// UTC, which users notice.
package enum CountryZone {
    /// Returns the IANA name of the zone, or nil if there is none or more than one.
    package static func name(of countryCode: String) -> String? { zones[countryCode] }

    private static let zones: [String: String] = [
        // Europe
        "30": "Europe/Athens", "31": "Europe/Amsterdam", "32": "Europe/Brussels",
        "33": "Europe/Paris", "36": "Europe/Budapest", "39": "Europe/Rome",
        "40": "Europe/Bucharest", "41": "Europe/Zurich", "43": "Europe/Vienna",
        "44": "Europe/London", "45": "Europe/Copenhagen", "46": "Europe/Stockholm",
        "47": "Europe/Oslo", "48": "Europe/Warsaw", "49": "Europe/Berlin", "90": "Europe/Istanbul",
        "298": "Atlantic/Faroe", "350": "Europe/Gibraltar", "352": "Europe/Luxembourg",
        "353": "Europe/Dublin", "354": "Atlantic/Reykjavik", "355": "Europe/Tirane",
        "356": "Europe/Malta", "357": "Asia/Nicosia", "358": "Europe/Helsinki",
        "359": "Europe/Sofia", "370": "Europe/Vilnius", "371": "Europe/Riga",
        "372": "Europe/Tallinn", "373": "Europe/Chisinau", "375": "Europe/Minsk",
        "376": "Europe/Andorra", "377": "Europe/Monaco", "378": "Europe/San_Marino",
        "380": "Europe/Kyiv", "381": "Europe/Belgrade", "382": "Europe/Podgorica",
        "383": "Europe/Belgrade", "385": "Europe/Zagreb", "386": "Europe/Ljubljana",
        "387": "Europe/Sarajevo", "389": "Europe/Skopje", "420": "Europe/Prague",
        "421": "Europe/Bratislava", "423": "Europe/Vaduz",
        // Asia
        "60": "Asia/Kuala_Lumpur", "63": "Asia/Manila", "65": "Asia/Singapore",
        "66": "Asia/Bangkok", "81": "Asia/Tokyo", "82": "Asia/Seoul", "84": "Asia/Ho_Chi_Minh",
        "86": "Asia/Shanghai", "91": "Asia/Kolkata", "92": "Asia/Karachi", "93": "Asia/Kabul",
        "94": "Asia/Colombo", "95": "Asia/Yangon", "98": "Asia/Tehran", "374": "Asia/Yerevan",
        "670": "Asia/Dili", "673": "Asia/Brunei", "850": "Asia/Pyongyang", "852": "Asia/Hong_Kong",
        "853": "Asia/Macau", "855": "Asia/Phnom_Penh", "856": "Asia/Vientiane", "880": "Asia/Dhaka",
        "886": "Asia/Taipei", "960": "Indian/Maldives", "961": "Asia/Beirut", "962": "Asia/Amman",
        "963": "Asia/Damascus", "964": "Asia/Baghdad", "965": "Asia/Kuwait", "966": "Asia/Riyadh",
        "967": "Asia/Aden", "968": "Asia/Muscat", "971": "Asia/Dubai", "972": "Asia/Jerusalem",
        "973": "Asia/Bahrain", "974": "Asia/Qatar", "975": "Asia/Thimphu", "977": "Asia/Kathmandu",
        "992": "Asia/Dushanbe", "993": "Asia/Ashgabat", "994": "Asia/Baku", "995": "Asia/Tbilisi",
        "996": "Asia/Bishkek", "998": "Asia/Tashkent",
        // Africa
        "20": "Africa/Cairo", "27": "Africa/Johannesburg", "211": "Africa/Juba",
        "213": "Africa/Algiers", "216": "Africa/Tunis", "218": "Africa/Tripoli",
        "220": "Africa/Banjul", "221": "Africa/Dakar", "222": "Africa/Nouakchott",
        "223": "Africa/Bamako", "224": "Africa/Conakry", "225": "Africa/Abidjan",
        "226": "Africa/Ouagadougou", "227": "Africa/Niamey", "228": "Africa/Lome",
        "229": "Africa/Porto-Novo", "230": "Indian/Mauritius", "231": "Africa/Monrovia",
        "232": "Africa/Freetown", "233": "Africa/Accra", "234": "Africa/Lagos",
        "235": "Africa/Ndjamena", "236": "Africa/Bangui", "237": "Africa/Douala",
        "238": "Atlantic/Cape_Verde", "239": "Africa/Sao_Tome", "240": "Africa/Malabo",
        "241": "Africa/Libreville", "242": "Africa/Brazzaville", "244": "Africa/Luanda",
        "245": "Africa/Bissau", "246": "Indian/Chagos", "248": "Indian/Mahe",
        "249": "Africa/Khartoum", "250": "Africa/Kigali", "251": "Africa/Addis_Ababa",
        "252": "Africa/Mogadishu", "253": "Africa/Djibouti", "254": "Africa/Nairobi",
        "255": "Africa/Dar_es_Salaam", "256": "Africa/Kampala", "257": "Africa/Bujumbura",
        "258": "Africa/Maputo", "260": "Africa/Lusaka", "261": "Indian/Antananarivo",
        "263": "Africa/Harare", "264": "Africa/Windhoek", "265": "Africa/Blantyre",
        "266": "Africa/Maseru", "267": "Africa/Gaborone", "268": "Africa/Mbabane",
        "269": "Indian/Comoro", "291": "Africa/Asmara",
        // America
        "51": "America/Lima", "53": "America/Havana", "54": "America/Argentina/Buenos_Aires",
        "57": "America/Bogota", "58": "America/Caracas", "297": "America/Aruba",
        "500": "Atlantic/Stanley", "501": "America/Belize", "502": "America/Guatemala",
        "503": "America/El_Salvador", "504": "America/Tegucigalpa", "505": "America/Managua",
        "506": "America/Costa_Rica", "507": "America/Panama", "508": "America/Miquelon",
        "509": "America/Port-au-Prince", "591": "America/La_Paz", "592": "America/Guyana",
        "594": "America/Cayenne", "595": "America/Asuncion", "596": "America/Martinique",
        "597": "America/Paramaribo", "598": "America/Montevideo",
        // Oceania
        "674": "Pacific/Nauru", "676": "Pacific/Tongatapu", "677": "Pacific/Guadalcanal",
        "678": "Pacific/Efate", "679": "Pacific/Fiji", "680": "Pacific/Palau",
        "681": "Pacific/Wallis", "682": "Pacific/Rarotonga", "683": "Pacific/Niue",
        "685": "Pacific/Apia", "687": "Pacific/Noumea", "688": "Pacific/Funafuti",
        "690": "Pacific/Fakaofo",
    ]
}
