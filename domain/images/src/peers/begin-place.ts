/** Above it, places are closer to each other than two requests. */
const BITS = 16;

/**
 * Returns where the agent with this number begins, as a part of the image: 0, 1/2, 1/4, 3/4, 1/8 and so on (van der Corput's
 * sequence). Each new agent begins in the middle of what nobody walks yet.
 */
export function beginPlace(number: number): number {
  let place = 0;
  for (let bit = 0; bit < BITS; bit += 1) if ((number >> bit) % 2 === 1) place += 2 ** -(bit + 1);
  return place;
}
