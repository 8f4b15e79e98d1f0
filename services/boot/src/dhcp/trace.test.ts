import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DhcpPacket } from '@tinkerbell/dhcp';
import type { NetbootClient } from '@tinkerbell/netboot';
import { noTracer, type SpanOptions, type Tracer } from '@tinkerbell/platform-contract';
import { tracedReply } from './trace.ts';

const context = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };

function replied(isIpxe: boolean, vendorSpecific?: DhcpPacket['options']['vendorSpecific']) {
  const seen: SpanOptions[] = [];
  const span = { ...noTracer.startSpan(''), context };
  const tracer: Tracer = {
    isOn: true,
    startSpan: (_name, options = {}) => {
      seen.push(options);
      return span;
    },
  };
  const reply = { yiaddr: '192.0.2.1', bootFile: 'ipxe.efi', options: { messageType: 2, vendorSpecific } };
  const sent = tracedReply(tracer, {
    request: { options: { messageType: 1 } } as DhcpPacket,
    reply: reply as unknown as DhcpPacket,
    client: { mac: '52:54:00:00:00:01', isIpxe } as unknown as NetbootClient,
  });
  return { sent, options: seen[0] };
}

test('passes the trace on where the reply has room for it', () => {
  const bypass = { code: 6, bytes: Uint8Array.of(8) };
  const { sent } = replied(false, [bypass, { code: 69, bytes: new Uint8Array(26) }]);
  const [first, second] = sent.options.vendorSpecific ?? [];
  assert.equal(first, bypass);
  assert.equal(
    Buffer.from(second?.bytes ?? []).toString('hex'),
    '004bf92f3577b34da6a3ce929d0e0e473600f067aa0ba902b701',
  );
  assert.deepEqual(replied(false).sent.options.vendorSpecific, undefined);
});

test('a boot begins with a request of firmware, not of iPXE', () => {
  assert.equal(replied(false).options?.beginsBoot, true);
  assert.equal(replied(true).options?.beginsBoot, false);
});
