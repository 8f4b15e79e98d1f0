/** Boots one machine with a fault, and waits until the doctor has found a cause. */
import { cp, mkdir, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  createMachine,
  createObject,
  serialConsoleArguments,
  startServer,
  type ApiObject,
  type Machine,
  type PrivateNetwork,
  type RunningServer,
  type TimelineRecord,
} from '@tinkerbell/sandbox';
import type { BootFiles } from '../firmware/boot.ts';
import { createLab, HOST_INTERFACE, type Lab } from '../firmware/lab.ts';
import type { Fault } from './faults.ts';

const POLL_MS = 500;
/** Longer than a problem needs to become a finding. */
const HEALTHY_POLLS = 30;
/** Emulation on a busy machine is slow. This limit only ends tests that hang. */
const LIMIT_MS = 6 * 60_000;
const DISK_BYTES = 64 * 1024 * 1024;

export interface FoundDiagnosis {
  readonly state: string;
  readonly cause?: string;
  readonly text: string;
  readonly since?: string;
  readonly evidence: readonly { readonly text: string }[];
}

export interface FaultResult {
  readonly diagnosis: FoundDiagnosis;
  readonly hardware: ApiObject;
  readonly timeline: readonly TimelineRecord[];
  /** For the message of a failed test. */
  readonly report: string;
}

interface Place {
  readonly fault: Fault;
  /** Identifies the boots of one process: 1 to 250. */
  readonly index: number;
  readonly network: PrivateNetwork;
  readonly files: BootFiles;
  /** An empty folder. */
  readonly directory: string;
}

/** Resolves with the first finding, or with the end of the boot. */
export async function bootWithFault({
  fault,
  index,
  network,
  files,
  directory,
}: Place): Promise<FaultResult> {
  await using cleanup = new AsyncDisposableStack();
  const lab = await createLab(network, { index, isRelayed: false }, cleanup);
  const address = `${lab.machineNetwork}.50`;
  const imagesDirectory = join(directory, 'images');
  const server = await startServer({
    dataDirectory: join(directory, 'data'),
    imagesDirectory,
    ...files,
    hookDirectory: await systemFor(fault, { files, directory }),
    networkInterface: HOST_INTERFACE,
    address: lab.serverAddress,
    host: lab.server,
    flags: ['--api-anonymous=everyone', ...(fault.flags ?? [])],
  });
  cleanup.defer(() => server.stop());
  await writeImages(fault, imagesDirectory);
  if (fault.dropped !== undefined)
    await lab.server.run('iptables', '-A', 'INPUT', '-s', address, ...fault.dropped, '-j', 'DROP');
  const mac = `52:54:00:66:00:${index.toString(16).padStart(2, '0')}`;
  const hardware = hardwareFor(fault, { mac, address, lab });
  await createObject(server, hardware);
  if (fault.actions !== undefined)
    for (const object of workFor(fault, mac, lab)) await createObject(server, object);
  const machine = await createMachine({
    name: `doctor-${index}`,
    mac,
    firmware: fault.firmware,
    directory,
    diskBytes: DISK_BYTES,
    ...(fault.memoryMebibytes === undefined ? {} : { memoryMebibytes: fault.memoryMebibytes }),
    port: await network.addPort(lab.machineBridge),
  });
  cleanup.defer(() => machine.powerOff());
  await machine.powerOn();
  const diagnosis = await finding({ server, hardware, machine });
  return {
    diagnosis,
    hardware: await getJson<ApiObject>(server, pathOf(hardware)),
    timeline: await timelineOf(server, hardware),
    report: await reportOf({ server, hardware, machine }),
  };
}

/** Returns the folder of the in-memory OS, a copy if one of its files is cut. */
async function systemFor(
  { cutTo }: Fault,
  { files, directory }: { readonly files: BootFiles; readonly directory: string },
): Promise<string> {
  if (cutTo === undefined) return files.hookDirectory;
  const copy = join(directory, 'hook');
  await cp(files.hookDirectory, copy, { recursive: true });
  for (const [name, bytes] of Object.entries(cutTo)) await truncate(join(copy, name), bytes);
  return copy;
}

async function writeImages({ images = {} }: Fault, directory: string): Promise<void> {
  await mkdir(directory, { recursive: true });
  for (const [name, bytes] of Object.entries(images)) {
    await writeFile(join(directory, name), '');
    await truncate(join(directory, name), bytes);
  }
}

