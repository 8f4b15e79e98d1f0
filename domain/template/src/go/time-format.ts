import type { GoTime } from './go-time.ts';
import { layoutPieces, MONTHS, WEEKDAYS } from './time-layout.ts';

/** Writes a time by a layout (time.Time.Format). */
export function formatTime(time: GoTime, layout: string): string {
  const date = new Date(Number(time.seconds + BigInt(time.offsetSeconds)) * 1000);
  return layoutPieces(layout)
    .map(({ prefix, element }) => prefix + elementText(element, date, time))
    .join('');
}

function elementText(element: string, date: Date, time: GoTime): string {
  if (element === '') return '';
  if (/^[.,]/.test(element)) return fractionText(element, time.nanoseconds);
  if (/^[-Z]0/.test(element)) return offsetText(element, time.offsetSeconds);
  if (element === 'MST') return time.zone === '' ? offsetText('-0700', time.offsetSeconds) : time.zone;
  return dateText(element, date) ?? clockText(element, date);
}

function dateText(element: string, date: Date): string | undefined {
  switch (element) {
    case '2006':
      return yearText(date.getUTCFullYear());
    case '06':
      return padded(Math.abs(date.getUTCFullYear()) % 100, 2);
    case 'January':
      return MONTHS[date.getUTCMonth()];
    case 'Jan':
      return MONTHS[date.getUTCMonth()]?.slice(0, 3);
    case 'Monday':
      return WEEKDAYS[date.getUTCDay()];
    case 'Mon':
      return WEEKDAYS[date.getUTCDay()]?.slice(0, 3);
    case '1':
      return String(date.getUTCMonth() + 1);
    case '01':
      return padded(date.getUTCMonth() + 1, 2);
    default:
      return dayText(element, date);
  }
}

function dayText(element: string, date: Date): string | undefined {
  const day = String(date.getUTCDate());
  switch (element) {
    case '2':
      return day;
    case '02':
      return day.padStart(2, '0');
    case '_2':
      return day.padStart(2, ' ');
    case '002':
      return padded(dayOfYear(date), 3);
    case '__2':
      return String(dayOfYear(date)).padStart(3, ' ');
    default:
      return undefined;
  }
}

function clockText(element: string, date: Date): string {
  const hour = date.getUTCHours();
  const width = element.startsWith('0') ? 2 : 1;
  switch (element.replace(/^0/, '')) {
    case '15':
      return padded(hour, 2);
    case '3':
      return padded(hour % 12 || 12, width);
    case '4':
      return padded(date.getUTCMinutes(), width);
    case '5':
      return padded(date.getUTCSeconds(), width);
    case 'PM':
      return hour >= 12 ? 'PM' : 'AM';
    default:
      return hour >= 12 ? 'pm' : 'am';
  }
}

function dayOfYear(date: Date): number {
  const start = new Date(date.getTime());
  start.setUTCMonth(0, 1);
  return Math.floor((date.getTime() - start.getTime()) / 86_400_000) + 1;
}

/** `.000` keeps trailing zeros, and `.999` drops them. */
function fractionText(element: string, nanoseconds: number): string {
  const digits = padded(nanoseconds, 9).slice(0, element.length - 1);
  if (element[1] === '0') return element.charAt(0) + digits.padEnd(element.length - 1, '0').slice(0, 9);
  const kept = digits.replace(/0+$/, '');
  return kept === '' ? '' : element.charAt(0) + kept;
}

function offsetText(element: string, offsetSeconds: number): string {
  if (element.startsWith('Z') && offsetSeconds === 0) return 'Z';
  const size = Math.abs(offsetSeconds);
  const minutes = Math.floor(size / 60);
  const colon = element.includes(':') ? ':' : '';
  const parts = [padded(Math.floor(minutes / 60), 2)];
  if (element.length > 3) parts.push(padded(minutes % 60, 2));
  if (/^.07(?:0000|:00:00)$/.test(element)) parts.push(padded(size % 60, 2));
  const sign = offsetSeconds < 0 && minutes > 0 ? '-' : '+';
  return sign + parts.join(colon);
}

function yearText(year: number): string {
  return year < 0 ? `-${padded(-year, 4)}` : padded(year, 4);
}

function padded(value: number, width: number): string {
  return String(value).padStart(width, '0');
}
