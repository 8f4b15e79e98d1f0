/** Faults of real BMCs, to be switched on one by one. */
export interface IpmiLies {
  /** Accepts power operations and performs none. */
  ignoresPower?: boolean;
  ignoresBootDevice?: boolean;
  /** Spoils the digest of RAKP message 2 or 4. */
  wrongDigestOfRakp?: 2 | 4;
  /** Answers no command of any session, as if the sessions were gone. */
  forgetsSessions?: boolean;
  /** Answers this many commands with `node busy`. */
  busyAnswers?: number;
  /** Delays each datagram. */
  answersLateMs?: number;
  /** Holds every datagram until the next one was sent. */
  reordersPackets?: boolean;
  duplicatesPackets?: boolean;
}

const RAKP2 = 0x13;
const RAKP4 = 0x15;
const PAYLOAD_TYPE_AT = 5;

/** Returns the datagram, with a wrong last byte when it is the message to spoil. */
export function spoilDigest(datagram: Uint8Array, { wrongDigestOfRakp }: IpmiLies): Uint8Array {
  const types = { 2: RAKP2, 4: RAKP4 };
  if (wrongDigestOfRakp === undefined || datagram[PAYLOAD_TYPE_AT] !== types[wrongDigestOfRakp])
    return datagram;
  const spoiled = datagram.slice();
  const last = spoiled.length - 1;
  spoiled[last] = (spoiled[last] ?? 0) ^ 0xff;
  return spoiled;
}