function hardwareFor(
  { netboot, firmware, hasWrongMac, kernelArguments = [] }: Fault,
  { mac, address, lab }: { readonly mac: string; readonly address: string; readonly lab: Lab },
): ApiObject {
  const dhcp = {
    mac: hasWrongMac === true ? mac.replace(':66:', ':67:') : mac,
    arch: 'x86_64',
    lease_time: 3600,
    ip: { address, netmask: '255.255.255.0', gateway: `${lab.machineNetwork}.1` },
  };
  return {
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Hardware',
    metadata: { name: 'machine', namespace: 'default' },
    spec: {
      interfaces: [
        {
          dhcp,
          netboot: {
            allowPXE: true,
            allowWorkflow: true,
            osie: { kernelParams: [...serialConsoleArguments(firmware), ...kernelArguments] },
            ...withAddress(netboot, lab.serverAddress),
          },
        },
      ],
    },
  };
}

function withAddress<Value>(value: Value, address: string): Value {
  return value === undefined ? value : JSON.parse(JSON.stringify(value).replaceAll('SERVER', address));
}

function workFor(
  { actions = '', isDisabled = false }: Fault,
  mac: string,
  { serverAddress }: Lab,
): readonly ApiObject[] {
  const data = `version: "0.1"
name: work
global_timeout: 600
tasks:
  - name: work
    worker: "{{.device_1}}"
    actions:${actions.replaceAll('SERVER', serverAddress)}
`;
  const own = { apiVersion: 'tinkerbell.org/v1alpha1', metadata: { name: 'work', namespace: 'default' } };
  return [
    { ...own, kind: 'Template', spec: { data } },
    {
      ...own,
      kind: 'Workflow',
      spec: {
        templateRef: 'work',
        hardwareRef: 'machine',
        hardwareMap: { device_1: mac },
        disabled: isDisabled,
      },
    },
  ];
}

interface Running {
  readonly server: RunningServer;
  readonly hardware: ApiObject;
  readonly machine: Machine;
}

async function finding(running: Running): Promise<FoundDiagnosis> {
  const { server, hardware, machine } = running;
  const end = AbortSignal.timeout(LIMIT_MS);
  const failed = machine.failed.then((reason) => Promise.reject(new Error(reason)));
  const poll = async (): Promise<FoundDiagnosis> => {
    let healthy = 0;
    for (;;) {
      const diagnosis = await diagnosisOf(server, hardware);
      const isOver = (await timelineOf(server, hardware)).some(
        ({ details }) => details?.['to'] === 'SUCCESS',
      );
      if (isOver && diagnosis?.state === 'healthy') healthy += 1;
      if (diagnosis?.state === 'stopped' || (diagnosis !== undefined && healthy >= HEALTHY_POLLS))
        return diagnosis;
      if (end.aborted) throw new Error(`nothing was found: ${await reportOf(running)}`);
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  };
  return Promise.race([poll(), failed]);
}

async function diagnosisOf(server: RunningServer, hardware: ApiObject): Promise<FoundDiagnosis | undefined> {
  const response = await server.request(`${server.url}${pathOf(hardware)}/diagnosis`);
  return response.ok ? ((await response.json()) as FoundDiagnosis) : undefined;
}

function pathOf({ metadata }: ApiObject): string {
  return `/apis/tinkerbell.org/v1alpha1/namespaces/default/hardware/${metadata.name}`;
}

async function getJson<Value>(server: RunningServer, path: string): Promise<Value> {
  return (await (await server.request(`${server.url}${path}`)).json()) as Value;
}

async function timelineOf(server: RunningServer, hardware: ApiObject): Promise<readonly TimelineRecord[]> {
  const text = await (await server.request(`${server.url}${pathOf(hardware)}/timeline`)).text();
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as TimelineRecord]));
}

async function reportOf({ server, hardware, machine }: Running): Promise<string> {
  const diagnosis = await diagnosisOf(server, hardware);
  const lines = (await timelineOf(server, hardware)).map(
    ({ atMs, source, event, message }) => `${new Date(atMs).toISOString()} ${source} ${event}: ${message}`,
  );
  return [
    JSON.stringify(diagnosis),
    ...lines,
    '--- server',
    ...server.tail(),
    '--- console',
    ...machine.serial.tail(30),
  ].join('\n');
}
