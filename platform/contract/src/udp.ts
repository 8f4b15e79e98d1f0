export interface UdpAddress {
  /** Dotted IPv4. */
  readonly address: string;
  readonly port: number;
}

/** Whom a datagram came from. */
export interface UdpPeer extends UdpAddress {
  /** `address:port`. Made once for a peer that sends often: to join the two for each datagram costs as much as to answer it. */
  readonly key: string;
}

export function peerOf(address: string, port: number): UdpPeer {
  return { address, port, key: `${address}:${port}` };
}

export interface Datagram {
  /** Valid only during the callback: the platform may reuse the memory. Copy what must live longer. */
  readonly bytes: Uint8Array;
  readonly peer: UdpPeer;
  /** The network interface it arrived on, when the socket is bound to one. */
  readonly networkInterface: string | undefined;
}

export interface UdpOptions {
  /** 0 lets the platform choose. */
  readonly port: number;
  /** Local address; all addresses when absent. */
  readonly address?: string;
  /** Receives from and sends through this network interface only (SO_BINDTODEVICE on Linux). */
  readonly networkInterface?: string;
  /** Allows sends to 255.255.255.255. */
  readonly broadcast?: boolean;
  /** Lets several sockets hold the same port (SO_REUSEADDR). */
  readonly reuseAddress?: boolean;
  /** Peers answer at once what they are sent, as in TFTP: it pays to stay awake for a moment. */
  readonly isLockStep?: boolean;
}

/** Datagrams for one peer: each has a head of its own and the next piece of a body they share. */
export interface DatagramRun {
  readonly count: number;
  /** One head after the other; there may be more than `count`. */
  readonly heads: Uint8Array;
  readonly headBytes: number;
  readonly body: Uint8Array;
  /** Where in `body` the first piece begins. */
  readonly offset: number;
  /** Of all pieces; each has `pieceBytes`, the last may be shorter, or empty. */
  readonly length: number;
  readonly pieceBytes: number;
}

/** A copy of one of them, counted from 0. */
export function datagramAt(run: DatagramRun, index: number): Uint8Array {
  const { heads, headBytes, body, offset, length, pieceBytes } = run;
  const [head, from] = [index * headBytes, index * pieceBytes];
  const pieceLength = Math.max(0, Math.min(pieceBytes, length - from));
  const datagram = new Uint8Array(headBytes + pieceLength);
  datagram.set(heads.subarray(head, head + headBytes));
  datagram.set(body.subarray(offset + from, offset + from + pieceLength), headBytes);
  return datagram;
}

export interface UdpSocket extends AsyncDisposable {
  readonly local: UdpAddress;
  /** Sends or queues one datagram; `bytes` may be reused when it returns. A failure to send is reported through the `onError` given at open. */
  send(bytes: Uint8Array, to: UdpAddress): void;
  /**
   * All of them in one system call where the kernel cuts them itself (UDP_SEGMENT on Linux), and without a copy. `heads` may be
   * reused when it returns; the body is to stay as it is until this turn of the event loop is over.
   */
  sendRun(run: DatagramRun, to: UdpAddress): void;
  /**
   * Sends to a host that has no address yet and answers no ARP: a frame to `mac` on the socket's network interface. False,
   * and nothing is sent, where the platform cannot: the socket is bound to no network interface, or frames need a right
   * this process has not.
   */
  sendToMac(bytes: Uint8Array, to: UdpAddress, mac: string): boolean;
  close(): Promise<void>;
}

export interface UdpHandlers {
  onDatagram(datagram: Datagram): void;
  onError(error: Error): void;
}

export interface Udp {
  /** Rejects with a PlatformError of code `address-in-use`, `permission-denied` or `no-such-interface`. */
  open(options: UdpOptions, handlers: UdpHandlers): Promise<UdpSocket>;
  /** The IPv4 network interfaces of this machine. */
  networkInterfaces(): readonly NetworkInterface[];
}

export interface NetworkInterface {
  readonly name: string;
  /** Lower-case, colon separated. */
  readonly mac: string;
  readonly address: string;
  readonly netmask: string;
  readonly internal: boolean;
  /** Largest IP packet it sends whole; absent where that cannot be known. */
  readonly mtuBytes?: number | undefined;
}
