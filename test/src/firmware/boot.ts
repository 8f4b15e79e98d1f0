/** Boots one machine, from power-on until its agent has been assigned an action. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  createMachine,
  createObject,
  isArm,
  serialConsoleArguments,
  startServer,
  type ApiObject,
  type Firmware,
  type PrivateNetwork,
  type RunningServer,
  type TimelineRecord,
} from '@tinkerbell/sandbox';

import { gatherBootLoaders } from './boot-loaders.ts';
import type { BootCase } from './cases.ts';
import { startForeignServer } from './foreign-server.ts';
import { createLab, HOST_INTERFACE, RELAY_INTERFACES, type Lab } from './lab.ts';
import { agentReached, template, workflowFor } from './reach-agent.ts';

const run = promisify(execFile);
const main = join(import.meta.dirname, '../../../apps/server/src/main.mjs');

export interface BootFiles {
  readonly hookDirectory: string;
  readonly ipxeDirectory: string;
}

export interface BootResult {
  readonly seconds: number;
  readonly timeline: readonly TimelineRecord[];
}

interface BootInput {
  readonly bootCase: BootCase;
  /** Identifies the boots of one process: 1 to 250. */
  readonly index: number;
  readonly network: PrivateNetwork;
  readonly files: BootFiles;
  /** An empty folder for disks, databases and certificates. */
  readonly directory: string;
  readonly onStandstill: (report: string) => void;
}

/** @throws Error with the timeline and the end of the console when the agent does not connect. */
export async function bootToAgent(input: BootInput): Promise<BootResult> {
  const { bootCase, index, network, directory } = input;
  const { loader, path, mode } = bootCase;
  await using cleanup = new AsyncDisposableStack();
  const lab = await createLab(network, { index, isRelayed: path === 'relayed' }, cleanup);
  const servers = [lab.serverAddress];
  if (mode === 'proxy')
    servers.push(
      await startForeignServer(bootCase.foreign, lab, {
        directory,
        cleanup,
        ...(loader.needsNextServer === true ? { nextServer: lab.serverAddress } : {}),
      }),
    );
  if (lab.relay !== undefined) await startRelay(lab, servers, { directory, cleanup });
  const assetDirectory = join(directory, 'assets');
  await gatherBootLoaders(assetDirectory, { mode, serverAddress: lab.serverAddress });
  const tls = loader.isTls === true ? await makeCertificates(directory, lab.serverAddress) : undefined;
  const server = await startServer({
    dataDirectory: join(directory, 'data'),
    imagesDirectory: join(directory, 'images'),
    hookDirectory: input.files.hookDirectory,
    ipxeDirectory: input.files.ipxeDirectory,
    networkInterface: HOST_INTERFACE,
    address: lab.serverAddress,
    host: lab.server,
    flags: [
      '--api-anonymous=everyone',
      `--dhcp-mode=${mode}`,
      `--tftp-asset-dir=${assetDirectory}`,
      ...(loader.flags ?? []),
      ...(tls?.flags ?? []),
    ],
  });
  cleanup.defer(() => server.stop());
  const hardware = hardwareFor(bootCase, lab, index);
  for (const object of [hardware, template, workflowFor(hardware)]) await createObject(server, object);
  const mac = macOf(loader.firmware, index);
  const machine = await createMachine({
    name: `machine-${index}`,
    mac,
    firmware: loader.firmware,
    directory,
    port: await network.addPort(lab.machineBridge),
    ...(tls === undefined ? {} : { certificateAuthority: tls.authority }),
    ...(loader.isIso === true ? { cdromPath: await fetchImage(server, mac, directory) } : {}),
  });
  cleanup.defer(() => machine.powerOff());
  const startedMs = performance.now();
  await machine.powerOn();
  const timeline = await agentReached({ server, hardware, machine, onStandstill: input.onStandstill });
  return { seconds: (performance.now() - startedMs) / 1000, timeline };
}

/** Works like a BMC that downloads before it boots. */
async function fetchImage(server: RunningServer, mac: string, directory: string): Promise<string> {
  const path = join(directory, 'virtual-media.iso');
  const url = `${server.url}/iso/${mac.replaceAll(':', '-')}/hook.iso`;
  await run('curl', ['--silent', '--show-error', '--fail-with-body', '--output', path, url]);
  return path;
}

