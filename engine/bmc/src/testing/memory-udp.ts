import { datagramAt, peerOf, type Udp, type UdpHandlers } from '@tinkerbell/platform-contract';

/** UDP without a network: datagrams arrive in the next turn of the event loop, in order. */
export function memoryUdp(): Udp {
  const sockets = new Map<number, UdpHandlers>();
  let lastPort = 20_000;
  return {
    networkInterfaces: () => [],
    open({ port }, handlers) {
      const own = port === 0 ? (lastPort += 1) : port;
      sockets.set(own, handlers);
      const local = { address: '127.0.0.1', port: own };
      const peer = peerOf(local.address, own);
      const send = (bytes: Uint8Array, to: { readonly port: number }): void => {
        const copy = bytes.slice();
        setImmediate(() =>
          sockets.get(to.port)?.onDatagram({ bytes: copy, peer, networkInterface: undefined }),
        );
      };
      const close = (): Promise<void> => {
        sockets.delete(own);
        return Promise.resolve();
      };
      return Promise.resolve({
        local,
        send,
        sendRun(run, to) {
          for (let index = 0; index < run.count; index++) send(datagramAt(run, index), to);
        },
        sendToMac: () => false,
        close,
        [Symbol.asyncDispose]: close,
      });
    },
  };
}
