/**
 * Runs only DHCPv6 on the network interface `s0`, for interoperability tests that need it in its own network namespace. The one
 * Hardware has the address in the program argument, if any. Prints `ready`, then the journal, one JSON record per line.
 */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeClock, nodeFiles, nodeUdp, nodeUdp6 } from '@tinkerbell/platform-node';
import { createBootService } from '../index.ts';
import { fixedView, machine, rackConfig, recordingJournal, silentLog } from './rack.ts';

const [, , address] = process.argv;
const journal = recordingJournal();
journal.append = (entry) => void process.stdout.write(`${JSON.stringify(entry)}\n`);
// It names only files that it has.
const ipxeDirectory = mkdtempSync(join(tmpdir(), 'tinkerbell-v6-'));
writeFileSync(join(ipxeDirectory, 'ipxe.efi'), 'binary');
const { tftp: _, ...base } = rackConfig({ ipxeDirectory });
const known = machine(address === undefined ? {} : { ip: { address, netmask: '', gateway: '', family: 6 } });
for (const { dhcp } of known.spec?.interfaces ?? []) dhcp?.name_servers?.push('2001:db8::53');
const service = createBootService(
  {
    udp: nodeUdp,
    udp6: nodeUdp6,
    files: nodeFiles,
    clock: nodeClock,
    log: silentLog,
    view: fixedView([known]),
    journal,
  },
  {
    ...base,
    dhcpv6: {
      networkInterfaces: ['s0'],
      httpBinaryV6Url: 'http://[2001:db8::1]:7080/ipxe/binary/',
      scriptV6Url: 'http://[2001:db8::1]:7080/ipxe/script/auto.ipxe',
    },
  },
);
await service.start(new AbortController().signal);
process.stdout.write('ready\n');