async function startRelay(
  lab: Lab,
  servers: readonly string[],
  { directory, cleanup }: { readonly directory: string; readonly cleanup: AsyncDisposableStack },
): Promise<void> {
  const { towardsMachines } = RELAY_INTERFACES;
  const services = ['smee', 'tink-server', 'tink-controller', 'images', 'tootles'];
  const child = await lab.relay?.start(process.execPath, [
    main,
    `--data-dir=${join(directory, 'relay')}`,
    ...services.map((name) => `--enable-${name}=false`),
    '--enable-relay',
    `--relay-interface=${towardsMachines}`,
    `--relay-server=${servers.join(',')}`,
    `--public-ipv4=${lab.machineNetwork}.1`,
    '--log-format=text',
  ]);
  if (child === undefined) return;
  cleanup.defer(() => child.stop());
  let said = '';
  const ready = new Promise<void>((resolve) => {
    for (const stream of [child.process.stdout, child.process.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        said = (said + chunk.toString()).slice(-4000);
        if (/\bready\b/.test(said)) resolve();
      });
    }
  });
  const ended = child.ended.then((code) => Promise.reject(new Error(`the relay ended (${code}): ${said}`)));
  ended.catch(() => undefined);
  await Promise.race([ready, ended]);
}

/** U-Boot for QEMU has one address in its default environment and uses no other. */
function macOf(firmware: Firmware, index: number): string {
  if (firmware === 'u-boot') return '52:52:52:52:52:52';
  return `52:54:00:77:00:${index.toString(16).padStart(2, '0')}`;
}

function hardwareFor({ loader, mode }: BootCase, { machineNetwork }: Lab, index: number): ApiObject {
  const ip = { address: `${machineNetwork}.50`, netmask: '255.255.255.0', gateway: `${machineNetwork}.1` };
  const isArmMachine = isArm(loader.firmware);
  const dhcp = {
    mac: macOf(loader.firmware, index),
    arch: isArmMachine ? 'aarch64' : 'x86_64',
    lease_time: 3600,
    ...(mode === 'reservation' ? { ip } : {}),
  };
  const netboot = {
    allowPXE: true,
    allowWorkflow: true,
    osie: { kernelParams: serialConsoleArguments(loader.firmware) },
    ...(loader.binary === undefined ? {} : { ipxe: { binary: loader.binary } }),
  };
  return {
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Hardware',
    metadata: { name: 'machine', namespace: 'default' },
    spec: { interfaces: [{ dhcp, netboot }] },
  };
}

/** Creates an authority, and a certificate for the server's address. */
async function makeCertificates(
  directory: string,
  address: string,
): Promise<{ readonly flags: readonly string[]; readonly authority: Uint8Array }> {
  const file = (name: string): string => join(directory, name);
  const key = ['-newkey', 'rsa:2048', '-nodes', '-days', '2'];
  const openssl = (...args: readonly string[]) => run('openssl', args);
  await openssl(
    'req',
    '-x509',
    ...key,
    '-subj',
    '/CN=lab authority',
    '-keyout',
    file('ca.key'),
    '-out',
    file('ca.pem'),
  );
  const name = ['-subj', `/CN=${address}`, '-addext', `subjectAltName=IP:${address}`];
  const issuer = [
    '-CA',
    file('ca.pem'),
    '-CAkey',
    file('ca.key'),
    '-addext',
    'basicConstraints=critical,CA:FALSE',
  ];
  const output = ['-keyout', file('server.key'), '-out', file('server.pem')];
  await openssl('req', '-x509', ...key, ...name, ...issuer, ...output);
  await openssl('x509', '-in', file('ca.pem'), '-outform', 'DER', '-out', file('ca.der'));
  return {
    flags: [
      `--tls-cert-file=${file('server.pem')}`,
      `--tls-key-file=${file('server.key')}`,
      '--dhcp-ipxe-http-binary-scheme=https',
      '--dhcp-ipxe-http-binary-port=7443',
      // The in-memory OS does not know this authority.
      '--ipxe-script-tink-server-insecure-tls=true',
    ],
    authority: await readFile(file('ca.der')),
  };
}
