export interface FunctionLength {
  readonly name: string;
  /** From 1. */
  readonly line: number;
  readonly lines: number;
}

/** A line that begins a named function or method and opens its body, by the formatter's own layout. */
const opening =
  /^(\s*)(?:export )?(?:(?:async )?function\*? (\w+)|(?:static |override )?(?:async |get |set )?\*?(#?\w+)\s*(?:<[^>]*>)?\((?!.*\) =>)|const (\w+) = (?:async )?\([^)]*\)(?:: [^=]+)? =>)/;

const keywords = new Set(['if', 'for', 'while', 'switch', 'catch', 'return', 'await', 'function', 'test']);

/** Named functions and methods with their length, from the line of the name to the line that closes the body. */
export function functionLengths(text: string): FunctionLength[] {
  const lines = text.split('\n');
  return lines.flatMap((line, index) => {
    const found = openedBy(line);
    const close = found === undefined ? undefined : closingLine(lines, index, found.indent);
    return found === undefined || close === undefined
      ? []
      : [{ name: found.name, line: index + 1, lines: close - index + 1 }];
  });
}

function openedBy(line: string): { name: string; indent: string } | undefined {
  const match = opening.exec(line);
  if (match === null) return undefined;
  const [, indent = '', functionName, method, arrow] = match;
  const name = functionName ?? method ?? arrow ?? '';
  const isCall = method !== undefined && !/[{(,]$/.test(line);
  return isCall || keywords.has(name) ? undefined : { name, indent };
}

/** The formatter puts the closing brace at the indent of the opening line. */
function closingLine(lines: readonly string[], start: number, indent: string): number | undefined {
  for (let index = start + 1; index < lines.length; index++) {
    const line = lines[index] ?? '';
    if (line.startsWith(`${indent}}`)) return index;
    const isOutside = line.trim() !== '' && !line.startsWith(`${indent} `) && !line.startsWith(`${indent})`);
    if (isOutside) return undefined;
  }
  return undefined;
}
