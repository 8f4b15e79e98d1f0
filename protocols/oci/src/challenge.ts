/** `WWW-Authenticate` as registries send it: RFC 9110 section 11.6.1, with the parameters of Docker's token specification. */
export interface Challenge {
  /** Lower case: `bearer`, `basic`. */
  readonly scheme: string;
  /** Names in lower case: `realm`, `service`, `scope`, `error`. */
  readonly parameters: Readonly<Record<string, string>>;
}

const HEADER_MAX = 8192;
const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const PARAMETER = new RegExp(`(${TOKEN})\\s*=\\s*(?:"((?:[^"\\\\]|\\\\.)*)"|(${TOKEN}))`, 'y');
const SCHEME = new RegExp(`(${TOKEN})(?:\\s+|$)`, 'y');
const SEPARATOR = /[\s,]*/y;

/** Returns the challenges up to the first text that is not one. Several may share a header. */
export function parseChallenges(header: string): readonly Challenge[] {
  const text = header.slice(0, HEADER_MAX);
  const found: { scheme: string; parameters: Record<string, string> }[] = [];
  let at = skip(text, 0);
  while (at < text.length) {
    const parameter = matchAt(PARAMETER, text, at);
    const current = found.at(-1);
    const match = parameter ?? matchAt(SCHEME, text, at);
    if (match === null || (parameter !== null && current === undefined)) break;
    const [whole, name = '', quoted, plain = ''] = match;
    if (parameter === null) found.push({ scheme: name.toLowerCase(), parameters: {} });
    else if (current !== undefined)
      current.parameters[name.toLowerCase()] = quoted?.replaceAll(/\\(.)/g, '$1') ?? plain;
    at = skip(text, at + whole.length);
  }
  return found;
}

function skip(text: string, at: number): number {
  return at + (matchAt(SEPARATOR, text, at)?.[0].length ?? 0);
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
