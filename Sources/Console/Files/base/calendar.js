// Times in a time zone: the zone's wall clock, and when its hours, days and months begin.

const formats = new Map();

function parts(at, zone) {
  if (!formats.has(zone)) {
    formats.set(zone, new Intl.DateTimeFormat('en-US', {
      timeZone: zone, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric',
    }));
  }
  return Object.fromEntries(formats.get(zone).formatToParts(at).map(({ type, value }) => [type, Number(value)]));
}

/** Returns how far a zone's clocks are ahead of UTC at a moment, in milliseconds. */
export function offset(at, zone) {
  const { year, month, day, hour, minute, second } = parts(at, zone);
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at / 1000) * 1000;
}

// Returns the moment at which a zone's clocks show the wall time `wall`. `wall` is the timestamp that this wall time
// would have in UTC.
function moment(wall, zone) {
  const guess = wall - offset(wall, zone);
  return wall - offset(guess, zone);
}

const HOUR = 3_600_000;
const STEPS = [60_000, 300_000, 900_000, HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, 'day', 'week', 'month', 'quarter', 'year'];
const LENGTH = { day: 24 * HOUR, week: 168 * HOUR, month: 730 * HOUR, quarter: 2190 * HOUR, year: 8760 * HOUR };

/** Returns whether this browser knows a zone by that name. */
export function isZone(name) {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** Returns round moments of a zone within a range, at most `most` of them, and the step between them. */
export function ticks(from, to, zone, most) {
  const step = STEPS.find(step => (to - from) / (LENGTH[step] ?? step) <= most) ?? 'year';
  const found = [];
  let wall = beginning(from + offset(from, zone), step);
  for (let at = moment(wall, zone); at <= to && found.length < 200; at = moment(wall, zone)) {
    if (at >= from) found.push(at);
    wall = beginning(wall, step, 1);
  }
  return { step, found };
}

// Returns the beginning of the period that contains the wall time `wall`. If `later` is above 0, a later period is used
// instead: 1 means the next period. `step` is the length of a period, such as a day or a month.
function beginning(wall, step, later = 0) {
  const date = new Date(wall);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  switch (step) {
    case 'year': return Date.UTC(year + later, 0, 1);
    case 'quarter': return Date.UTC(year, month - month % 3 + 3 * later, 1);
    case 'month': return Date.UTC(year, month + later, 1);
    case 'week': return Date.UTC(year, month, day - (date.getUTCDay() + 6) % 7 + 7 * later);
    case 'day': return Date.UTC(year, month, day + later);
    default: return (Math.floor(wall / step) + later) * step;
  }
}

/** Returns a tick's text: hours as hours, the first tick of a day with its date. */
export function tickText(at, step, zone, language) {
  const options = typeof step === 'string'
    ? (step === 'year' ? { year: 'numeric' } : step === 'month' || step === 'quarter' ? { month: 'short', year: 'numeric' } : { month: 'short', day: 'numeric' })
    : midnight(at, zone) ? { month: 'short', day: 'numeric' } : { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' };
  return new Intl.DateTimeFormat(language, { timeZone: zone, ...options }).format(at);
}

function midnight(at, zone) {
  const { hour, minute } = parts(at, zone);
  return hour === 0 && minute === 0;
}

/** Returns the changes of a zone's clocks within a range; `hours` is how far a change sets the clocks forward. */
export function clockChanges(from, to, zone) {
  const found = [];
  for (let at = from; at < to; at += HOUR) {
    const change = offset(at + HOUR, zone) - offset(at, zone);
    if (change) found.push({ at: at + HOUR, hours: change / HOUR });
  }
  return found;
}
