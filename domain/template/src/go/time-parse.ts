import { quote } from '@tinkerbell/go-template';
import type { GoTime } from './go-time.ts';
import { layoutPieces, MONTHS, WEEKDAYS } from './time-layout.ts';
import { zoneNameLength, zoneOffset } from './time-zone.ts';

export type TimeResult =
  | { readonly ok: true; readonly time: GoTime }
  | { readonly ok: false; readonly error: string };

/** The values of the elements read so far. */
interface Fields {
  year: number;
  month: number | undefined;
  day: number | undefined;
  yearDay: number | undefined;
  hour: number;
  minute: number;
  second: number;
  nanoseconds: number;
  /** `am` or `pm`. Empty when absent. */
  half: string;
  offsetSeconds: number | undefined;
  zone: string;
}

/** Stops the reading: the text does not fit the element. */
class BadText extends Error {}

/** Stops the reading: the text fits, but the hour or day does not exist. */
class OutOfRange extends Error {}

const ranges = {
  month: { least: 1, most: 12, what: 'month' },
  hour: { least: 0, most: 23, what: 'hour' },
  halfDayHour: { least: 0, most: 12, what: 'hour' },
  minute: { least: 0, most: 59, what: 'minute' },
  second: { least: 0, most: 59, what: 'second' },
  offsetHour: { least: 0, most: 24, what: 'time zone offset hour' },
  offsetMinute: { least: 0, most: 60, what: 'time zone offset minute' },
  offsetSecond: { least: 0, most: 60, what: 'time zone offset second' },
} as const;

/** Reads a time by a layout (time.ParseInLocation with UTC as the local zone). */
export function parseTime(layout: string, source: string): TimeResult {
  const fields: Fields = {
    year: 0,
    month: undefined,
    day: undefined,
    yearDay: undefined,
    hour: 0,
    minute: 0,
    second: 0,
    nanoseconds: 0,
    half: '',
    offsetSeconds: undefined,
    zone: '',
  };
  const failed = (what: string): TimeResult => ({
    ok: false,
    error: `parsing time ${quote(source)}${what}`,
  });
  let rest = source;
  const pieces = layoutPieces(layout);
  for (const [i, { prefix, element }] of pieces.entries()) {
    const held = { text: rest, named: prefix };
    try {
      rest = skipPrefix(rest, prefix);
      if (element === '') {
        if (rest !== '') return failed(`: extra text: ${quote(rest)}`);
        break;
      }
      Object.assign(held, { text: rest, named: element });
      const readsFraction = /^[.,]/.test(pieces[i + 1]?.element ?? '');
      rest = new ElementReader(rest, fields).read(element, readsFraction);
    } catch (error) {
      if (error instanceof OutOfRange) return failed(`: ${error.message} out of range`);
      if (!(error instanceof BadText)) throw error;
      return failed(` as ${quote(layout)}: cannot parse ${quote(held.text)} as ${quote(held.named)}`);
    }
  }
  return finished(fields, failed);
}

/** A space in a layout matches any number of spaces. */
function skipPrefix(source: string, prefix: string): string {
  let rest = source;
  for (let at = 0; at < prefix.length;) {
    if (prefix[at] === ' ') {
      if (rest !== '' && !rest.startsWith(' ')) throw new BadText();
      while (prefix[at] === ' ') at += 1;
      rest = rest.replace(/^ +/, '');
      continue;
    }
    if (rest === '' || rest[0] !== prefix[at]) throw new BadText();
    rest = rest.slice(1);
    at += 1;
  }
  return rest;
}

class ElementReader {
  #rest: string;
  readonly #fields: Fields;

  constructor(rest: string, fields: Fields) {
    this.#rest = rest;
    this.#fields = fields;
  }

