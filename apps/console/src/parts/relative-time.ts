/** Times as people say them. Pure: the caller passes the time. */
const units = [
  ['y', 31_536_000],
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
  ['s', 1],
] as const;

/** `3 min ago`, `in 2 h`, `now`. */
export function relativeTime(atMs: number, nowMs: number): string {
  const seconds = Math.round((nowMs - atMs) / 1000);
  const amount = Math.abs(seconds);
  if (amount < 3) return 'now';
  const text = roughDuration(amount * 1000);
  return seconds > 0 ? `${text} ago` : `in ${text}`;
}

/** The largest unit: `3 min`, `2 h`. */
function roughDuration(ms: number): string {
  const seconds = ms / 1000;
  const [name, size] = units.find(([, unitSeconds]) => seconds >= unitSeconds) ?? ['s', 1];
  return `${Math.floor(seconds / size)} ${name}`;
}

/** `4.2 s`, `2 min 5 s`, `1 h 4 min`. */
export function durationText(ms: number): string {
  if (Math.round(ms) < 1000) return `${Math.round(ms)} ms`;
  const tenths = Math.round(ms / 100);
  if (tenths < 600) return `${(tenths / 10).toFixed(1)} s`;
  // Rounded before it is cut into units, so that no unit reaches 60.
  const seconds = Math.round(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** The time between two stamps of whole seconds: `under 1 s`, `4 s`, `2 min 5 s`. */
export function wholeSecondsText(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  if (seconds < 1) return 'under 1 s';
  return seconds < 60 ? `${seconds} s` : durationText(seconds * 1000);
}

/** `1.4 MB`. */
export function bytesText(bytes: number): string {
  const names = ['B', 'kB', 'MB', 'GB', 'TB'];
  const power = Math.min(names.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const amount = bytes / 1000 ** power;
  return `${power === 0 ? amount : amount.toFixed(1)} ${names[power]}`;
}
