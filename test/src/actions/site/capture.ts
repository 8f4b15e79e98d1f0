/** Records every packet on a bridge that is for somebody outside the site. */
import { createInterface } from 'node:readline';
import { runCommand } from '@tinkerbell/hook';
import { startChild } from '@tinkerbell/sandbox';

/** The site's own network, and what no router forwards: broadcasts, and multicast of the link. */
const INSIDE = [
  'dst net 192.168.56.0/24',
  // Behind the router of provisioning-network.ts.
  'dst net 10.10.20.0/24',
  'dst host 255.255.255.255',
  'dst net 224.0.0.0/24',
  'dst net fe80::/10',
  'dst net ff02::/16',
];
const OUTSIDE = `(ip or ip6) and not (${INSIDE.join(' or ')})`;

export interface Capture {
  /** Returns a line for each packet so far. */
  outside(): Promise<readonly string[]>;
  /** Whether it still records, for an error. */
  state(): string;
  stop(): Promise<void>;
}

/** Resolves when it records. */
export async function startCapture(bridge: string, file: string): Promise<Capture> {
  const words = ['-i', bridge, '-nn', '-U', '-Z', 'root', '-w', file, OUTSIDE];
  const child = await startChild('tcpdump', ['--immediate-mode', ...words]);
  const { stderr } = child.process;
  if (stderr === null) throw new Error('tcpdump has no output');
  const said: string[] = [];
  let state = 'records';
  void child.ended.then((code) => (state = `ended (${code}): ${said.join(' ')}`));
  await new Promise<void>((resolve, reject) => {
    createInterface({ input: stderr }).on('line', (line) => {
      said.push(line);
      if (line.includes('listening on')) resolve();
    });
    void child.ended.then(() => reject(new Error(`tcpdump ${state}`)));
  });
  return {
    async outside() {
      const text = await runCommand('tcpdump', ['-nn', '-r', file]);
      return text.split('\n').filter((line) => line !== '');
    },
    state: () => state,
    stop: () => child.stop(),
  };
}
