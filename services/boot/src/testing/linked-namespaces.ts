/** A server and a client in separate network namespaces, joined by a veth pair: `s0` at one end, `c0` at the other. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

export const SERVER_ADDRESS = '192.168.77.1';

export interface LinkedNamespaces {
  readonly server: string;
  readonly client: string;
  /** Runs a program in the client's namespace and returns its output. The program has 30 seconds. */
  inClient(program: string, ...words: string[]): string;
  remove(): void;
}

export const ip = (...words: string[]) => execFileSync('ip', words, { stdio: 'pipe' });

/** Returns why namespaces, or the programs a test needs, are unavailable here. Returns false when nothing is missing. */
export function whyNoNamespaces(programs: readonly string[]): string | false {
  if (process.platform !== 'linux') return 'network namespaces are Linux only';
  if (process.getuid?.() !== 0) return 'network namespaces need root';
  const missing = programs.find((program) => !existsSync(program));
  if (missing !== undefined) return `${missing} is not installed`;
  const name = `probe-${process.pid}`;
  try {
    ip('netns', 'add', name);
    ip('netns', 'delete', name);
    return false;
  } catch {
    return 'network namespaces cannot be created here';
  }
}

/** `label` distinguishes the tests of one process. The client's end has no address, and the MAC `clientMac`. */
export function linkNamespaces(label: string, clientMac: string): LinkedNamespaces {
  const server = `${label}-s-${process.pid}`;
  const client = `${label}-c-${process.pid}`;
  for (const namespace of [server, client]) ip('netns', 'add', namespace);
  ip('link', 'add', 's0', 'netns', server, 'type', 'veth', 'peer', 'name', 'c0', 'netns', client);
  ip('-n', server, 'address', 'add', `${SERVER_ADDRESS}/24`, 'dev', 's0');
  ip('-n', client, 'link', 'set', 'c0', 'address', clientMac);
  for (const [namespace, name] of [
    [server, 'lo'],
    [server, 's0'],
    [client, 'lo'],
    [client, 'c0'],
  ] as const) {
    ip('-n', namespace, 'link', 'set', name, 'up');
  }
  return {
    server,
    client,
    inClient: (program, ...words) =>
      execFileSync('ip', ['netns', 'exec', client, program, ...words], { encoding: 'utf8', timeout: 30_000 }),
    remove() {
      for (const namespace of [server, client]) ip('netns', 'delete', namespace);
    },
  };
}
