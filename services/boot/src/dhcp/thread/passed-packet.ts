import { peerOf, type Datagram } from '@tinkerbell/platform-contract';
import type { DhcpEntrance } from '../reply-sender.ts';
import type { DhcpOrder, PassedPacket } from './messages.ts';

export function passedDatagram({ bytes, peer, networkInterface }: PassedPacket): Datagram {
  return { bytes, peer: peerOf(peer.address, peer.port), networkInterface };
}

/** Answers leave through the socket of the DHCP thread. */
export function passedEntrance(
  { arrival, socket }: PassedPacket,
  order: (order: DhcpOrder) => void,
): DhcpEntrance {
  return {
    arrival,
    socket: {
      send: (bytes, { address, port }) =>
        order({ kind: 'send', socket, bytes: bytes.slice(), to: { address, port } }),
      // Where no frames can be sent, the thread broadcasts.
      sendToMac(bytes, { address, port }, mac) {
        order({ kind: 'send', socket, bytes: bytes.slice(), to: { address, port }, mac });
        return true;
      },
    },
  };
}
