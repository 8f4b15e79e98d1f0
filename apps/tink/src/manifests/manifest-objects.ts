/** Parses manifests to objects with their positions, or reports all their errors. */
import {
  isOfKind,
  templateKind,
  validateManifest,
  type Kind,
  type ManifestProblem,
  type Resource,
} from '@tinkerbell/resources';
import { validateTemplateText } from '@tinkerbell/template';
import { nodeAt, positionOf, type Path, type Position, type YamlNode } from '@tinkerbell/yaml';
import type { SourceFile } from './manifest-files.ts';
import { positionInFile } from './source-position.ts';

/** One object of a file. Its metadata has a namespace. */
export interface LocatedObject {
  readonly kind: Kind;
  readonly resource: Resource;
  readonly node: YamlNode;
  readonly file: SourceFile;
}

export interface CheckedManifests {
  readonly objects: readonly LocatedObject[];
  readonly problems: readonly ManifestProblem[];
}

export interface NamespaceChoice {
  /** Namespace of objects without one. */
  readonly fallback: string;
  /** The namespace of the command line. Objects with another namespace are rejected. */
  readonly required?: string | undefined;
}

/** Checks all files strictly: fields, values, duplicate names, template texts. */
export function checkManifests(files: readonly SourceFile[], namespace: NamespaceChoice): CheckedManifests {
  const problems: ManifestProblem[] = [];
  const objects: LocatedObject[] = [];
  for (const file of files) {
    const validated = validateManifest(file.text, file.name);
    if (!validated.ok) problems.push(...validated.problems);
    else if (validated.objects.length === 0) problems.push(emptyFile(file));
    else objects.push(...validated.objects.map((one) => inNamespace({ ...one, file }, namespace.fallback)));
  }
  problems.push(...objects.flatMap((object) => namespaceProblems(object, namespace)));
  problems.push(...repetitions(objects), ...objects.flatMap(templateProblems));
  return { objects, problems };
}

function emptyFile(file: SourceFile): ManifestProblem {
  return {
    file: file.name,
    line: 1,
    column: 1,
    message: 'contains no object; an object has apiVersion, kind and metadata',
  };
}

function inNamespace(object: LocatedObject, fallback: string): LocatedObject {
  const { resource } = object;
  const namespace = resource.metadata.namespace || fallback;
  return { ...object, resource: { ...resource, metadata: { ...resource.metadata, namespace } } };
}

/** Returns a problem at a field of the object. */
export function problemAt({ node, file }: LocatedObject, path: Path, message: string): ManifestProblem {
  return { file: file.name, ...positionOf(node, path), message };
}

/** Maps a position in a Template's text to its file. */
export function positionInTemplate({ node, file, resource }: LocatedObject, at: Position): Position {
  const scalar = nodeAt(node, ['spec', 'data']);
  if (scalar === undefined) return positionOf(node, ['spec', 'data']);
  const content = templateTextOf(resource) ?? '';
  return positionInFile({ source: file.text, start: scalar.position, content }, at);
}

/** Undefined for an object that is not a Template, and for a Template without text. */
export function templateTextOf(resource: Resource): string | undefined {
  return isOfKind(resource, templateKind) ? resource.spec?.data : undefined;
}

function namespaceProblems(object: LocatedObject, { required }: NamespaceChoice): ManifestProblem[] {
  const { namespace } = object.resource.metadata;
  if (required === undefined || namespace === required) return [];
  const message = `metadata.namespace: "${namespace}" conflicts with -n ${required}; remove one of them`;
  return [problemAt(object, ['metadata', 'namespace'], message)];
}

function repetitions(objects: readonly LocatedObject[]): ManifestProblem[] {
  const seen = new Map<string, LocatedObject>();
  return objects.flatMap((object) => {
    const { name, namespace } = object.resource.metadata;
    if (!name) return [];
    const key = keyOf(object.kind, namespace, name);
    const first = seen.get(key);
    if (first === undefined) {
      seen.set(key, object);
      return [];
    }
    const { line } = positionOf(first.node, ['metadata', 'name']);
    const message = `metadata.name: "${name}": this ${object.kind.singular} is also in ${first.file.name}:${line}`;
    return [problemAt(object, ['metadata', 'name'], message)];
  });
}

export function keyOf(kind: Kind, namespace: string, name: string): string {
  return `${kind.group} ${kind.kind} ${namespace}/${name}`;
}

function templateProblems(object: LocatedObject): ManifestProblem[] {
  if (object.kind.kind !== 'Template') return [];
  const checked = validateTemplateText(templateTextOf(object.resource) ?? '');
  if (checked.ok) return [];
  const position = positionInTemplate(object, checked.error);
  return [{ file: object.file.name, ...position, message: `spec.data: ${checked.error.message}` }];
}

/** Formats `m1.yaml:14:9: spec.interfaces[0].dhcp.mac: …`, which editors and CI turn into a link. */
export function formatManifestProblem({ file, line, column, message }: ManifestProblem): string {
  return `${file}:${line}:${column}: ${message}`;
}
