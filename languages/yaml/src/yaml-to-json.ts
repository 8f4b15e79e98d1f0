import { toJson } from './node.ts';
import { parseYaml } from './parse-yaml.ts';
import type { YamlLimits } from './yaml-limits.ts';

/** Returns the only document of `text` as JSON, or what is wrong and where. */
export function yamlToJson(
  text: string,
  limits: YamlLimits,
): { readonly ok: true; readonly json: string } | { readonly ok: false; readonly message: string } {
  const parsed = parseYaml(text, limits);
  if (!parsed.ok) {
    const { line, column } = parsed.error.position;
    return { ok: false, message: `line ${line}, column ${column}: ${parsed.error.message}` };
  }
  const [document, ...more] = parsed.documents;
  if (document === undefined || more.length > 0)
    return { ok: false, message: 'there must be exactly one YAML document' };
  return { ok: true, json: JSON.stringify(toJson(document)) };
}
