/** The instance metadata as the machine reads it. Pure. */
import { ec2NodeAt, NOCLOUD_DOCUMENTS, nocloudDocument } from '@tinkerbell/instance-metadata';
import type { Hardware } from '@tinkerbell/resources';

export type MetadataLeaf = readonly [path: string, text: string];

/** The leaves of EC2's tree that have a value, in the order of their paths. */
export function ec2Leaves(hardware: Hardware, path = ''): readonly MetadataLeaf[] {
  const node = ec2NodeAt(path);
  if (node === undefined) return [];
  const text = node.kind === 'listing' ? node.text : (node.textFor(hardware) ?? '');
  const isFolder = node.kind === 'listing' || path.endsWith('/');
  if (!isFolder) return text === '' ? [] : [[path, text]];
  return namesIn(text).flatMap((name) => ec2Leaves(hardware, `${path}${name}`));
}

/** A listing of public keys has `0=`, whose folder is `0/`. */
function namesIn(text: string): readonly string[] {
  return text
    .split('\n')
    .filter((name) => name !== '')
    .map((name) => name.replace(/=.*$/, '/'));
}

export function nocloudLeaves(hardware: Hardware): readonly MetadataLeaf[] {
  return NOCLOUD_DOCUMENTS.flatMap((name): readonly MetadataLeaf[] => {
    const text = nocloudDocument(name, hardware) ?? '';
    return text === '' ? [] : [[name, text]];
  });
}
