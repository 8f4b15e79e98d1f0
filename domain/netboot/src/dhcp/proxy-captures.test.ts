/** Tests the proxy's answers to packets of real firmware. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodePacket, machineUuidOf, type DhcpPacket } from '@tinkerbell/dhcp';
import { bytesToHex } from '@tinkerbell/wire';
import * as captures from '../testing/captures.ts';
import { hardware, MAC, settings } from '../testing/packets.ts';
import { classifyClient, replyTo, reservationFor, type Arrival } from '../index.ts';

const SCRIPT = `http://192.168.77.1:7080/ipxe/script/${MAC}/auto.ipxe`;
const BINARY = `http://192.168.77.1:7080/ipxe/binary/${MAC}/ipxe.efi`;

function decide(request: DhcpPacket, port: Arrival['port']) {
  return replyTo({
    request,
    client: classifyClient(request),
    reservation: reservationFor([hardware()], MAC),
    settings: { ...settings, mode: 'proxy' },
    arrival: { port, localAddresses: [] },
  });
}

// [what was captured, packet, destination port, message type and file of the reply, or the reason why there
// is none]
const rows: readonly [string, DhcpPacket, Arrival['port'], [number, string] | string][] = [
  ["OVMF's DISCOVER", captures.ovmfDiscover, 'dhcp', [2, 'ipxe.efi']],
  ["OVMF's REQUEST to the other server", captures.ovmfRequest, 'dhcp', 'other-server-selected'],
  ["OVMF's boot request", captures.ovmfBootRequest, 'boot-server', [5, 'ipxe.efi']],
  ["OVMF's HTTP boot DISCOVER", captures.ovmfHttpDiscover, 'dhcp', [2, BINARY]],
  ["the iPXE ROM's DISCOVER", captures.ipxeRomDiscover, 'dhcp', [2, SCRIPT]],
  ["the iPXE ROM's REQUEST to the other server", captures.ipxeRomRequest, 'dhcp', 'other-server-selected'],
  ["the iPXE ROM's boot request", captures.ipxeRomBootRequest, 'boot-server', [5, SCRIPT]],
  ["iPXE's DISCOVER under UEFI", captures.ipxeEfiDiscover, 'dhcp', [2, SCRIPT]],
  ["iPXE's boot request under UEFI", captures.ipxeEfiBootRequest, 'boot-server', [5, SCRIPT]],
];

for (const [name, packet, port, expected] of rows) {
  test(`${name} is answered ${Array.isArray(expected) ? `with ${expected[1]}` : `by silence: ${expected}`}`, () => {
    const decision = decide(packet, port);
    if (typeof expected === 'string') {
      assert.equal(decision.kind === 'ignore' && decision.reason, expected);
      return;
    }
    assert.ok(decision.kind === 'reply', JSON.stringify(decision));
    const { reply } = decision;
    assert.deepEqual([reply.options.messageType, reply.bootFile], expected);
    assert.deepEqual([reply.yiaddr, reply.siaddr], ['0.0.0.0', '192.168.77.1']);
    assert.equal(reply.transactionId, packet.transactionId);
    assert.equal(
      machineUuidOf(reply.options.clientMachineIdentifier!),
      '00112233-4455-6677-8899-aabbccddeeff',
    );
  });
}

test('a boot request on port 67 gets no answer, unless it names this server', () => {
  const unnamed = decide(captures.ovmfBootRequest, 'dhcp');
  assert.equal(unnamed.kind === 'ignore' && unnamed.reason, 'address-wanted');
  const naming = decide(captures.ipxeEfiBootRequest, 'dhcp');
  assert.equal(naming.kind === 'reply' && naming.reply.options.messageType, 5);
});

test('the offer to OVMF, byte by byte', () => {
  const decision = decide(captures.ovmfDiscover, 'dhcp');
  assert.ok(decision.kind === 'reply');
  const encoded = encodePacket(decision.reply);
  assert.ok(encoded.ok);
  const hex = bytesToHex(encoded.bytes);
  const expected = [
    '02010600', // op, htype, hlen, hops
    'bb0da950', // xid
    '0000', // secs
    '8000', // broadcast
    '00000000 00000000 c0a84d01 00000000', // ciaddr, yiaddr, siaddr, giaddr
    `02005e100001${'00'.repeat(10)}`, // chaddr
    `3139322e3136382e37372e31${'00'.repeat(52)}`, // sname: 192.168.77.1
    `697078652e656669${'00'.repeat(120)}`, // file: ipxe.efi
    '63825363',
    '35 01 02', // 53: OFFER
    '36 04 c0a84d01', // 54
    '2b 03 06 01 08', // 43: boot server discovery control, load the file
    '3c 09 505845436c69656e74', // 60: PXEClient
    '61 11 00 33221100554477668899aabbccddeeff', // 97
    'ff',
  ].join('');
  assert.equal(hex, expected.replaceAll(' ', '').padEnd(600, '0'));
});
