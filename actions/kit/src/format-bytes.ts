const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

/** Returns `1.5 KiB` for `1536`: at most three digits before the point, and one after it below ten. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  const text = unit > 0 && value < 10 ? value.toFixed(1).replace(/\.0$/, '') : value.toFixed(0);
  return `${text} ${UNITS[unit]}`;
}
