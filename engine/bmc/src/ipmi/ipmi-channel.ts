import type { Udp6Socket, UdpAddress, UdpSocket } from '@tinkerbell/platform-contract';
import { messageOf } from '@tinkerbell/platform-contract';
import { isIpv4 } from '@tinkerbell/wire';
import { BmcError } from '../bmc-error.ts';
import type { IpmiDeps } from './ipmi-deps.ts';

/** A socket for one BMC. Datagrams of other senders are dropped. */
export class IpmiChannel implements AsyncDisposable {
  /** What receives datagrams: the login first, and then the session. */
  receive: (bytes: Uint8Array) => void = () => undefined;
  /** Why the system could not send the last datagram. It explains a missing answer. */
  sendError: Error | undefined;
  readonly address: UdpAddress;
  readonly #socket: Pick<UdpSocket | Udp6Socket, 'send' | 'close'>;

  private constructor(socket: Pick<UdpSocket | Udp6Socket, 'send' | 'close'>, address: UdpAddress) {
    this.#socket = socket;
    this.address = address;
  }

  static async open(
    { udp, udp6 }: Pick<IpmiDeps, 'udp' | 'udp6'>,
    address: UdpAddress,
  ): Promise<IpmiChannel> {
    const ofFamily = isIpv4(address.address) ? udp : udp6;
    const key = `${address.address}:${address.port}`;
    let channel: IpmiChannel | undefined;
    try {
      const socket = await ofFamily.open(
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
