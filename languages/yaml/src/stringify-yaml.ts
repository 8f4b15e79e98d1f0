import { Document, isScalar, stringify, visit, type ToStringOptions } from 'yaml';

/**
 * Characters that control a terminal or change the order in which text is shown. YAML treats most of them as unprintable (section
 * 5.1).
 */
const CONTROLS = /(?![\t\n])[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;

const OPTIONS: ToStringOptions = { lineWidth: 0, indentSeq: false };
const CREATION = { aliasDuplicateObjects: false, version: '1.1' } as const;

/**
 * Writes block style YAML as `kubectl get -o yaml` prints it: two spaces, lists not indented, long text
 * unfolded. Text with control characters is quoted, with escapes.
 */
export function stringifyYaml(value: unknown): string {
  const text = stringify(value, { ...OPTIONS, ...CREATION });
  return text.search(CONTROLS) < 0 ? text : stringifyEscaped(value);
}

function stringifyEscaped(value: unknown): string {
  const document = new Document(value, CREATION);
  visit(document, {
    Scalar(_, node) {
      if (isScalar(node) && typeof node.value === 'string' && node.value.search(CONTROLS) >= 0)
        node.type = 'QUOTE_DOUBLE';
    },
  });
  return document
    .toString(OPTIONS)
    .replace(CONTROLS, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
