import { joinBytes, uint32Le } from '../bytes.ts';
import type { IpmiCrypto } from '../crypto.ts';
import type { CipherSuite } from './cipher-suite.ts';

/** What both sides know when RAKP message 2 has arrived (section 13.31). Names follow the side that chose the value. */
export interface KeyExchange {
  readonly clientId: number;
  readonly bmcId: number;
  /** Sixteen bytes each. */
  readonly clientRandom: Uint8Array;
  readonly bmcRandom: Uint8Array;
  readonly bmcGuid: Uint8Array;
  /** The privilege byte of RAKP message 1, as it was sent. */
  readonly role: number;
  readonly username: Uint8Array;
}

/** Computes the codes of one exchange. `password` is the user's key. `bmcKey` is K_g, which few BMCs have. */
export interface KeyExchangeSecrets {
  readonly suite: CipherSuite;
  readonly password: Uint8Array;
  /** Absent: the BMC has none, and the user's key takes its place. */
  readonly bmcKey?: Uint8Array;
}

export interface SessionKeys {
  /** K1, which signs packets. */
  readonly integrity: Uint8Array;
  /** The first 16 bytes of K2, which encrypt payloads. */
  readonly encryption: Uint8Array;
  /** K3, from which this package derives initialization vectors. */
  readonly vectors: Uint8Array;
}

export interface KeyCodes {
  readonly rakp2: Uint8Array;
  readonly rakp3: Uint8Array;
  /** Shortened to the length of packet codes. */
  readonly rakp4: Uint8Array;
  readonly keys: SessionKeys;
}

const CONSTANT_BYTES = 20;
const AES_KEY_BYTES = 16;

/** Computes the codes of RAKP messages 2 to 4 and the keys of the session (sections 13.28, 13.31 and 13.32). */
export function keyCodesOf(exchange: KeyExchange, secrets: KeyExchangeSecrets, crypto: IpmiCrypto): KeyCodes {
  const { suite, password, bmcKey = password } = secrets;
  const { clientRandom, bmcRandom, bmcGuid } = exchange;
  const clientId = Uint8Array.from(uint32Le(exchange.clientId));
  const bmcId = Uint8Array.from(uint32Le(exchange.bmcId));
  const user = joinBytes(Uint8Array.of(exchange.role, exchange.username.length), exchange.username);
  const hmac = (key: Uint8Array, ...parts: readonly Uint8Array[]): Uint8Array =>
    crypto.hmac(suite.hash, key, joinBytes(...parts));
  const sessionKey = hmac(bmcKey, clientRandom, bmcRandom, user);
  const additional = (constant: number): Uint8Array =>
    hmac(sessionKey, new Uint8Array(CONSTANT_BYTES).fill(constant));
  return {
    rakp2: hmac(password, clientId, bmcId, clientRandom, bmcRandom, bmcGuid, user),
    rakp3: hmac(password, bmcRandom, clientId, user),
    rakp4: hmac(sessionKey, clientRandom, bmcId, bmcGuid).subarray(0, suite.integrityBytes),
    keys: {
      integrity: additional(1),
      encryption: additional(2).subarray(0, AES_KEY_BYTES),
      vectors: additional(3),
    },
  };
}
