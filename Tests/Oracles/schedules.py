"""Makes random schedules and computes when they are due, without any code of the service.

The days come from dateutil's rrule, and the offsets come from Python's zoneinfo. Sunrise and sunset come from NOAA's
hour angle, computed as in NOAA's spreadsheet. The last line of the output counts four kinds of special cases. Only
for the first kind do the contract and zoneinfo give different results:

  gap       a local time that a clock change skips: Python moves it on by the length of the gap, the
            contract moves it to the end of the gap
  fold      a local time that occurs twice: both take the first
  grazing   the sun touches the horizon near noon or midnight, where the hour angle doesn't
            converge: the height of the sun is followed step by step instead
  border    a sunrise or sunset within 2 ms of a half minute, where rounding can differ: the
            schedule is left out

Usage: schedules.py SEED COUNT. Each schedule is a line with these fields, separated by tabs: zone, days, time,
latitude, longitude, after (ms), due times (ms, separated by commas)
"""

import datetime as dt
import math
import random
import sys
import zoneinfo
from dateutil import rrule

UTC = dt.timezone.utc
EPOCH = dt.datetime(1970, 1, 1)
SPECIAL = ["Pacific/Apia", "Australia/Lord_Howe", "Asia/Kathmandu", "Europe/Dublin", "America/Sao_Paulo",
           "Africa/Casablanca", "Africa/El_Aaiun", "America/Nuuk", "Europe/Moscow", "Asia/Pyongyang",
           "America/Caracas", "Antarctica/Troll", "Pacific/Kiritimati", "Asia/Gaza", "Asia/Tehran",
           "America/St_Johns", "Europe/Istanbul", "Pacific/Chatham", "Asia/Kolkata", "Europe/Berlin",
           "America/New_York", "Africa/Juba", "Asia/Amman", "America/Havana", "Africa/Cairo", "UTC",
           "Pacific/Fakaofo", "Pacific/Kwajalein", "Asia/Manila", "America/Asuncion", "Asia/Beirut"]
counts = {"gap": 0, "fold": 0, "grazing": 0, "border": 0}


# Time zones.

def seconds(naive: dt.datetime) -> int:
    """Returns the seconds from the epoch to a time, which is taken as UTC."""
    delta = naive - EPOCH
    return delta.days * 86400 + delta.seconds


def offset(zone: zoneinfo.ZoneInfo, at: int) -> int:
    moment = (EPOCH + dt.timedelta(seconds=at)).replace(tzinfo=UTC).astimezone(zone)
    return int(moment.utcoffset().total_seconds())


def resolve(zone: zoneinfo.ZoneInfo, local: dt.datetime) -> int:
    """Returns the moment of a local time.

    If the local time occurs twice, the first moment counts. If a clock change skips the local time, the moment is the
    end of the gap."""
    wall = seconds(local)
    first = wall - int(local.replace(tzinfo=zone, fold=0).utcoffset().total_seconds())
    second = wall - int(local.replace(tzinfo=zone, fold=1).utcoffset().total_seconds())
    if first + offset(zone, first) == wall:
        if first != second:
            counts["fold"] += 1
        return first
    counts["gap"] += 1
    low, high = min(first, second) - 1, max(first, second) + 1
    before = offset(zone, low)
    while high - low > 1:
        middle = (low + high) // 2
        if offset(zone, middle) == before:
            low = middle
        else:
            high = middle
    return high


def transitions(zone: zoneinfo.ZoneInfo) -> list[int]:
    """Returns the times between 1930 and 2070 at which a zone's offset changes.

    The function compares the offsets every 15 days, so it misses a few changes."""
    found, step = [], 15 * 86400
    at, before = -1262304000, offset(zone, -1262304000)
    while at < 3155760000:
        after = offset(zone, at + step)
        if after != before:
            low, high = at, at + step
            while high - low > 1:
                middle = (low + high) // 2
                if offset(zone, middle) == before:
                    low = middle
                else:
                    high = middle
            found.append(high)
        at, before = at + step, after
    return found


# The sun.

