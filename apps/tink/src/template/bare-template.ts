/** A template text by itself, as files for the first Tink command line have it, made a Template. */
import { apiVersionOf, templateKind, type Template } from '@tinkerbell/resources';
import { stringifyYaml } from '@tinkerbell/yaml';

/** True for a Template manifest: it says its kind at the outermost level. */
export function isManifest(text: string): boolean {
  return /^\s*\{/.test(text) ? /"apiVersion"/.test(text) : /^apiVersion\s*:/m.test(text);
}

/** The text's own `name:` at its outermost level; it may be no name that an object can have. */
export function nameInTemplate(text: string): string | undefined {
  const match = /^name\s*:[ \t]*(?:"([^"\n]*)"|'([^'\n]*)'|([^#\n]*))/m.exec(text);
  const name = (match?.[1] ?? match?.[2] ?? match?.[3] ?? '').trim();
  return name === '' ? undefined : name;
}

/** `Basic provision` becomes `basic-provision`: a name that an object can have. May be empty. */
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

/** As a manifest, so that it takes the way of all manifests. */
export function manifestOf(template: Template): string {
  return stringifyYaml(template);
}
