/** Finds the program that holds a port, from /proc. Operators need this first when a port is in use. */
import { readdir, readFile, readlink } from 'node:fs/promises';

/** Returns ` by NAME (process PID)`, or an empty text when it is unknown. */
export async function holderOf(protocol: 'tcp' | 'udp', port: number): Promise<string> {
  try {
    const inodes = await inodesOf(protocol, port);
    return inodes.size === 0 ? '' : await processWith(inodes);
  } catch {
    return '';
  }
}

async function inodesOf(protocol: string, port: number): Promise<Set<string>> {
  const wanted = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const inodes = new Set<string>();
  for (const table of [protocol, `${protocol}6`]) {
    const lines = (await readFile(`/proc/net/${table}`, 'utf8').catch(() => '')).split('\n').slice(1);
    for (const line of lines) {
      const fields = line.trim().split(/\s+/);
      const isOpen = protocol === 'udp' || fields[3] === '0A';
      if (fields[1]?.endsWith(wanted) && isOpen && fields[9] !== undefined)
        inodes.add(`socket:[${fields[9]}]`);
    }
  }
  return inodes;
}

async function processWith(inodes: ReadonlySet<string>): Promise<string> {
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const descriptors = await readdir(`/proc/${pid}/fd`).catch(() => []);
    for (const descriptor of descriptors) {
      const target = await readlink(`/proc/${pid}/fd/${descriptor}`).catch(() => '');
      if (!inodes.has(target)) continue;
      const name = (await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => 'a program')).trim();
      return ` by ${name} (process ${pid})`;
    }
  }
  return '';
}
