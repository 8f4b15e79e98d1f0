/** `config.json`: OCI runtime specification 1.0, with what upstream asks of Docker. */
import type { ImageConfig } from '@tinkerbell/oci';
import { PlatformError } from '@tinkerbell/platform-contract';
import type { ContainerOrder } from './container-order.ts';
import type { ContainerUser } from './container-user.ts';

export interface Mount {
  readonly destination: string;
  readonly type: string;
  readonly source: string;
  readonly options: readonly string[];
}

export interface ContainerPlan {
  readonly id: string;
  readonly order: ContainerOrder;
  readonly config: ImageConfig;
  readonly user: ContainerUser;
  /** Volumes and files of the machine. They replace default mounts at the same place. */
  readonly mounts: readonly Mount[];
  /** Those that this process may pass on, as a set of bits. */
  readonly capabilities: bigint;
}

/** In the order of the kernel's numbers: capabilities(7). */
export const CAPABILITIES: readonly string[] = (
  'CHOWN DAC_OVERRIDE DAC_READ_SEARCH FOWNER FSETID KILL SETGID SETUID SETPCAP LINUX_IMMUTABLE NET_BIND_SERVICE ' +
  'NET_BROADCAST NET_ADMIN NET_RAW IPC_LOCK IPC_OWNER SYS_MODULE SYS_RAWIO SYS_CHROOT SYS_PTRACE SYS_PACCT SYS_ADMIN ' +
  'SYS_BOOT SYS_NICE SYS_RESOURCE SYS_TIME SYS_TTY_CONFIG MKNOD LEASE AUDIT_WRITE AUDIT_CONTROL SETFCAP MAC_OVERRIDE ' +
  'MAC_ADMIN SYSLOG WAKE_ALARM BLOCK_SUSPEND AUDIT_READ PERFMON BPF CHECKPOINT_RESTORE'
).split(' ');

const PATH_DEFAULT = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const DEFAULT_MOUNTS: readonly Mount[] = [
  { destination: '/proc', type: 'proc', source: 'proc', options: ['nosuid', 'noexec', 'nodev'] },
  { destination: '/dev', type: 'bind', source: '/dev', options: ['rbind', 'rprivate', 'rw'] },
  { destination: '/sys', type: 'sysfs', source: 'sysfs', options: ['nosuid', 'noexec', 'nodev', 'rw'] },
];

/** The parent of the cgroups of all containers. */
export const CGROUP_PARENT = 'tinkerbell';

/** Throws a PlatformError that names the field of the action. */
export function runtimeConfig(plan: ContainerPlan): object {
  const { id, order, config, user, mounts } = plan;
  const capabilities = CAPABILITIES.filter((_, bit) => (plan.capabilities >> BigInt(bit)) & 1n).map(
    (name) => `CAP_${name}`,
  );
  const replaced = new Set(mounts.map(({ destination }) => destination));
  return {
    ociVersion: '1.0.0',
    hostname: id,
    process: {
      terminal: false,
      user: { uid: user.uid, gid: user.gid, additionalGids: user.additionalGids },
      args: argumentsOf(order, config),
      env: environmentOf(plan),
      cwd: config.workingDirectory,
      capabilities: {
        bounding: capabilities,
        effective: capabilities,
        permitted: capabilities,
      },
      noNewPrivileges: false,
    },
    root: { path: 'rootfs', readonly: false },
    mounts: [...DEFAULT_MOUNTS.filter(({ destination }) => !replaced.has(destination)), ...mounts],
    linux: {
      cgroupsPath: `/${CGROUP_PARENT}/${id}`,
      namespaces: namespacesOf(order),
      resources: { devices: [{ allow: true, access: 'rwm' }] },
    },
  };
}

function argumentsOf({ command, image }: ContainerOrder, config: ImageConfig): readonly string[] {
  const all = [...config.entrypoint, ...(command.length > 0 ? command : config.command)];
  if (all.length > 0) return all;
  throw new PlatformError('unavailable', `the image ${image} has no command; set "command" of the action`);
}

function environmentOf({ id, order, config, user }: ContainerPlan): readonly string[] {
  const values = new Map(
    [PATH_DEFAULT, `HOSTNAME=${id}`, `HOME=${user.home}`, ...config.environment].map(splitPair),
  );
  for (const [name, value] of Object.entries(order.environment)) values.set(name, value);
  return [...values].map(([name, value]) => `${name}=${value}`);
}

function splitPair(pair: string): [string, string] {
  const equals = pair.indexOf('=');
  return equals < 0 ? [pair, ''] : [pair.slice(0, equals), pair.slice(equals + 1)];
}

function namespacesOf({
  pidNamespace,
  networkNamespace,
}: ContainerOrder): readonly { readonly type: string }[] {
  if (!['', 'host', 'private'].includes(pidNamespace))
    throw new PlatformError(
      'unavailable',
      `namespaces.pid is ${JSON.stringify(pidNamespace)}; crun supports "host" and ""`,
    );
  if (!['', 'host', 'bridge', 'default', 'none'].includes(networkNamespace))
    throw new PlatformError(
      'unavailable',
      `namespaces.network is ${JSON.stringify(networkNamespace)}; crun supports "host", "none" and ""`,
    );
  const own = ['mount', 'uts', 'ipc'];
  if (pidNamespace !== 'host') own.push('pid');
  // The in-memory OS has no bridge, and an action without a network is rarely useful.
  if (networkNamespace === 'none') own.push('network');
  return own.map((type) => ({ type }));
}
