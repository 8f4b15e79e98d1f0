/** Blanks out secrets in what a machine prints: the values that the server knows, and values with a name that says what they are. */
import { BLANK, longestFirst, redacted } from '@tinkerbell/api/redaction';
import type { Hardware } from '@tinkerbell/resources';

const SECRET_NAME = /password|passwd|secret|token|credential|private_key|api_key/i;
/** `name=value` of a kernel command line, and `name: value` of YAML and of prompts. Matches at the start of a word only, in linear time. */
const NAMED = /(?<![\w.-])([\w.-]+)(["']?[ \t]*[=:][ \t]*)("[^"]*"|'[^']*'|[^\s,;]+)/g;
/** A line of YAML or of a shell script. */
const LINE = /^[\s-]*["']?([\w.-]+)["']?[ \t]*[=:](.*)$/;

/** An unchanged Hardware is the same object. User data may be long. */
const known = new WeakMap<Hardware, readonly string[]>();

/** Returns the secret values in what a Hardware gives to its machine. Longest first. */
export function secretsOf(hardware: Hardware): readonly string[] {
  let secrets = known.get(hardware);
  if (secrets === undefined) known.set(hardware, (secrets = secretsIn(hardware)));
  return secrets;
}

function secretsIn({ spec }: Hardware): readonly string[] {
  const instance = spec?.metadata?.instance;
  const texts = [spec?.userData, spec?.vendorData, instance?.userdata].filter(
    (text) => typeof text === 'string',
  );
  return longestFirst([instance?.crypted_root_password ?? '', ...texts.flatMap(namedValues)]);
}

function namedValues(text: string): readonly string[] {
  return text.split('\n').flatMap((line) => {
    const [, name = '', value = ''] = LINE.exec(line) ?? [];
    return SECRET_NAME.test(name) ? [value.trim().replace(/^(["'])(.*)\1$/, '$2')] : [];
  });
}

export function blanked(line: string, secrets: readonly string[]): string {
  return redacted(line, secrets).replaceAll(NAMED, (all: string, name: string, between: string) =>
    SECRET_NAME.test(name) ? name + between + BLANK : all,
  );
}
