/** Text of a BMC as one line, without control characters, since it reaches logs and terminals. */
export function oneLine(text: string, lengthMax: number): string {
  // oxlint-disable-next-line no-control-regex -- these are removed
  return text.replaceAll(/[\s\u0000-\u001f\u007f-\u009f]+/g, ' ').slice(0, lengthMax);
}
