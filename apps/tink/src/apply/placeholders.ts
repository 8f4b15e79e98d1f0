/** Finds values of the examples that must be edited: the example MAC, addresses of the example network, placeholder keys. */
import {
  hardwareKind,
  isOfKind,
  isRecord,
  secretKind,
  type ManifestProblem,
  type Resource,
} from '@tinkerbell/resources';
import { problemAt, type LocatedObject } from '../manifests/manifest-objects.ts';

/** The annotation on an example Hardware. It contains the placeholder MAC. */
export const EXAMPLE_ANNOTATION = 'tinkerbell.org/example';
/** The MACs of all examples. An editor that replaces the MAC everywhere also changes the annotation. */
const EXAMPLE_MAC = /^08:00:27:9e:f5:/;
const REPLACE = 'REPLACE-WITH-';
/** The network of all examples. */
const EXAMPLE_NETWORK = /\b192\.168\.56\.\d{1,3}\b/;
/** Depth limit of the search. Objects of examples are smaller. */
const DEPTH_MAX = 24;

/** Returns a problem for each value that must be edited, with its place. Empty for other objects. */
export function placeholderProblems(objects: readonly LocatedObject[]): readonly ManifestProblem[] {
  const isExample = objects.some(({ resource }) => hasPlaceholderMac(resource));
  return objects.flatMap((object) => {
    const mac = exampleMacOf(object.resource);
    return [...textsIn(object.resource, []), ...secretTexts(object.resource)]
      .filter(({ path }) => path[0] !== 'metadata')
      .flatMap(({ path, text }) => {
        const what = whatIsWrong(text, { isExample, mac, isTemplate: object.kind.kind === 'Template' });
        return what === undefined ? [] : [problemAt(object, path, `${pathText(path)}: ${what}`)];
      });
  });
}

function hasPlaceholderMac(resource: Resource): boolean {
  const mac = exampleMacOf(resource);
  if (mac === undefined || !isOfKind(resource, hardwareKind)) return false;
  return (resource.spec?.interfaces ?? []).some(({ dhcp }) => dhcp?.mac === mac);
}

function exampleMacOf({ metadata }: Resource): string | undefined {
  const mac = metadata.annotations?.[EXAMPLE_ANNOTATION];
  return mac !== undefined && EXAMPLE_MAC.test(mac) ? mac : undefined;
}

function whatIsWrong(
  text: string,
  {
    isExample,
    mac,
    isTemplate,
  }: { readonly isExample: boolean; readonly mac: string | undefined; readonly isTemplate: boolean },
): string | undefined {
  // A template may use such a word in its own script.
  const token = isTemplate ? undefined : /REPLACE-WITH-[A-Z-]+/.exec(text)?.[0];
  if (token !== undefined)
    return `${token} is a placeholder; replace it with ${token.slice(REPLACE.length).toLowerCase().replaceAll('-', ' ')}`;
  if (!isExample) return undefined;
  if (text === mac) return `${text} is the MAC of the example; replace it with the MAC of your machine`;
  const address = EXAMPLE_NETWORK.exec(text)?.[0];
  return address === undefined
    ? undefined
    : `${address} is an address of the example; replace it with one of your network`;
}

type Path = readonly (string | number)[];

/** The values of a Secret, which are in base64 whichever way they were given. */
function secretTexts(resource: Resource): ReturnType<typeof textsIn> {
  const data: unknown = isOfKind(resource, secretKind) && 'data' in resource ? resource.data : undefined;
  if (!isRecord(data)) return [];
  return Object.entries(data).map(([key, value]) => ({
    path: ['stringData', key],
    text: new TextDecoder().decode(Uint8Array.fromBase64(String(value))),
  }));
}

function textsIn(value: unknown, path: Path): readonly { readonly path: Path; readonly text: string }[] {
  if (typeof value === 'string') return [{ path, text: value }];
  if (path.length >= DEPTH_MAX) return [];
  if (Array.isArray(value)) return value.flatMap((one: unknown, index) => textsIn(one, [...path, index]));
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([key, one]) => textsIn(one, [...path, key]));
}

function pathText(path: Path): string {
  const text = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('');
  return text.replace(/^\./, '');
}
