/** Boots one machine with a fault, and waits until the doctor has found a cause. */
import { join } from 'node:path';
import {
  createMachine,
  createObject,
  startServer,
  type ApiObject,
  type Machine,
  type RunningServer,
  type TimelineRecord,
} from '@tinkerbell/sandbox';
import type { MachineBmc } from '@tinkerbell/sandbox/bmc';
import { timelineOf } from '../bare-machine.ts';
import { certificateFor, type ServerCertificate } from '../firmware/certificates.ts';
import { createLab, HOST_INTERFACE, type Lab } from '../firmware/lab.ts';
import { startRelay } from '../firmware/relay.ts';
import { neighbours, writeEarlierBoots, writeTwin } from './earlier-boots.ts';
import { bmcFor, installDisk } from './fault-bmc.ts';
import { systemFor, writeImages } from './fault-files.ts';
import { hardwareFor, workFor, type MachineIdentity } from './fault-objects.ts';
import type { Fault, FaultPlace, RunningFault } from './fault.ts';
import { diagnosisOf, hardwareNow, type FoundDiagnosis } from './observed-machine.ts';
import { startOnSmallDisk } from './small-disk.ts';

const POLL_MS = 500;
/** Longer than a problem needs to become a finding. */
const HEALTHY_POLLS = 30;
/** Emulation on a busy machine is slow. This limit only ends tests that hang. */
const LIMIT_MS = 6 * 60_000;
/** No host has this number in the server's network. */
const NOBODY = 9;
const DISK_BYTES = 64 * 1024 * 1024;

export interface FaultResult {
  readonly diagnosis: FoundDiagnosis | undefined;
  readonly hardware: ApiObject;
  readonly timeline: readonly TimelineRecord[];
  /** For the message of a failed test. */
  readonly report: string;
}

/** Resolves with the first finding, with the end of the boot, or after a while without either. */
export async function bootWithFault(place: FaultPlace): Promise<FaultResult> {
  await using cleanup = new AsyncDisposableStack();
  const running = await startBoot(place, cleanup);
  await place.fault.meddle?.(running);
  const diagnosis = await finding(running, place.fault.evidence);
  const { server, hardware } = running;
  return {
    diagnosis,
    hardware: await hardwareNow(server, hardware),
    timeline: await timelineOf(server, { hardware }),
    report: await reportOf(running),
  };
}

async function startBoot(place: FaultPlace, cleanup: AsyncDisposableStack): Promise<RunningFault> {
  const { fault, index, network, directory } = place;
  const lab = await createLab(network, { index, isRelayed: fault.relay !== undefined }, cleanup);
  await relayFor(fault, lab, { directory, cleanup });
  const site = await startFaultServer(place, lab, cleanup);
  const address = `${fault.hasServerNetwork === true ? lab.serverNetwork : lab.machineNetwork}.50`;
  await dropPackets(fault, lab, address);
  const port = await network.addPort(lab.machineBridge);
  const machine = await machineFor(place, port);
  cleanup.defer(() => machine.powerOff());
  const bmc = await bmcFor(fault, { machine, address: lab.ownAddress }, cleanup);
  const identity = { mac: machine.mac, address, lab };
  const hardware = await register(site, fault, { identity, bmc });
  const server = site.server();
  const [workflow, ...others] = workFor(fault, identity, bmc);
  // The Workflow makes a BMC power its machine on.
  const before = bmc === undefined && workflow !== undefined ? [...others, workflow] : others;
  for (const object of before) await createObject(server, object);
  await fault.disturb?.({ lab, server, port, address, directory, cleanup });
  if (bmc === undefined) await machine.powerOn();
  else if (workflow !== undefined) await createObject(server, workflow);
  return { server, hardware, machine, bmc };
}

async function register(
  site: FaultServer,
  fault: Fault,
  { identity, bmc }: { readonly identity: MachineIdentity; readonly bmc: MachineBmc | undefined },
): Promise<ApiObject> {
  const plain = hardwareFor(fault, identity, trustedArguments(fault));
  const hardware = bmc?.ofHardware(plain) ?? plain;
  for (const object of [...(bmc?.objects ?? []), hardware]) await createObject(site.server(), object);
  if (fault.hasTwin === true) await site.restart((directory) => writeTwin(directory, hardware));
  return hardware;
}

async function dropPackets({ dropped }: Fault, { server }: Lab, address: string): Promise<void> {
  if (dropped === undefined) return;
  await server.run('iptables', '-A', 'INPUT', '-s', address, ...dropped, '-j', 'DROP');
}

async function relayFor(
  { relay }: Fault,
  lab: Lab,
  place: { readonly directory: string; readonly cleanup: AsyncDisposableStack },
): Promise<void> {
  if (relay === undefined || relay === 'none') return;
  const address = relay === 'lost' ? `${lab.serverNetwork}.${NOBODY}` : lab.serverAddress;
  await startRelay(lab, [address], { ...place, ...(relay === 'asked' ? { hasApi: true } : {}) });
}

