/**
 * Builds iPXE scripts that cannot be injected into. Literal text comes from the program. Every value from
 * outside is wrapped in `word` or `words` together with the path of the field it came from, and checked when
 * the script is rendered:
 *
 * renderScript([line`set download-url ${word('spec.osie.baseURL', url)}`])
 */
export interface ScriptValue {
  readonly text: string;
  /** The source of the value, such as `spec.interfaces[0].netboot.osie.baseURL`. Errors name it. */
  readonly field: string;
  readonly mayHoldSpaces: boolean;
}

export interface ScriptLine {
  readonly literals: readonly string[];
  readonly values: readonly ScriptValue[];
}

export interface ScriptProblem {
  readonly code:
    | 'control-character'
    | 'setting-expansion'
    | 'operator'
    | 'open-quote'
    | 'line-continuation'
    | 'white-space'
    | 'too-long';
  readonly field: string;
  readonly message: string;
}

export type RenderedScript =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly error: ScriptProblem };

/** Far above any kernel argument, and far below the limit of iPXE's heap (512 KiB). */
export const VALUE_CHARACTERS_MAX = 4096;

/** A value that must remain one argument. White space is refused. */
export function word(field: string, text: string): ScriptValue {
  return { text, field, mayHoldSpaces: false };
}

/** A value that may be several arguments, such as kernel parameters. */
export function words(field: string, text: string): ScriptValue {
  return { text, field, mayHoldSpaces: true };
}

/** One script line, written as a template tag. In literals `\${setting}` is an iPXE setting. */
export function line(literals: TemplateStringsArray, ...values: readonly ScriptValue[]): ScriptLine {
  return { literals, values };
}

/** Returns the reason why iPXE would not read the value as plain text, or undefined when it would. */
export function problemOf(value: ScriptValue): ScriptProblem | undefined {
  const rule = rules.find(({ isBroken }) => isBroken(value));
  if (rule === undefined) return undefined;
  return { code: rule.code, field: value.field, message: `${value.field}: ${rule.message}` };
}

/** Returns `#!ipxe` and the lines, each terminated by a line feed, or the first value that was refused. */
export function renderScript(lines: readonly ScriptLine[]): RenderedScript {
  for (const { values } of lines) {
    for (const value of values) {
      const error = problemOf(value);
      if (error !== undefined) return { ok: false, error };
    }
  }
  return { ok: true, text: ['#!ipxe', ...lines.map(textOf), ''].join('\n') };
}

/** Joins the lines of one command that `\` line ends continue, as iPXE reads them. */
export function continued(lines: readonly ScriptLine[]): readonly ScriptLine[] {
  return lines.map((each, index) =>
    index === lines.length - 1
      ? each
      : {
          literals: [...each.literals.slice(0, -1), `${each.literals.at(-1) ?? ''} \\`],
          values: each.values,
        },
  );
}

function textOf({ literals, values }: ScriptLine): string {
  return literals.map((literal, index) => literal + (values[index]?.text ?? '')).join('');
}

interface Rule {
  readonly code: ScriptProblem['code'];
  readonly message: string;
  readonly isBroken: (value: ScriptValue) => boolean;
}

const rules: readonly Rule[] = [
  {
    code: 'too-long',
    message: `has more than ${VALUE_CHARACTERS_MAX} characters`,
    isBroken: ({ text }) => text.length > VALUE_CHARACTERS_MAX,
  },
  {
    code: 'control-character',
    message: 'holds a line break or another control character; remove it',
    // C0, DEL, C1 and the Unicode line and paragraph separators.
    isBroken: ({ text }) => /[\p{Cc}\u2028\u2029]/u.test(text),
  },
  {
    code: 'setting-expansion',
    message: 'holds "${", which iPXE would expand; write the value itself',
    isBroken: ({ text }) => text.includes('${'),
  },
  {
    code: 'operator',
    message: 'holds "||", "&&" or ";" as a word, which iPXE reads as the end of the command',
    isBroken: ({ text }) => text.split(/\s+/).some((token) => ['||', '&&', ';'].includes(token)),
  },
  {
    code: 'open-quote',
    message:
      'holds a double quote that is not closed; the kernel would read what follows as part of the value',
    isBroken: ({ text }) => text.split('"').length % 2 === 0,
  },
  {
    code: 'line-continuation',
    message: 'ends with a backslash, which joins the next line to it',
    isBroken: ({ text }) => text.trimEnd().endsWith('\\'),
  },
  {
    code: 'white-space',
    message: 'holds white space, which would start another argument',
    isBroken: ({ text, mayHoldSpaces }) => !mayHoldSpaces && /\s/.test(text),
  },
];
