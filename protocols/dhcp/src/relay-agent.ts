import { ipv4Option, type OptionCodec } from './option-codec.ts';
import { readSubOptions, type SubOption } from './sub-options.ts';
import type { Ipv4 } from '@tinkerbell/wire';

/**
 * Option 82. `bytes` are sent by the relay, and the reply must contain them unchanged (RFC 3046 section 2.2). The fields are
 * decoded for the server's own use and are empty when the relay's encoding is malformed.
 */
export interface RelayAgentInformation {
  readonly bytes: Uint8Array;
  readonly subOptions: readonly SubOption[];
  /** Sub-option 1, RFC 3046. */
  readonly circuitId?: Uint8Array;
  /** Sub-option 2, RFC 3046. */
  readonly remoteId?: Uint8Array;
  /** Sub-option 5, RFC 3527: the subnet from which to choose, in place of giaddr. */
  readonly linkSelection?: Ipv4;
  /** Sub-option 11, RFC 5107: the required value of the reply's option 54. */
  readonly serverIdentifierOverride?: Ipv4;
}

export const relayAgentOption: OptionCodec<RelayAgentInformation> = {
  decode: (bytes) => {
    const subOptions = readSubOptions(bytes, { hasPadAndEnd: false }) ?? [];
    const valueOf = (code: number) => subOptions.find((each) => each.code === code)?.bytes;
    const addressOf = (code: number) => ipv4Option.decode(valueOf(code) ?? new Uint8Array());
    const [circuitId, remoteId] = [valueOf(1), valueOf(2)];
    const [linkSelection, serverIdentifierOverride] = [addressOf(5), addressOf(11)];
    return {
      bytes,
      subOptions,
      ...(circuitId === undefined ? {} : { circuitId }),
      ...(remoteId === undefined ? {} : { remoteId }),
      ...(linkSelection === undefined ? {} : { linkSelection }),
      ...(serverIdentifierOverride === undefined ? {} : { serverIdentifierOverride }),
    };
  },
  encode: (value) => value.bytes,
};
