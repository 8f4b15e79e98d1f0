/** JSON text of a BMC as a value, with limits that hold before memory is spent. */
import { DecodeError, decoded, type Decoded } from '@tinkerbell/wire';

export type RedfishObject = Readonly<Record<string, unknown>>;

/** The deepest resources of the schemas have about 10 levels. */
const DEPTH_MAX = 64;
/** Values of all arrays and objects. The largest resources of real BMCs (attribute registries) have some 10,000. */
const VALUES_MAX = 100_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;

/**
 * Returns the object of a JSON text (DSP0266, section "JSON data format"). Errors: `too-deep` (over 64 levels), `too-many-values`
 * (over 100,000), `not-json` and `not-an-object`. The caller limits the bytes.
 */
export function parseRedfishJson(text: string): Decoded<RedfishObject> {
  return decoded(() => {
    checkLimits(text);
    const value = parsed(text);
    if (!isObject(value)) throw failure('not-an-object', 0, 'the answer must be a JSON object');
    return value;
  });
}

export function isObject(value: unknown): value is RedfishObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Counts outside of strings. Text that breaks the grammar is left to the parser. */
function checkLimits(text: string): void {
  let depth = 0;
  let values = 1;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === COMMA) values += 1;
    else depth += nestingOf(code);
    if (depth > DEPTH_MAX) throw failure('too-deep', at, `JSON may be nested ${DEPTH_MAX} levels deep`);
    if (values > VALUES_MAX) throw failure('too-many-values', at, `JSON may have ${VALUES_MAX} values`);
  }
}

/** The index of the closing quote, or of the end of the text. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at;
}

/** 0x5b and 0x7b open an array and an object. The closing ones are 2 higher. */
function nestingOf(code: number): number {
  if (code === 0x5b || code === 0x7b) return 1;
  return code === 0x5d || code === 0x7d ? -1 : 0;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw failure('not-json', 0, 'the answer is not JSON');
  }
}

function failure(code: string, offset: number, detail: string): DecodeError {
  return new DecodeError({ code, offset, field: 'answer' }, detail);
}
