export interface UdpAddress {
  /** The address in dotted IPv4 form. */
  readonly address: string;
  readonly port: number;
}

/** The sender of a datagram. */
export interface UdpPeer extends UdpAddress {
  /**
   * `address:port`. It is built once for a peer that sends often, because joining the two for each datagram costs as much as
   * answering it.
   */
  readonly key: string;
}

export function peerOf(address: string, port: number): UdpPeer {
  return { address, port, key: `${address}:${port}` };
}

export interface Datagram {
  /** Valid only during the callback, because the platform may reuse the memory. Copy what must live longer. */
  readonly bytes: Uint8Array;
  readonly peer: UdpPeer;
  /** The network interface on which the datagram arrived, when the socket is bound to one. */
  readonly networkInterface: string | undefined;
}

export interface UdpOptions {
  /** 0 lets the platform choose a port. */
  readonly port: number;
  /** The local address. Default: all addresses. */
  readonly address?: string;
  /** Receives from and sends through this network interface only (SO_BINDTODEVICE on Linux). */
  readonly networkInterface?: string;
  /** Allows sending to 255.255.255.255. */
  readonly broadcast?: boolean;
  /** Lets several sockets hold the same port (SO_REUSEADDR). */
  readonly reuseAddress?: boolean;
  /** Peers answer immediately, as in TFTP, so it pays to busy-wait briefly for the answer. */
  readonly isLockStep?: boolean;
  /**
   * At a high rate, waits 0.15 ms for several datagrams, to receive and to answer them together. That blocks the thread, so it is
   * for a thread that does nothing else.
   */
  readonly coalesces?: boolean;
}

/** Datagrams for one peer. Each has its own head and the next piece of a shared body. */
export interface DatagramRun {
  readonly count: number;
  /** The heads, one after the other. There may be more than `count`. */
  readonly heads: Uint8Array;
  readonly headBytes: number;
  readonly body: Uint8Array;
  /** The offset in `body` of the first piece. */
  readonly offset: number;
  /**
   * The length of all pieces together. Each piece has `pieceBytes`, and the last may be shorter, or empty.
   */
  readonly length: number;
  readonly pieceBytes: number;
}

/** Returns a copy of one datagram, counted from 0. */
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
  /**
   * Sends or queues one datagram. The caller may reuse `bytes` when the call returns. A failure to send is reported to the
   * `onError` given at open.
   */
  send(bytes: Uint8Array, to: UdpAddress): void;
  /**
   * Sends all datagrams in one system call without a copy, where the kernel can segment them (UDP_SEGMENT on Linux). The caller
   * may reuse `heads` when the call returns. The body must not change until this turn of the event loop is over.
   */
  sendRun(run: DatagramRun, to: UdpAddress): void;
  /**
   * Sends to a host that has no address yet and does not answer ARP: a frame to `mac` on the socket's network interface. Returns
   * false, and sends nothing, when the socket is not bound to a network interface or the process lacks the right to send frames.
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
  /** Lists the IPv4 network interfaces of this machine. */
  networkInterfaces(): readonly NetworkInterface[];
}

export interface NetworkInterface {
  readonly name: string;
  /** The MAC in lower case, colon separated. */
  readonly mac: string;
  readonly address: string;
  readonly netmask: string;
  readonly internal: boolean;
  /** The largest IP packet that the interface sends unfragmented. Absent when unknown. */
  readonly mtuBytes?: number | undefined;
}
