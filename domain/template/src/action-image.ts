/**
 * Decides which action images our agent runs by itself. Upstream's agent pulls any container image. Ours pulls
 * only those that are not built in, from a registry that must have them. The server reports them when the
 * template is applied.
 */
import { parseYaml, type YamlNode } from '@tinkerbell/yaml';
import type { ActionDefinition, WorkflowDefinition } from './workflow-definition.ts';

/**
 * Keyed by the last element of the image's name. apps/agent has the programs, and a test checks that this
 * list matches them.
 */
export const BUILT_IN_ACTIONS: readonly string[] = [
  'image2disk',
  'oci2disk',
  'qemuimg2disk',
  'archive2disk',
  'rootio',
  'grub2disk',
  'syslinux',
  'erase',
  'verify',
  'burnin',
  'inventory',
  'ubootenv',
  'cidataio',
  'efibootset',
  'slurp',
  'writefile',
  'cexec',
  'kexec',
  'reboot',
  'alpine',
  'busybox',
  'waitdaemon',
];

const DISK_IMAGE = 'image2disk with IMG_URL and DEST_DISK';

/**
 * The replacement for images that other documents name and that are not built in. `write-disk`, `disk-wipe`
 * and `osie-installer` are from introductions to Tinkerbell. The others are from tinkerbell/actions.
 */
const INSTEAD: ReadonlyMap<string, string> = new Map([
  ['write-disk', DISK_IMAGE],
  // Overwrites the partition table and the start of file systems. Overwriting a whole disk takes hours.
  ['disk-wipe', 'alpine with the command ["sh", "-c", "dd if=/dev/zero of=$BLOCK_DEVICE bs=1M count=16"]'],
  ['osie-installer', `${DISK_IMAGE}: OSIE is the in-memory OS before HookOS`],
  ['osie', `${DISK_IMAGE}: OSIE is the in-memory OS before HookOS`],
]);

/** The first warning names the fix, so more of them add nothing. */
const REPORTED_MAX = 20;

export interface ForeignImage {
  readonly image: string;
  /** The line in the template's text, from 1. */
  readonly line: number;
  readonly column: number;
}

/**
 * Returns `image2disk` for `quay.io/tinkerbell/actions/image2disk:v1@sha256:...`: registry, tag and digest do
 * not matter.
 */
export function actionName(image: string): string {
  const withoutDigest = image.split('@')[0] ?? '';
  const last = withoutDigest.split('/').at(-1) ?? '';
  return last.split(':')[0] ?? '';
}

/** Returns a message for people who apply a template. */
export function foreignImageWarning(image: string): string {
  const instead = INSTEAD.get(actionName(image));
  const way = instead === undefined ? '' : `use ${instead}; `;
  return `${way}the agent of this server's in-memory OS by itself cannot run the image ${image}; built in are ${BUILT_IN_ACTIONS.join(', ')}. It pulls any other image from its registry, and runs it as a container`;
}

/** Returns the images of a rendered template that are not built in, each once, at most 20. */
export function foreignImagesOf({ tasks }: WorkflowDefinition): readonly string[] {
  const images = tasks.flatMap(({ actions }) => actions).flatMap(imagesOf);
  return [...new Set(images)].filter(isForeign).slice(0, REPORTED_MAX);
}

function imagesOf({ image, onFailure = [] }: ActionDefinition): readonly string[] {
  return [image, ...onFailure.flatMap(imagesOf)];
}

function isForeign(image: string): boolean {
  return image !== '' && !BUILT_IN_ACTIONS.includes(actionName(image));
}

/** Stands for a value that only a rendering can determine. No image has this name. */
const UNKNOWN = '\u{e000}';
const CONTROL =
  /^\{\{-?\s*(?:if|else|end|range|with|define|block|template|break|continue|\/\*|\$\w*(?:\s*,\s*\$\w+)?\s*:?=)/;

/**
 * Returns the images in the text of a template that are not built in. Names that an expression produces are
 * known only after rendering. Returns none for a text that is not YAML without its expressions.
 */
export function foreignImagesIn(text: string): readonly ForeignImage[] {
  const parsed = parseYaml(withoutExpressions(text));
  if (!parsed.ok) return [];
  const tasks = itemsAt(parsed.documents[0], 'tasks');
  const found = new Map<string, ForeignImage>();
  for (const action of tasks.flatMap((task) => itemsAt(task, 'actions')).flatMap(withFailureActions)) {
    const node = valueAt(action, 'image');
    const image = node?.kind === 'scalar' ? String(node.value) : '';
    if (node === undefined || !isForeign(image) || actionName(image).includes(UNKNOWN)) continue;
    const shown = image.replaceAll(UNKNOWN, '…');
    if (!found.has(shown)) found.set(shown, { image: shown, ...node.position });
    if (found.size === REPORTED_MAX) break;
  }
  return [...found.values()];
}

/** Runs in one pass, so that a text of many opening braces without a closing one is as fast. */
function withoutExpressions(text: string): string {
  const pieces: string[] = [];
  let at = 0;
  for (;;) {
    const begin = text.indexOf('{{', at);
    const end = begin < 0 ? -1 : text.indexOf('}}', begin);
    if (end < 0) break;
    const expression = text.slice(begin, end + 2);
    const lines = '\n'.repeat(expression.split('\n').length - 1);
    pieces.push(text.slice(at, begin), CONTROL.test(expression) ? '' : UNKNOWN, lines);
    at = end + 2;
  }
  pieces.push(text.slice(at));
  return pieces.join('');
}

function valueAt(node: YamlNode | undefined, key: string): YamlNode | undefined {
  return node?.kind === 'map' ? node.entries.get(key)?.value : undefined;
}

function itemsAt(node: YamlNode | undefined, key: string): readonly YamlNode[] {
  const value = valueAt(node, key);
  return value?.kind === 'list' ? value.items : [];
}

/** The actions that run after a failure have no such actions themselves. */
function withFailureActions(action: YamlNode): readonly YamlNode[] {
  return [action, ...itemsAt(action, 'on-failure')];
}
