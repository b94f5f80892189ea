// The texts in the reader's language, from words-en.json and words-zh.json in this file's folder. The playground below
// /docs uses this file too, but with its own words-en.json and words-zh.json.

const LANGUAGES = ['en', 'zh'];

/** Reads a file of texts by its language. */
export const read = async name => (await fetch(new URL(`words-${name}.json`, import.meta.url))).json();

function wanted() {
  const chosen = localStorage.getItem('language');
  if (LANGUAGES.includes(chosen)) return chosen;
  return navigator.languages.map(tag => tag.slice(0, 2).toLowerCase()).find(tag => LANGUAGES.includes(tag)) ?? 'en';
}

export const language = wanted();
/** The language tag with a region, which determines the form of dates and numbers. */
export const locale = navigator.languages.find(tag => tag.startsWith(language)) ?? language;
export const t = await read(language);

/**
 * Fills a text's placeholders: {0} with the first value, and {0|device|devices} with the singular or
 * the plural, as the value requires.
 *
 * Returns a list of views if one of the values is a view, else a text.
 */
export function fill(text, ...values) {
  const parts = text.split(/\{(\d[^}]*)\}/).map((part, i) => {
    if (i % 2 === 0) return part;
    const [place, one, more] = part.split('|');
    return one === undefined ? values[place] : String(values[place]) === '1' ? one : more;
  });
  return parts.some(part => part instanceof Object) ? parts : parts.join('');
}

/** Switches to another language. */
export function speak(tag) {
  localStorage.setItem('language', tag);
  location.reload();
}

/** The browser's own zone. */
export const ownZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
/** The zone in which times are shown: the browser's or UTC, which the command line and the log use. */
export const timeZone = localStorage.getItem('zone') === 'UTC' ? 'UTC' : ownZone;

/** Switches the zone in which times are shown. */
export function keepZone(name) {
  localStorage.setItem('zone', name);
  location.reload();
}

/** Returns a format for moments by the region's rules, but always with 24 hours, and by default in `timeZone`. */
export const dates = (options, timeZone_ = timeZone) => new Intl.DateTimeFormat(locale, { ...options, hourCycle: 'h23', timeZone: timeZone_ });

const counts = new Intl.NumberFormat(locale);
const rounded = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
const exactly = dates({ dateStyle: 'medium', timeStyle: 'medium' });
const clock = dates({ timeStyle: 'medium' });
const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'short' });
const UNITS = [['year', 31_536_000], ['month', 2_592_000], ['day', 86_400], ['hour', 3_600], ['minute', 60]];

/** Returns a count with the language's separators. */
export const count = number => counts.format(number);
/** Returns a rounded number. */
export const about = number => rounded.format(number);
/** Returns a moment's date and time to the second, in `timeZone`. */
export const exact = at => exactly.format(at);
/** Returns a moment's time of day to the second. */
export const time = at => clock.format(at);

let skew = 0; // in milliseconds
/** Sets how far the service's clock is ahead of the browser's; up to two seconds count as 0. */
export const keepSkew = ahead => { skew = Math.abs(ahead) > 2000 ? ahead : 0; };
/** Returns the current time by the service's clock, to which all times in the service's answers refer. */
export const now = () => Date.now() + skew;

/** Returns a moment relative to now: 5 minutes ago, in 3 days. */
export function ago(at) {
  const seconds = Math.round((at - now()) / 1000);
  if (Math.abs(seconds) < 5) return t.time.now;
  for (const [unit, length] of UNITS) {
    if (Math.abs(seconds) >= length) return relative.format(Math.trunc(seconds / length), unit);
  }
  return relative.format(seconds, 'second');
}

/** Returns a length of time in the largest unit that fits. */
export function span(ms) {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${about(ms / 1000)} s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return `${minutes} min`;
  if (minutes < 2880) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  return fill(t.time.days, Math.floor(minutes / 1440));
}

/** Returns a number of bytes in the largest unit that fits. */
export function bytes(number) {
  let unit = 0;
  while (number >= 1000 && unit < 4) {
    number /= 1000;
    unit += 1;
  }
  return `${about(number)}\u00a0${['B', 'kB', 'MB', 'GB', 'TB'][unit]}`;
}

/** Returns a device's exact value as text: texts without quotes, objects as JSON. */
export function value(data, unit) {
  if (data === undefined || data === null) return '–';
  const text = typeof data === 'object' ? JSON.stringify(data) : String(data);
  return unit ? `${text} ${unit}` : text;
}
