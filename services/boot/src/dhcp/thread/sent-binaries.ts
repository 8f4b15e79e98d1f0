import type { NetbootSettings } from '@tinkerbell/netboot';
import { keyOf } from './known-binaries.ts';
import type { BinaryName, DhcpOrder } from './messages.ts';

/** Names come from flags and Hardware. The DHCP thread passes on packets that need a further one. */
const SENT_MAX = 256;

type LacksBinary = NonNullable<NetbootSettings['lacksBinary']>;

/** Answers the main thread's questions about boot files, and sends the answers to the DHCP thread. */
export class SentBinaries {
  readonly #lacks: LacksBinary;
  readonly #order: (order: DhcpOrder) => void;
  readonly #sent = new Map<string, boolean>();

  constructor(lacks: LacksBinary, order: (order: DhcpOrder) => void) {
    this.#lacks = lacks;
    this.#order = order;
  }

  lacks(binary: BinaryName): boolean {
    const key = keyOf(binary);
    const isMissing = this.#lacks(binary.name, binary.protocol);
    const sent = this.#sent.get(key);
    if (sent !== isMissing && (sent !== undefined || this.#sent.size < SENT_MAX)) {
      this.#sent.set(key, isMissing);
      this.#order({ kind: 'binary', binary, isMissing });
    }
    return isMissing;
  }
}
