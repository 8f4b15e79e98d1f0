/** Addresses of loopback, because a server makes one call at a time to each. */
export function bmcAddress(number: number): string {
  return `127.${1 + Math.floor(number / 250)}.0.${1 + (number % 250)}`;
}