async function machineFor({ fault, index, directory }: FaultPlace, port: string): Promise<Machine> {
  const machine = await createMachine({
    name: `doctor-${index}`,
    mac: `52:54:00:66:00:${index.toString(16).padStart(2, '0')}`,
    firmware: fault.firmware,
    directory,
    diskBytes: DISK_BYTES,
    // Only its BMC makes it boot from the network.
    ...(fault.bmc === undefined ? {} : { bootOrder: 'disk' }),
    ...fault.machine,
    port,
  });
  if (fault.bmc?.hasInstalledDisk === true) await installDisk(machine);
  return machine;
}

/** Node reads further authorities from this variable, and the kernel gives it to init. */
const TRUSTED_AUTHORITY = '/etc/lab-authority.pem';

function trustedArguments({ tls }: Fault): readonly string[] {
  return tls === 'trusted' ? [`NODE_EXTRA_CA_CERTS=${TRUSTED_AUTHORITY}`] : [];
}

const TLS_FLAG = '--ipxe-script-tink-server-use-tls=true';

interface FaultServer {
  server(): RunningServer;
  /** Changes the data folder while no server runs. */
  restart(change: (dataDirectory: string) => Promise<void>): Promise<void>;
}

async function startFaultServer(
  { fault, files, directory }: FaultPlace,
  lab: Lab,
  cleanup: AsyncDisposableStack,
): Promise<FaultServer> {
  const imagesDirectory = join(directory, 'images');
  await writeImages(fault, imagesDirectory);
  const tls = fault.tls === undefined ? undefined : await certificateFor(lab.serverAddress, directory);
  const dataDirectory = join(directory, 'data');
  const options = {
    dataDirectory,
    imagesDirectory,
    ...files,
    hookDirectory: await hookFor({ fault, files, directory }, tls),
    networkInterface: HOST_INTERFACE,
    address: lab.serverAddress,
    host: lab.server,
    flags: [
      '--api-anonymous=everyone',
      ...(tls === undefined ? [] : [...tls.flags, TLS_FLAG]),
      ...(fault.flags ?? []),
    ],
  };
  const { diskMebibytes: mebibytes } = fault;
  let server =
    mebibytes === undefined
      ? await startServer(options)
      : await startOnSmallDisk(options, { mebibytes, lab }, cleanup);
  cleanup.defer(() => server.stop());
  const restart: FaultServer['restart'] = async (change) => {
    await server.stop();
    await change(dataDirectory);
    server = await startServer(options);
  };
  if (fault.bmc !== undefined) {
    const { usualStartSeconds = 20 } = fault.bmc;
    await restart((data) => writeEarlierBoots(data, usualStartSeconds));
    for (const neighbour of neighbours) await createObject(server, neighbour);
  }
  return { server: () => server, restart };
}

function hookFor(
  place: Pick<FaultPlace, 'fault' | 'files' | 'directory'>,
  tls: ServerCertificate | undefined,
): Promise<string> {
  const isTrusted = place.fault.tls === 'trusted' && tls !== undefined;
  return systemFor(place, isTrusted ? { from: tls.authorityPath, to: TRUSTED_AUTHORITY } : undefined);
}

/** Returns undefined after the limit. Rejects if the machine ends by itself. */
async function finding(
  { server, hardware, machine }: RunningFault,
  evidence?: RegExp,
): Promise<FoundDiagnosis | undefined> {
  const end = AbortSignal.timeout(LIMIT_MS);
  const failed = machine.failed.then((reason) => Promise.reject(new Error(reason)));
  const poll = async (): Promise<FoundDiagnosis | undefined> => {
    let healthy = 0;
    for (;;) {
      const diagnosis = await diagnosisOf(server, hardware);
      const isOver = (await timelineOf(server, { hardware })).some(
        ({ details }) => details?.['to'] === 'SUCCESS',
      );
      if (isOver && diagnosis?.state === 'healthy') healthy += 1;
      const isFound = diagnosis?.state === 'stopped' && hasEvidence(diagnosis, evidence);
      if (isFound || healthy >= HEALTHY_POLLS) return diagnosis;
      if (end.aborted) return undefined;
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  };
  return Promise.race([poll(), failed]);
}

function hasEvidence(diagnosis: FoundDiagnosis, wanted: RegExp | undefined): boolean {
  return wanted === undefined || diagnosis.evidence.some(({ text }) => wanted.test(text));
}

async function reportOf({ server, hardware, machine, bmc }: RunningFault): Promise<string> {
  const diagnosis = await diagnosisOf(server, hardware);
  const lines = (await timelineOf(server, { hardware })).map(
    ({ atMs, source, event, message }) => `${new Date(atMs).toISOString()} ${source} ${event}: ${message}`,
  );
  return [
    JSON.stringify(diagnosis),
    ...lines,
    '--- server',
    ...server.tail(),
    ...(bmc === undefined ? [] : ['--- BMC', ...bmc.operations]),
    '--- console',
    ...machine.serial.tail(30),
  ].join('\n');
}
