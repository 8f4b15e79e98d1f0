/** Reads a manifest file: YAML documents with one object each. Problems are reported with file, line and column. */
import { parseYaml, positionOf, toJson, type Position, type YamlNode } from '@tinkerbell/yaml';
import type { Kind } from './kind.ts';
import { formatProblem, type Problem } from './problem.ts';
import type { Resource } from './resource.ts';
import { validateResource } from './validate.ts';

export interface ManifestProblem extends Position {
  readonly file: string;
  /** The field, the value and the fix. */
  readonly message: string;
}

export interface ManifestObject {
  readonly kind: Kind;
  readonly resource: Resource;
  readonly node: YamlNode;
}

export type ValidatedManifest =
  | { readonly ok: true; readonly objects: readonly ManifestObject[] }
  | { readonly ok: false; readonly problems: readonly ManifestProblem[] };

/** Checks every document of `text` strictly: unknown fields are problems. The items of a List are checked separately. */
export function validateManifest(text: string, file: string): ValidatedManifest {
  const parsed = parseYaml(text);
  if (!parsed.ok) {
    return { ok: false, problems: [{ file, ...parsed.error.position, message: parsed.error.message }] };
  }
  const problems: ManifestProblem[] = [];
  const objects: ManifestObject[] = [];
  for (const node of parsed.documents.flatMap(itemsOf)) {
    const validated = validateResource(toJson(node));
    const found = validated.ok ? validated.unknownFields : validated.problems;
    problems.push(...found.map((problem) => locate(problem, node, file)));
    if (validated.ok) objects.push({ kind: validated.kind, resource: validated.resource, node });
  }
  return problems.length > 0 ? { ok: false, problems } : { ok: true, objects };
}

function itemsOf(node: YamlNode): readonly YamlNode[] {
  if (node.kind !== 'map') return [node];
  const kind = node.entries.get('kind')?.value;
  const items = node.entries.get('items')?.value;
  const isList = kind?.kind === 'scalar' && kind.text.endsWith('List') && items?.kind === 'list';
  return isList ? items.items : [node];
}

function locate(problem: Problem, node: YamlNode, file: string): ManifestProblem {
  return { file, ...positionOf(node, problem.path), message: formatProblem(problem) };
}