def sun(at: float) -> tuple[float, float]:
    """Returns the sun's declination (degrees) and the equation of time (minutes), as in NOAA's spreadsheet."""
    day = at / 86400 + 2440587.5
    t = (day - 2451545) / 36525
    long = (280.46646 + t * (36000.76983 + t * 0.0003032)) % 360
    anom = 357.52911 + t * (35999.05029 - 0.0001537 * t)
    ecc = 0.016708634 - t * (0.000042037 + 0.0000001267 * t)
    m = math.radians(anom)
    centre = (math.sin(m) * (1.914602 - t * (0.004817 + 0.000014 * t))
              + math.sin(2 * m) * (0.019993 - 0.000101 * t) + math.sin(3 * m) * 0.000289)
    node = math.radians(125.04 - 1934.136 * t)
    app = math.radians(long + centre - 0.00569 - 0.00478 * math.sin(node))
    mean = 23 + (26 + (21.448 - t * (46.815 + t * (0.00059 - t * 0.001813))) / 60) / 60
    obl = math.radians(mean + 0.00256 * math.cos(node))
    decl = math.degrees(math.asin(math.sin(obl) * math.sin(app)))
    y = math.tan(obl / 2) ** 2
    l0 = math.radians(long)
    eot = 4 * math.degrees(y * math.sin(2 * l0) - 2 * ecc * math.sin(m)
                           + 4 * ecc * y * math.sin(m) * math.cos(2 * l0)
                           - 0.5 * y * y * math.sin(4 * l0) - 1.25 * ecc * ecc * math.sin(2 * m))
    return decl, eot


def height(at: float, latitude: float, longitude: float) -> float:
    decl, eot = sun(at)
    angle = math.radians((at / 60 + eot + 4 * longitude) % 1440 / 4 - 180)
    lat, d = math.radians(latitude), math.radians(decl)
    return math.sin(lat) * math.sin(d) + math.cos(lat) * math.cos(d) * math.cos(angle)


def noon(day: int, longitude: float) -> float:
    at = day * 86400 + 43200 - longitude * 240
    for _ in range(4):
        at = day * 86400 + 43200 - longitude * 240 - sun(at)[1] * 60
    return at


def event(kind: str, day: int, latitude: float, longitude: float) -> float | None:
    """Returns the time of the sunrise or sunset that is nearest to the solar noon of a UTC day.

    The sunrise is before this noon, and the sunset is after it. The result is None if the sun doesn't rise or set.
    """
    middle = noon(day, longitude)
    sign = -1 if kind == "sunrise" else 1
    at = middle + sign * 21600
    for _ in range(60):
        decl, eot = sun(at)
        lat, d = math.radians(latitude), math.radians(decl)
        cosine = (math.cos(math.radians(90.833)) / (math.cos(lat) * math.cos(d))
                  - math.tan(lat) * math.tan(d))
        if abs(cosine) > 0.97:
            return grazing(sign, middle, latitude, longitude)
        there = (day * 86400 + 43200 - longitude * 240 - eot * 60
                 + sign * math.degrees(math.acos(cosine)) * 240)
        if abs(there - at) < 1e-6:
            return there
        at = there
    return grazing(sign, middle, latitude, longitude)


def grazing(sign: int, middle: float, latitude: float, longitude: float) -> float | None:
    counts["grazing"] += 1
    horizon = math.cos(math.radians(90.833))
    low, high = middle + sign * 43200, middle
    if height(high, latitude, longitude) <= horizon or height(low, latitude, longitude) > horizon:
        return None
    step = (low - high) / 288
    at = high
    while height(at + step, latitude, longitude) > horizon:
        at += step
    up, down = at, at + step
    while abs(up - down) > 1e-6:
        half = (up + down) / 2
        if height(half, latitude, longitude) > horizon:
            up = half
        else:
            down = half
    return up


# Schedules.

def days(kind: str, numbers: list[int], start: dt.datetime, end: dt.datetime) -> list[dt.datetime]:
    if kind == "w":
        rule = rrule.rrule(rrule.WEEKLY, dtstart=start, until=end, byweekday=[n - 1 for n in numbers])
    else:
        rule = rrule.rrule(rrule.MONTHLY, dtstart=start, until=end, bymonthday=numbers)
    return list(rule)


def candidates(kind, numbers, around: int, ahead: int) -> list[dt.datetime]:
    if kind == "o":
        return [EPOCH + dt.timedelta(days=numbers[0])]
    start = (EPOCH + dt.timedelta(seconds=around)).replace(hour=0, minute=0, second=0, microsecond=0)
    return days(kind, numbers, start - dt.timedelta(days=4), start + dt.timedelta(days=ahead))