  /** Reads one element into the fields and returns what is left. */
  read(element: string, fractionFollows: boolean): string {
    if (/^[.,]/.test(element)) this.#fraction(element);
    else if (/^[-Z]0/.test(element)) this.#offset(element);
    else if (!this.#date(element)) this.#clock(element, fractionFollows);
    return this.#rest;
  }

  #take(pattern: RegExp): string {
    const match = pattern.exec(this.#rest);
    if (match === null) throw new BadText();
    this.#rest = this.#rest.slice(match[0].length);
    return match[0];
  }

  #number(isFixed: boolean): number {
    return Number(this.#take(isFixed ? /^[0-9]{2}/ : /^[0-9]{1,2}/));
  }

  #name(names: readonly string[]): number {
    const rest = this.#rest.toLowerCase();
    const found = names.findIndex((name) => rest.startsWith(name.toLowerCase()));
    if (found < 0) throw new BadText();
    this.#rest = this.#rest.slice(names[found]?.length);
    return found;
  }

  #date(element: string): boolean {
    const fields = this.#fields;
    switch (element) {
      case '2006':
        fields.year = Number(this.#take(/^[0-9]{4}/));
        return true;
      case '06': {
        const year = Number(this.#take(/^(?:[0-9]{2}|[-+][0-9])/));
        fields.year = year + (year >= 69 ? 1900 : 2000);
        return true;
      }
      case 'January':
        fields.month = this.#name(MONTHS) + 1;
        return true;
      case 'Jan':
        fields.month = this.#name(MONTHS.map((name) => name.slice(0, 3))) + 1;
        return true;
      case '1':
      case '01':
        fields.month = inRange(this.#number(element === '01'), ranges.month);
        return true;
      case 'Monday':
        this.#name(WEEKDAYS);
        return true;
      case 'Mon':
        this.#name(WEEKDAYS.map((name) => name.slice(0, 3)));
        return true;
      default:
        return this.#day(element);
    }
  }

  #day(element: string): boolean {
    switch (element) {
      case '_2':
      case '2':
      case '02':
        if (element === '_2') this.#take(/^ ?/);
        this.#fields.day = this.#number(element === '02');
        return true;
      case '__2':
        this.#take(/^ {0,2}/);
        this.#fields.yearDay = Number(this.#take(/^[0-9]{1,3}/));
        return true;
      case '002':
        this.#fields.yearDay = Number(this.#take(/^[0-9]{3}/));
        return true;
      default:
        return false;
    }
  }

  #clock(element: string, fractionFollows: boolean): void {
    const fields = this.#fields;
    const isFixed = element.startsWith('0');
    switch (element.replace(/^0/, '')) {
      case '15':
        fields.hour = inRange(this.#number(false), ranges.hour);
        break;
      case '3':
        fields.hour = inRange(this.#number(isFixed), ranges.halfDayHour);
        break;
      case '4':
        fields.minute = inRange(this.#number(isFixed), ranges.minute);
        break;
      case '5':
        fields.second = inRange(this.#number(isFixed), ranges.second);
        if (!fractionFollows && /^[.,][0-9]/.test(this.#rest)) this.#fraction('.9');
        break;
      case 'PM':
        fields.half = this.#take(/^[AP]M/).toLowerCase();
        break;
      case 'pm':
        fields.half = this.#take(/^[ap]m/);
        break;
      default:
        this.#zone();
    }
  }

  /** `.000` requires that many digits, and `.999` accepts any number, or none. */
  #fraction(element: string): void {
    if (element[1] === '9') {
      if (/^[.,][0-9]/.test(this.#rest)) this.#nanoseconds(this.#take(/^[.,][0-9]+/));
      return;
    }
    if (this.#rest.length < element.length) throw new BadText();
    const written = this.#rest.slice(0, element.length);
    if (!/^[.,][-+]?[0-9]+$/.test(written.slice(0, 10))) throw new BadText();
    if (written[1] === '-') throw new OutOfRange('fractional second');
    this.#nanoseconds(written);
    this.#rest = this.#rest.slice(element.length);
  }

  #nanoseconds(written: string): void {
    this.#fields.nanoseconds = Number(written.slice(1, 10).replace('+', '0').padEnd(9, '0'));
  }

  #offset(element: string): void {
    if (element.startsWith('Z') && this.#rest.startsWith('Z')) {
      this.#rest = this.#rest.slice(1);
      this.#fields.offsetSeconds = 0;
      this.#fields.zone = 'UTC';
      return;
    }
    const [sign = '', hours = '', minutes = '0', seconds = '0'] = this.#offsetParts(element);
    inRange(Number(hours), ranges.offsetHour);
    inRange(Number(minutes), ranges.offsetMinute);
    inRange(Number(seconds), ranges.offsetSecond);
    const size = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds);
    this.#fields.offsetSeconds = sign === '-' ? -size : size;
  }

  #offsetParts(element: string): (string | undefined)[] {
    const shape = element.slice(1).replace('07', '([0-9]{2})').replaceAll('00', '([0-9]{2})');
    const match = new RegExp(`^([-+])${shape}`).exec(this.#rest);
    if (match === null) throw new BadText();
    this.#rest = this.#rest.slice(match[0].length);
    return match.slice(1);
  }

  #zone(): void {
    const length = zoneNameLength(this.#rest);
    if (length === 0) throw new BadText();
    this.#fields.zone = this.#rest.slice(0, length);
    this.#rest = this.#rest.slice(length);
  }
}

interface Range {
  readonly least: number;
  readonly most: number;
  readonly what: string;
}

function inRange(value: number, { least, most, what }: Range): number {
  if (value < least || value > most) throw new OutOfRange(what);
  return value;
}

function finished(fields: Fields, failed: (what: string) => TimeResult): TimeResult {
  const date = fields.yearDay === undefined ? writtenDate(fields) : countedDate(fields, fields.yearDay);
  if (typeof date === 'string') return failed(`: ${date}`);
  const dayMs = utcMs(fields.year, date.month, date.day);
  const seconds = BigInt(dayMs / 1000 + hourOf(fields) * 3600 + fields.minute * 60 + fields.second);
  return { ok: true, time: zoned(fields, seconds) };
}

function hourOf({ hour, half }: Fields): number {
  if (half === 'pm' && hour < 12) return hour + 12;
  return half === 'am' && hour === 12 ? 0 : hour;
}

interface MonthAndDay {
  readonly month: number;
  readonly day: number;
}

/** Returns the date, or why it does not exist. */
function writtenDate({ year, month = 1, day = 1 }: Fields): MonthAndDay | string {
  return day < 1 || day > daysIn(month, year) ? 'day out of range' : { month, day };
}

function countedDate({ year, month, day }: Fields, yearDay: number): MonthAndDay | string {
  const most = daysIn(2, year) === 29 ? 366 : 365;
  if (yearDay < 1 || yearDay > most) return 'day-of-year out of range';
  const date = new Date(utcMs(year, 1, yearDay));
  const counted = { month: date.getUTCMonth() + 1, day: date.getUTCDate() };
  if (month !== undefined && month !== counted.month) return 'day-of-year does not match month';
  return day !== undefined && day !== counted.day ? 'day-of-year does not match day' : counted;
}

/** A zone known only by its abbreviation counts as UTC and keeps its name, as in Go. */
function zoned({ offsetSeconds, zone, nanoseconds }: Fields, seconds: bigint): GoTime {
  if (offsetSeconds !== undefined) {
    const isLocal = offsetSeconds === 0 && (zone === '' || zone === 'UTC');
    const at = seconds - BigInt(offsetSeconds);
    return { seconds: at, nanoseconds, offsetSeconds, zone: isLocal ? 'UTC' : zone };
  }
  if (zone === '' || zone === 'UTC') return { seconds, nanoseconds, offsetSeconds: 0, zone: 'UTC' };
  return { seconds, nanoseconds, offsetSeconds: zoneOffset(zone), zone };
}

function daysIn(month: number, year: number): number {
  return new Date(utcMs(year, month + 1, 0)).getUTCDate();
}

function utcMs(year: number, month: number, day: number): number {
  const date = new Date(0);
  return date.setUTCFullYear(year, month - 1, day);
}
