/** Colours of states, which make them easy to find in a page of text. */
import { withoutControls } from './printable.ts';
import { wantsColour, type Terminal } from './terminal.ts';

const RED = 31;
const GREEN = 32;
const YELLOW = 33;
const DIM = 90;

/** Names of objects have no capital letters, so these words are states. */
const colours: Readonly<Record<string, number>> = {
  SUCCESS: GREEN,
  FAILED: RED,
  TIMEOUT: RED,
  CANCELLED: DIM,
  RUNNING: YELLOW,
  PREPARING: YELLOW,
  POST: YELLOW,
};
const STATE = new RegExp(`(?<![\\w-])(?:${Object.keys(colours).join('|')})(?![\\w-])`, 'g');

/** Colours the states in a text, if the terminal supports colours. */
export function printStates(
  { styledOut, ...terminal }: Pick<Terminal, 'styledOut' | 'isTty' | 'environment'>,
  text: string,
): void {
  const plain = withoutControls(text);
  styledOut(wantsColour(terminal) ? plain.replace(STATE, (state) => painted(state, colours[state])) : plain);
}

function painted(text: string, code: number | undefined): string {
  return code === undefined ? text : `\u001b[${code}m${text}\u001b[0m`;
}

/** Colours of boots: done, stopped or under way. */
export function paintedHeadline(text: string, state: 'done' | 'stopped' | 'underway'): string {
  return painted(text, { done: GREEN, stopped: RED, underway: YELLOW }[state]);
}
