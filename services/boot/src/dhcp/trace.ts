/** Represents a DHCP exchange as a span in the trace of a boot, and passes the trace on to the machine. */
import type { DhcpPacket } from '@tinkerbell/dhcp';
import type { NetbootClient } from '@tinkerbell/netboot';
import type { SpanContext, Tracer } from '@tinkerbell/platform-contract';

/** Upstream's sub-option of option 43: version, trace id, span id, flags, in 26 bytes. */
const TRACEPARENT_CODE = 69;
const VERSION = 0;
const SAMPLED = 1;
const DISCOVER = 1;

interface Answered {
  readonly request: DhcpPacket;
  readonly reply: DhcpPacket;
  readonly client: NetbootClient;
}

/** Returns the reply as it is sent: with our trace, where it has room for one. */
export function tracedReply(tracer: Tracer, { request, reply, client }: Answered): DhcpPacket {
  const asked = request.options.messageType;
  const span = tracer.startSpan('dhcp', {
    kind: 'server',
    machine: client.mac,
    // Firmware sends the first request. What it has loaded sends another in the same boot.
    beginsBoot: asked === DISCOVER && !client.isIpxe,
    attributes: {
      'dhcp.request.type': asked,
      'dhcp.reply.type': reply.options.messageType,
      'dhcp.address': reply.yiaddr,
      'dhcp.file': reply.bootFile === '' ? reply.options.bootFileName : reply.bootFile,
      'dhcp.architecture': client.architecture,
    },
  });
  span.end();
  return withTraceparent(reply, span.context);
}

/** A reply without the sub-option stays without it: a proxy's reply has none, like upstream's. */
function withTraceparent(reply: DhcpPacket, { traceId, spanId }: SpanContext): DhcpPacket {
  const { vendorSpecific } = reply.options;
  if (vendorSpecific === undefined) return reply;
  const bytes = Uint8Array.of(VERSION, ...hexBytes(traceId), ...hexBytes(spanId), SAMPLED);
  const options = vendorSpecific.map((one) => (one.code === TRACEPARENT_CODE ? { ...one, bytes } : one));
  return { ...reply, options: { ...reply.options, vendorSpecific: options } };
}

function hexBytes(text: string): readonly number[] {
  return (text.match(/../g) ?? []).map((byte) => Number.parseInt(byte, 16));
}
