/** Colours of states: what a person looks for in a page full of text. */
import { withoutControls } from './printable.ts';
import { wantsColour, type Terminal } from './terminal.ts';

const RED = 31;
const GREEN = 32;
const YELLOW = 33;
const DIM = 90;

/** Names of objects have no capitals: these words are states. */
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

/** Prints a text with its states in colour, where the terminal wants colours. */
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

/** Of a boot: done, stopped or under way. */
export function paintedHeadline(text: string, state: 'done' | 'stopped' | 'underway'): string {
  return painted(text, { done: GREEN, stopped: RED, underway: YELLOW }[state]);
}
