import { parseTemplate, type FunctionMap, type ParseResult, type Template } from '@tinkerbell/go-template';
import { BoundedCache } from '@tinkerbell/wire';

/** Upstream's name of the template, which is part of its error texts. */
export const GO_TEMPLATE_NAME = 'workflow-template';

/** Longer texts are parsed each time. */
const KEPT_CHARACTERS_MAX = 64 * 1024;
const KEPT_BYTES_MAX = 8 * 1024 * 1024;
/** Measured on a text of nothing but actions. Usual ones take a fifth. */
const BYTES_PER_CHARACTER = 130;

/** By text. Most workflows of a site have the same few templates. */
const kept = new BoundedCache<Template>(KEPT_BYTES_MAX);

/** Parses a text under upstream's name. The functions must have the same names in every call, because texts are parsed once for all of them. */
export function parsedTemplate(text: string, functions: FunctionMap): ParseResult {
  const known = kept.get(text);
  if (known !== undefined) return { ok: true, template: { ...known, functions } };
  const result = parseTemplate(GO_TEMPLATE_NAME, text, { functions });
  if (result.ok && text.length <= KEPT_CHARACTERS_MAX)
    kept.set(text, result.template, text.length * BYTES_PER_CHARACTER);
  return result;
}
