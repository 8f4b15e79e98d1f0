/** Turns bare template text, the file format of the first Tink command line, into a Template. */
import { apiVersionOf, templateKind, type Template } from '@tinkerbell/resources';
import { stringifyYaml } from '@tinkerbell/yaml';

/** True for a Template manifest, which has its kind at the top level. */
export function isManifest(text: string): boolean {
  return /^\s*\{/.test(text) ? /"apiVersion"/.test(text) : /^apiVersion\s*:/m.test(text);
}

/** Returns the text's own top-level `name:`. It may be invalid as an object name. */
export function nameInTemplate(text: string): string | undefined {
  const match = /^name\s*:[ \t]*(?:"([^"\n]*)"|'([^'\n]*)'|([^#\n]*))/m.exec(text);
  const name = (match?.[1] ?? match?.[2] ?? match?.[3] ?? '').trim();
  return name === '' ? undefined : name;
}

/** Turns `Basic provision` into `basic-provision`, a valid object name. May be empty. */
export function objectNameFor(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9.]+/g, '-')
    .replace(/^[-.]+|[-.]+$/g, '')
    .slice(0, 253);
}

export function templateOf(text: string, name: string, namespace: string): Template {
  return {
    apiVersion: apiVersionOf(templateKind),
    kind: 'Template',
    metadata: { name, namespace },
    spec: { data: text },
  };
}

/** Returns a manifest, so that it is processed like all manifests. */
export function manifestOf(template: Template): string {
  return stringifyYaml(template);
}
