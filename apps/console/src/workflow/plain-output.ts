/** Text that a machine printed, without what a terminal would obey. Pure. */

/** Escape sequences (ECMA-48): CSI, OSC and other strings, and single characters. */
// oxlint-disable-next-line no-control-regex -- it removes control characters
const SEQUENCES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[ -/]*[0-~])/g;
// oxlint-disable-next-line no-control-regex -- it removes control characters
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Returns the text with its visible characters only. A carriage return shows what was written last. */
export function plainOutput(text: string): string {
  const bare = text.replaceAll(SEQUENCES, '');
  const last = bare.replace(/\r+$/, '').split('\r').at(-1) ?? '';
  return last.replaceAll(CONTROLS, '');
}
