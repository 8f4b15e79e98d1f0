/**
 * Checks whether a command printed what its transcript shows. Values that differ from run to run are compared
 * by their format.
 */

const SHAPES: readonly (readonly [RegExp, string])[] = [
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z?/g, '<time>'],
  [/\d\d:\d\d:\d\d\.\d{3}/g, '<time>'],
  [/\b(?:\d+(?:\.\d+)?(?:ms|s|m|h))+\b/g, '<span>'],
  [/\s+/g, ' '],
];

function shapeOf(line: string): string {
  return SHAPES.reduce((text, [shape, name]) => text.replace(shape, name), line).trim();
}

/**
 * Returns the lines of the transcript that are not in the output, in their order. A line of dots matches any
 * lines, and dots in a line match any text.
 */
export function missingLines(shown: readonly string[], printed: string): readonly string[] {
  const lines = printed.split('\n').map(shapeOf);
  let from = 0;
  return shown.filter((line) => {
    const shape = shapeOf(line);
    if (shape === '' || shape === '…' || shape === '...') return false;
    const pattern = new RegExp(
      `^${shape
        .split('…')
        .map((text) => RegExp.escape(text))
        .join('.*')}$`,
    );
    const at = lines.findIndex((one, index) => index >= from && pattern.test(one));
    if (at >= 0) from = at + 1;
    return at < 0;
  });
}
