/** Boots one machine, from power-on until its agent has been assigned an action. */
import { execFile } from 'node:child_process';
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
  type Machine,
  type PrivateNetwork,
  type RunningServer,
  type TimelineRecord,
} from '@tinkerbell/sandbox';

import { gatherBootLoaders } from './boot-loaders.ts';
import type { BootCase } from './cases.ts';
import { startForeignServer } from './foreign-server.ts';
import { createLab, HOST_INTERFACE, type Lab } from './lab.ts';
import { certificateFor } from './certificates.ts';
import { startRelay } from './relay.ts';
import { agentReached, template, workflowFor } from './reach-agent.ts';

const run = promisify(execFile);

const DISK_BYTES = 64 * 1024 * 1024;
const TLS_BOOT = [
  '--dhcp-ipxe-http-binary-scheme=https',
  '--dhcp-ipxe-http-binary-port=7443',
  // The in-memory OS does not know this authority.
  '--ipxe-script-tink-server-insecure-tls=true',
];

export interface BootFiles {
  readonly hookDirectory: string;
  readonly ipxeDirectory: string;
}

export interface BootResult {
  readonly seconds: number;
  readonly timeline: readonly TimelineRecord[];
}

export interface ReachedBoot {
  readonly server: RunningServer;
  readonly hardware: ApiObject;
  readonly machine: Machine;
}

export interface BootInput {
  readonly bootCase: BootCase;
  /** Identifies the boots of one process: 1 to 250. */
  readonly index: number;
  readonly network: PrivateNetwork;
  readonly files: BootFiles;
  /** An empty folder for disks, databases and certificates. */
  readonly directory: string;
  readonly onStandstill: (report: string) => void;
  /** What the agent does (default: an action without effect, which fails). */
  readonly work?: ApiObject;
  /** Called with the machine that has reached its agent. */
  readonly onReached?: (boot: ReachedBoot) => Promise<void>;
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
  const tls = loader.isTls === true ? await certificateFor(lab.serverAddress, directory) : undefined;
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
      ...(tls === undefined ? [] : [...tls.flags, ...TLS_BOOT]),
    ],
  });
  cleanup.defer(() => server.stop());
  const hardware = hardwareFor(bootCase, lab, index);
  for (const object of [hardware, input.work ?? template, workflowFor(hardware)])
    await createObject(server, object);
  const mac = macOf(loader.firmware, index);
  const machine = await createMachine({
    name: `machine-${index}`,
    mac,
    firmware: loader.firmware,
    directory,
    port: await network.addPort(lab.machineBridge),
    diskBytes: DISK_BYTES,
    ...(tls === undefined ? {} : { certificateAuthority: await tls.authority() }),
    ...(loader.isIso === true ? { cdromPath: await fetchImage(server, mac, directory) } : {}),
  });
  cleanup.defer(() => machine.powerOff());
  const startedMs = performance.now();
  await machine.powerOn();
  const reached = { server, hardware, machine };
  const timeline = await agentReached({ ...reached, onStandstill: input.onStandstill });
  await input.onReached?.(reached);
  return { seconds: (performance.now() - startedMs) / 1000, timeline };
}

/** Works like a BMC that downloads before it boots. */
async function fetchImage(server: RunningServer, mac: string, directory: string): Promise<string> {
  const path = join(directory, 'virtual-media.iso');
  const url = `${server.url}/iso/${mac.replaceAll(':', '-')}/hook.iso`;
  await run('curl', ['--silent', '--show-error', '--fail-with-body', '--output', path, url]);
  return path;
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
