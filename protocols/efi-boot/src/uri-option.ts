/** A boot entry for UEFI HTTP boot from a URL: UEFI 2.10 sections 3.1.2 (short-form URI device path) and 10.3.4.22. */
import { activeOption, END, NODE_HEAD_BYTES } from './load-option.ts';

const MESSAGING = 3;
const URI = 24;

/**
 * Returns an active EFI_LOAD_OPTION. The firmware expands its path to the network cards that can boot over HTTP. `description` must
 * not contain NUL, and `uri` must be ASCII.
 */
export function encodeUriOption(description: string, uri: string): Uint8Array {
  const text = Uint8Array.from(uri, (character) => character.charCodeAt(0));
  const nodeBytes = NODE_HEAD_BYTES + text.length;
  const { bytes, view, pathAt: node } = activeOption(description, nodeBytes + END.length);
  bytes.set([MESSAGING, URI], node);
  view.setUint16(node + 2, nodeBytes, true);
  bytes.set(text, node + NODE_HEAD_BYTES);
  bytes.set(END, node + nodeBytes);
  return bytes;
}
