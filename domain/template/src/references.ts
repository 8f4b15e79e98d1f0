/**
 * Decides which objects named in a Hardware's `spec.references` a template may see. Upstream's controller
 * checks a deny list and then an allow list of patterns. Without a deny list from the operator, everything is
 * denied that is not allowed.
 */
import { matches, MatchTooLong, parsePattern, type Pattern } from '@tinkerbell/event-pattern';
import { isRecord } from '@tinkerbell/yaml/json';
import type { JsonObject } from './go/dot.ts';

/** An object to be read. Group and resource are in lower case, as in the request. */
export interface ObjectReference {
  readonly namespace: string;
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

export interface ReferenceRules {
  readonly deny: readonly Pattern[];
  readonly allow: readonly Pattern[];
}

export type ParsedReferenceRules =
  | { readonly ok: true; readonly rules: ReferenceRules }
  /** States which list and rule are invalid, and where. */
  | { readonly ok: false; readonly message: string };

export interface AllowedReferences {
  /** The objects by their name in `spec.references`. */
  readonly references: ReadonlyMap<string, ObjectReference>;
  /**
   * `reference denied: <name>` of each object that is not provided, joined by line ends. Empty when all are
   * provided.
   */
  readonly denied: string;
}

const DENY_ALL = '{"reference":{"name":[{"wildcard":"*"}]}}';

/**
 * Both are texts of flags: patterns joined by `|`. An empty deny list means upstream's default, which denies
 * everything.
 */
export function parseReferenceRules(lists: { deny: string; allow: string }): ParsedReferenceRules {
  const deny = parseList('deny', lists.deny.trim() === '' ? DENY_ALL : lists.deny);
  if (typeof deny === 'string') return { ok: false, message: deny };
  const allow = parseList('allow', lists.allow);
  if (typeof allow === 'string') return { ok: false, message: allow };
  return { ok: true, rules: { deny, allow } };
}

function parseList(list: string, text: string): Pattern[] | string {
  const patterns: Pattern[] = [];
  for (const [index, rule] of text.split('|').entries()) {
    if (rule.trim() === '') continue;
    const parsed = parsePattern(rule);
    if (!parsed.ok) {
      const { offset, path, message } = parsed.error;
      return `rule ${index + 1} of the ${list} list: ${path === '' ? '' : `${path}: `}${message}, at character ${offset + 1}`;
    }
    patterns.push(parsed.pattern);
  }
  return patterns;
}

/** A reference is provided when no rule denies it, or when one allows it. */
export function allowedReferences(object: object, rules: ReferenceRules): AllowedReferences {
  const hardware = asObject(object);
  const metadata = asObject(hardware['metadata']);
  const source = { name: text(metadata['name']), namespace: text(metadata['namespace']) };
  const references = new Map<string, ObjectReference>();
  const denied: string[] = [];
  for (const [name, value] of Object.entries(asObject(asObject(hardware['spec'])['references']))) {
    const asWritten = referenceOf(asObject(value));
    const asRead = {
      ...asWritten,
      group: asWritten.group.toLowerCase(),
      resource: asWritten.resource.toLowerCase(),
    };
    // A rule that denies "secrets" must also apply to "Secrets", which is read as the same.
    const events = [asWritten, asRead].map((reference) => ({ source, reference }));
    if (anyMatches(rules.deny, events, true) && !anyMatches(rules.allow, events, false))
      denied.push(`reference denied: ${name}`);
    else references.set(name, asRead);
  }
  return { references, denied: denied.join('\n') };
}

/** A pattern that takes too long to match denies. */
function anyMatches(patterns: readonly Pattern[], events: readonly object[], isDenied: boolean): boolean {
  try {
    return patterns.some((pattern) => events.some((event) => matches(pattern, event)));
  } catch (thrown) {
    if (thrown instanceof MatchTooLong) return isDenied;
    throw thrown;
  }
}

/** Has all five fields, so that a rule about a name sees that there is none. */
function referenceOf(value: JsonObject): ObjectReference {
  return {
    namespace: text(value['namespace']),
    name: text(value['name']),
    group: text(value['group']),
    version: text(value['version']),
    resource: text(value['resource']),
  };
}

function asObject(value: unknown): JsonObject {
  return isRecord(value) ? value : {};
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
