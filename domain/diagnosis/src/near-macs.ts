/** Typing errors in a MAC: one wrong digit, or two digits swapped. */
const DIGITS = '0123456789abcdef';

/** Returns every MAC that differs from `mac` by one digit, or by two adjacent digits that are swapped. `mac` is in lower case with colons. */
export function nearMacs(mac: string): readonly string[] {
  const digits = mac.replaceAll(':', '');
  const places = Array.from(digits, (_, at) => at);
  const replaced = places.flatMap((at) =>
    Array.from(DIGITS, (digit) => digits.slice(0, at) + digit + digits.slice(at + 1)),
  );
  const swapped = places
    .slice(1)
    .map((at) => digits.slice(0, at - 1) + digits.charAt(at) + digits.charAt(at - 1) + digits.slice(at + 1));
  const near = new Set([...replaced, ...swapped]);
  near.delete(digits);
  return [...near].map((text) => text.match(/../g)?.join(':') ?? text);
}
