/** A boot entry for UEFI HTTP boot from a URL: UEFI 2.10 sections 3.1.2 (short-form URI device path) and 10.3.4.22. */
import { utf16 } from './load-option.ts';

const ACTIVE = 1;
const MESSAGING = 3;
const URI = 24;
const END = [0x7f, 0xff, 4, 0] as const;
const NODE_HEAD_BYTES = 4;
const HEAD_BYTES = 6;

/**
 * Returns an active EFI_LOAD_OPTION. The firmware expands its path to the network cards that can boot over HTTP. `description` must
 * not contain NUL, and `uri` must be ASCII.
 */
export function encodeUriOption(description: string, uri: string): Uint8Array {
  const name = utf16(description);
  const text = Uint8Array.from(uri, (character) => character.charCodeAt(0));
  const nodeBytes = NODE_HEAD_BYTES + text.length;
  const pathBytes = nodeBytes + END.length;
  const bytes = new Uint8Array(HEAD_BYTES + name.length + pathBytes);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, ACTIVE, true);
  view.setUint16(4, pathBytes, true);
  bytes.set(name, HEAD_BYTES);
  const node = HEAD_BYTES + name.length;
  bytes.set([MESSAGING, URI], node);
  view.setUint16(node + 2, nodeBytes, true);
  bytes.set(text, node + NODE_HEAD_BYTES);
  bytes.set(END, node + nodeBytes);
  return bytes;
}
