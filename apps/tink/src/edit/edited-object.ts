import { isRecord, type Resource } from '@tinkerbell/resources';
import { parseYaml, toJson } from '@tinkerbell/yaml';
import type { ObjectName } from '../client/client.ts';
import { TinkFailure } from '../failure.ts';

/** Parses the text of an editor as the object that was edited. Throws a TinkFailure; the server validates its fields. */
export function editedObject(text: string, path: string, target: ObjectName): Resource {
  const parsed = parseYaml(text);
  if (!parsed.ok) {
    const { position, message } = parsed.error;
    throw new TinkFailure(`${path}:${position.line}:${position.column}: ${message}`);
  }
  const [document, ...more] = parsed.documents;
  const value = document === undefined ? undefined : toJson(document);
  if (more.length > 0 || !isRecord(value) || !isRecord(value['metadata']))
    throw new TinkFailure(`${path} must contain one object with apiVersion, kind and metadata`);
  const { name, namespace } = value['metadata'];
  if (name !== target.name || (namespace !== undefined && namespace !== target.namespace))
    throw new TinkFailure(
      `${path}: metadata.name and metadata.namespace cannot be changed, because they identify the object`,
    );
  return value as unknown as Resource;
}
