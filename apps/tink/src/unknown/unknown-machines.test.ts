/** An unregistered machine sends DHCP requests to a real server. An operator finds and accepts it. */
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { emptyPacket, encodePacket } from '@tinkerbell/dhcp';
import { hexToBytes, ipv4 } from '@tinkerbell/wire';
import { createCommandRunner } from '../testing/command-runner.ts';
import { freePort, runServer } from '../testing/running-server.ts';

/** A MAC of Dell in the IEEE's list. */
const MAC = '00:14:22:00:00:01';

const discover = encodePacket({
  ...emptyPacket,
  transactionId: 9,
  hardwareAddress: hexToBytes(`${MAC.replaceAll(':', '')}00000000000000000000`) ?? new Uint8Array(16),
  options: {
    messageType: 1,
    vendorClassIdentifier: 'PXEClient:Arch:00007:UNDI:003016',
    clientArchitectures: [7],
    clientNetworkInterface: { type: 1, major: 3, minor: 16 },
    clientMachineIdentifier: new Uint8Array(17),
  },
});

/** Repeats the packet until the server lists its sender. */
async function untilListed(
  packet: Uint8Array,
  dhcpPort: number,
  done: (words: string) => Promise<string>,
): Promise<void> {
  const socket = createSocket('udp4');
  try {
    for (let listed = ''; !listed.includes(MAC); listed = await done('get unknown -o name')) {
      socket.send(packet, dhcpPort, '127.0.0.1');
      await setTimeout(50);
    }
  } finally {
    socket.close();
  }
}

test('is listed, has a page, and is accepted by the printed command', async (context) => {
  const dhcpPort = await freePort();
  const server = await runServer({ dhcpPort });
  context.after(() => server.remove());
  const { done, tink, failed } = createCommandRunner(() => server);
  const nobody = await tink('get unknown');
  assert.deepEqual([nobody.code, nobody.out], [0, '']);
  assert.match(nobody.err, /no unregistered machine has asked/);

  assert.ok(discover.ok);
  await untilListed(discover.bytes, dhcpPort, done);
  const { out, err } = await tink('get unknown');
  assert.match(
    out,
    /^MAC +VENDOR +ARCHITECTURE .*\n00:14:22:00:00:01 +Dell.* x86-64 UEFI +\S+ +\S+ +\d+ +PXE firmware +no Hardware has the MAC 00:14:22:00:00:01\n$/,
  );
  assert.match(err, /register one with: tink hardware accept 00:14:22:00:00:01 --address ADDRESS\/PREFIX/);
  const page = await done(`boot ${MAC}`);
  assert.match(
    page,
    /^00:14:22:00:00:01: it asks to boot and is not registered\n {2}-> tink hardware accept 00:14/,
  );
  assert.match(page, /asked +discover as PXE firmware \(PXEClient:Arch:00007:UNDI:003016\)/);
  assert.match(page, /not answered +no Hardware has the MAC/);

  const missing = await tink(`hardware accept ${MAC}`);
  assert.deepEqual([missing.code, /needs the address of 00:14:22/.test(missing.err)], [2, true]);
  assert.match(
    await done(`hardware accept ${MAC} --address 192.168.56.43/24 --name m1`),
    /^hardware\/m1 created\n/,
  );
  const made = JSON.parse(await done('get hardware m1 -o json')) as { spec: object };
  assert.deepEqual(made.spec, {
    interfaces: [
      {
        dhcp: {
          mac: MAC,
          hostname: 'm1',
          arch: 'x86_64',
          uefi: true,
          ip: { address: '192.168.56.43', netmask: '255.255.255.0' },
        },
        disableDhcp: false,
        netboot: { allowPXE: true, allowWorkflow: true },
      },
    ],
  });
  assert.equal(await done('get unknown -o name'), '');
  assert.match(await failed(`hardware accept ${MAC} --no-address`), /hardware\/m1 already has the MAC/);
});

test('a BMC that asks for its own address is not a machine to install', async (context) => {
  const dhcpPort = await freePort();
  const server = await runServer({ dhcpPort });
  context.after(() => server.remove());
  const { done, tink, failed } = createCommandRunner(() => server);
  const request = encodePacket({
    ...emptyPacket,
    transactionId: 10,
    hardwareAddress: hexToBytes(`${MAC.replaceAll(':', '')}00000000000000000000`) ?? new Uint8Array(16),
    options: { messageType: 3, vendorClassIdentifier: 'iDRAC', requestedAddress: ipv4('192.0.2.77') },
  });
  assert.ok(request.ok);
  await untilListed(request.bytes, dhcpPort, done);
  const { out, err } = await tink('get unknown');
  assert.match(out, /\n00:14:22:00:00:01 +Dell.* BMC +\S+ +\S+ +\d+ +BMC \(Dell iDRAC\)/);
  assert.equal(err, '\nregister BMCs with: tink bmc discover --manifests\n');
  const page = await done(`boot ${MAC}`);
  assert.match(page, /^00:14:22:00:00:01: it is a BMC \(Dell iDRAC\)/);
  assert.match(page, /address +192\.0\.2\.77/);
  assert.match(
    await failed(`hardware accept ${MAC} --no-address`),
    /00:14:22:00:00:01 is a BMC \(Dell iDRAC\), not a machine to install\n.*tink bmc discover --manifests/,
  );
});
