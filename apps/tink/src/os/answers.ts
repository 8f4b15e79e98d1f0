/** Replaces the values of an example with those of a machine, and with what the operator has answered. Pure. */
import { primaryMacOf, type Hardware } from '@tinkerbell/resources';
import { EXAMPLE_ANNOTATION } from '../apply/placeholders.ts';

/** The server of all examples. */
const EXAMPLE_SERVER = '192.168.56.4';
const EXAMPLE_PORT = '7080';
/** The virtual address of examples/harvester and examples/harvester-join. */
const EXAMPLE_VIP = '192.168.56.70';

export interface Answers {
  /** Host and port of the server as the machines reach it. */
  readonly server: { readonly host: string; readonly port: string };
  readonly disk?: string | undefined;
  /** Replaces the document of the example. */
  readonly userData?: string | undefined;
  /** A line of OpenSSH: type, key, comment. */
  readonly publicKey?: string | undefined;
  readonly passwordHash?: string | undefined;
  readonly clusterToken?: string | undefined;
  readonly vip?: string | undefined;
  /** Values of the Workflow. */
  readonly values: Readonly<Record<string, string>>;
}

/** A text of the example, and what takes its place. Without the latter it stays. */
type Replacement = readonly [from: string, to: string | undefined];

export interface Answered {
  /** The Hardware of the example. */
  readonly sample: Hardware;
  readonly machine: Hardware;
  readonly answers: Answers;
}

export function withAnswers(text: string, answered: Answered): string {
  const all = [...machineReplacements(answered), ...answerReplacements(answered.answers)];
  const replaced = all.reduce(
    (left, [from, to]) => (from === '' || to === undefined ? left : left.replaceAll(from, to)),
    text,
  );
  return withServer(replaced, answered.answers);
}

export function withServer(text: string, { server: { host, port } }: Answers): string {
  return text
    .replaceAll(`${EXAMPLE_SERVER}:${EXAMPLE_PORT}`, `${host}:${port}`)
    .replaceAll(new RegExp(`${RegExp.escape(EXAMPLE_SERVER)}(?!\\d)`, 'g'), host);
}

function machineReplacements({ sample, machine, answers }: Answered): readonly Replacement[] {
  const disk = firstDiskOf(sample) ?? '';
  const ownDisk = answers.disk ?? firstDiskOf(machine) ?? disk;
  return [
    [sample.metadata.annotations?.[EXAMPLE_ANNOTATION] ?? '', primaryMacOf(machine)],
    [sample.metadata.name, machine.metadata.name],
    [disk, ownDisk],
    // A kickstart names disks without their folder.
    [disk.replace('/dev/', '='), ownDisk.replace('/dev/', '=')],
  ];
}

function firstDiskOf({ spec }: Hardware): string | undefined {
  return spec?.disks?.[0]?.device;
}

function answerReplacements(answers: Answers): readonly Replacement[] {
  // VyOS has the type and the key in commands of their own.
  const [type, key] = answers.publicKey?.split(' ') ?? [];
  return [
    ['ssh-ed25519 REPLACE-WITH-YOUR-PUBLIC-KEY', answers.publicKey],
    ["type 'ssh-ed25519'", type && `type '${type}'`],
    ['REPLACE-WITH-YOUR-PUBLIC-KEY', key],
    ['REPLACE-WITH-A-PASSWORD-HASH', answers.passwordHash],
    ['REPLACE-WITH-A-CLUSTER-TOKEN', answers.clusterToken],
    [EXAMPLE_VIP, answers.vip],
  ];
}
