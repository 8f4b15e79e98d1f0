import type { Udp, UdpAddress, UdpSocket } from '@tinkerbell/platform-contract';
import { messageOf } from '@tinkerbell/platform-contract';
import { BmcError } from '../bmc-error.ts';

/** A socket for one BMC. Datagrams of other senders are dropped. */
export class IpmiChannel implements AsyncDisposable {
  /** What receives datagrams: the login first, and then the session. */
  receive: (bytes: Uint8Array) => void = () => undefined;
  /** Why the system could not send the last datagram. It explains a missing answer. */
  sendError: Error | undefined;
  readonly address: UdpAddress;
  readonly #socket: UdpSocket;

  private constructor(socket: UdpSocket, address: UdpAddress) {
    this.#socket = socket;
    this.address = address;
  }

  static async open(udp: Udp, address: UdpAddress): Promise<IpmiChannel> {
    const key = `${address.address}:${address.port}`;
    let channel: IpmiChannel | undefined;
    try {
      const socket = await udp.open(
        { port: 0 },
        {
          onDatagram: ({ bytes, peer }) => {
            if (peer.key === key) channel?.receive(bytes);
          },
          onError: (error) => {
            if (channel !== undefined) channel.sendError = error;
          },
        },
      );
      channel = new IpmiChannel(socket, address);
      return channel;
    } catch (cause) {
      throw new BmcError('unreachable', `cannot open a UDP socket: ${messageOf(cause)}`, { cause });
    }
  }

  send(datagrams: readonly Uint8Array[]): void {
    for (const datagram of datagrams) this.#socket.send(datagram, this.address);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.receive = () => undefined;
    await this.#socket.close();
  }
}
