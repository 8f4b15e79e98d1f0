/** Returns the changes of a write as a unified diff of YAML. Pure. */
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff';
import { isRecord, type Resource } from '@tinkerbell/resources';
import { stringifyYaml } from '@tinkerbell/yaml';
import { maskedPair } from './masked-secrets.ts';
import { printable } from './printable.ts';
import { wantsColour, type Terminal } from './terminal.ts';

/** Metadata that the server maintains. */
const serverFields = [
  'resourceVersion',
  'generation',
  'uid',
  'creationTimestamp',
  'managedFields',
  'selfLink',
];
const CONTEXT_LINES = 3;

/** Removes status and other fields that only the server writes, and empty fields. */
export function cleaned(object: Resource): Resource {
  const { metadata, status: _status, ...content } = object;
  const kept = { ...metadata };
  for (const [field, value] of Object.entries(metadata))
    if (serverFields.includes(field) || value === undefined) Reflect.deleteProperty(kept, field);
  return { ...content, metadata: kept };
}

/** Empty if nothing changes. If `before` is undefined, everything is new. Masks secrets. */
export function objectDiff(name: string, before: Resource | undefined, after: Resource): string {
  const pair = maskedPair(before && cleaned(before), cleaned(after));
  const [old, next] = [before === undefined ? '' : textOf(pair.before), textOf(pair.after)];
  if (old === next) return '';
  const [from, to] = [`server/${name}`, `new/${name}`];
  return createTwoFilesPatch(from, to, old, next, undefined, undefined, {
    context: CONTEXT_LINES,
    headerOptions: FILE_HEADERS_ONLY,
  });
}

/** Sorts fields on both sides, so that only content differs. */
function textOf(value: unknown): string {
  return stringifyYaml(inOrder(value));
}

function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([field, one]) => [field, inOrder(one)]));
}

const RED = '\u001b[31m';
const GREEN = '\u001b[32m';
const CYAN = '\u001b[36m';
const PLAIN = '\u001b[0m';

/** Makes the diff safe to print, and colours it on terminals. */
export function shownDiff(diff: string, terminal: Pick<Terminal, 'isTty' | 'environment'>): string {
  const isColoured = wantsColour(terminal);
  const lines = diff.split('\n').slice(0, -1);
  return lines.map((line) => `${isColoured ? coloured(printable(line)) : printable(line)}\n`).join('');
}

function coloured(line: string): string {
  if (line.startsWith('@@')) return `${CYAN}${line}${PLAIN}`;
  if (line.startsWith('+')) return `${GREEN}${line}${PLAIN}`;
  return line.startsWith('-') ? `${RED}${line}${PLAIN}` : line;
}
