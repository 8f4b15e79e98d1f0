/** Values of examples that somebody forgot to edit: a MAC of nobody's machine, an address of another network, a key to log in with. */
import type { Hardware, ManifestProblem } from '@tinkerbell/resources';
import { isRecord } from '@tinkerbell/resources';
import { problemAt, type LocatedObject } from '../manifests/manifest-objects.ts';

/** On a Hardware of an example: its MAC, which is a placeholder as long as it is this one. */
export const EXAMPLE_ANNOTATION = 'tinkerbell.org/example';
const REPLACE = 'REPLACE-WITH-';
/** The network of all examples. */
const EXAMPLE_NETWORK = /\b192\.168\.56\.\d{1,3}\b/;
/** Objects of examples are small; of others nothing is looked for as deep as this. */
const DEPTH_MAX = 24;

/** What is to be edited, each at its place; empty when these are no examples, or edited ones. */
export function placeholderProblems(objects: readonly LocatedObject[]): readonly ManifestProblem[] {
  const isExample = objects.some(({ resource }) => hasPlaceholderMac(resource as Hardware));
  return objects.flatMap((object) => {
    const mac = (object.resource as Hardware).metadata.annotations?.[EXAMPLE_ANNOTATION];
    return textsIn(object.resource, [])
      .filter(({ path }) => path[0] !== 'metadata')
      .flatMap(({ path, text }) => {
        const what = whatIsWrong(text, { isExample, mac, isTemplate: object.kind.kind === 'Template' });
        return what === undefined ? [] : [problemAt(object, path, `${pathText(path)}: ${what}`)];
      });
  });
}

function hasPlaceholderMac({ kind, metadata, spec }: Hardware): boolean {
  const mac = metadata.annotations?.[EXAMPLE_ANNOTATION];
  return (
    kind === 'Hardware' && (spec?.interfaces ?? []).some(({ dhcp }) => mac !== undefined && dhcp?.mac === mac)
  );
}

function whatIsWrong(
  text: string,
  {
    isExample,
    mac,
    isTemplate,
  }: { readonly isExample: boolean; readonly mac: string | undefined; readonly isTemplate: boolean },
): string | undefined {
  // A template may have such a word in a script of its own.
  const token = isTemplate ? undefined : /REPLACE-WITH-[A-Z-]+/.exec(text)?.[0];
  if (token !== undefined)
    return `${token} is a placeholder: write ${token.slice(REPLACE.length).toLowerCase().replaceAll('-', ' ')}`;
  if (!isExample) return undefined;
  if (text === mac) return `${text} is the MAC of the example: write that of your machine`;
  const address = EXAMPLE_NETWORK.exec(text)?.[0];
  return address === undefined
    ? undefined
    : `${address} is an address of the example: write one of your network`;
}

type Path = readonly (string | number)[];

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