def due_by_clock(zone, kind, numbers, minutes, after) -> list[int]:
    ahead = 12 if kind == "w" and len(numbers) > 3 else 30 if kind == "w" else 190
    found = [resolve(zone, day + dt.timedelta(minutes=minutes))
             for day in candidates(kind, numbers, after // 1000, ahead)]
    return sorted({at * 1000 for at in found if at * 1000 > after})[:3]


def due_by_sun(zone, kind, numbers, which, shift, latitude, longitude, after) -> list[int] | None:
    base = after // 86400000
    if kind == "o":
        wanted, span = set(numbers), range(numbers[0] - 2, numbers[0] + 3)
    else:
        ahead = 12 if kind == "w" else 70
        wanted = {seconds(day) // 86400 for day in candidates(kind, numbers, after // 1000, ahead + 4)}
        span = range(base - 4, base + ahead)
    seen, found = set(), []
    for day in span:
        at = event(which, day, latitude, longitude)
        if at is None:
            continue
        if abs(at % 60 - 30) < 0.002:
            counts["border"] += 1
            return None
        local = (math.floor(at) + offset(zone, math.floor(at))) // 86400
        # A local day can have two sunrises or two sunsets, of which only the first counts. The sunrise or sunset of the
        # first computed day never counts, because it may be the second of its local day.
        if local in seen or day == span[0]:
            seen.add(local)
            continue
        seen.add(local)
        if local in wanted:
            found.append((math.floor((at + 30) / 60) * 60 + shift * 60) * 1000)
    # The last local day may have a second sunrise or sunset that was not computed. That changes nothing, because only
    # the first one of a local day counts.
    return sorted({at for at in found if at > after})[:2]


def numbers_of(kind: str, around: int) -> list[int]:
    if kind == "w":
        return sorted(random.sample(range(1, 8), random.randint(1, 7)))
    if kind == "m":
        pool = random.choice([range(1, 32), range(28, 32), (1, 31)])
        return sorted(random.sample(list(pool), random.randint(1, min(5, len(pool)))))
    return [around // 86400 + random.randint(-2, 40)]


def main() -> None:
    random.seed(int(sys.argv[1]))
    wanted = int(sys.argv[2])
    names = sorted(zoneinfo.available_timezones() - {"localtime", "posixrules", "Factory"})
    names = [name for name in names if not name.startswith(("right/", "posix/"))]
    names = SPECIAL + random.sample(names, min(len(names), max(40, wanted // 200)))
    names = [name for name in names if name in zoneinfo.available_timezones()]
    zones = {name: zoneinfo.ZoneInfo(name) for name in names}
    changes = {name: transitions(zone) for name, zone in zones.items()}
    made = 0
    while made < wanted:
        name = random.choice(names)
        zone = zones[name]
        if changes[name] and random.random() < 0.6:
            at = random.choice(changes[name]) + random.randint(-3 * 86400, 86400)
        else:
            at = random.randint(-1893456000, 7258118400)
        after = at * 1000 + random.randint(0, 999)
        kind = random.choice("wwwmmo")
        numbers = numbers_of(kind, at)
        if random.random() < 0.25:
            which, shift = random.choice(["sunrise", "sunset"]), random.randint(-1439, 1439)
            latitude = round(random.uniform(-89.9, 89.9) if random.random() < 0.3
                             else random.uniform(-66, 66), 4)
            longitude = round(random.uniform(-180, 180), 4)
            due = due_by_sun(zone, kind, numbers, which, shift, latitude, longitude, after)
            time = f"{which}{'-' if shift < 0 else '+'}{abs(shift) // 60:02}:{abs(shift) % 60:02}"
            if due is None:
                continue
        else:
            minutes = random.choice([random.randint(0, 1439), random.randint(0, 240), 0, 150])
            time, latitude, longitude = f"{minutes // 60:02}:{minutes % 60:02}", "", ""
            due = due_by_clock(zone, kind, numbers, minutes, after)
        print(name, kind + ",".join(map(str, numbers)), time, latitude, longitude, after,
              ",".join(map(str, due)), sep="\t")
        made += 1
    print("end", made, *(f"{key}={value}" for key, value in counts.items()), sep="\t")


if __name__ == "__main__":
    main()
