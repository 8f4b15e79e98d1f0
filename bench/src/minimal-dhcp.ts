/** The floor of DHCP exchanges: a program on Node that only patches one reply. */
import { fileURLToPath } from 'node:url';

import type { BenchContext } from './benchmark.ts';
import type { Link } from './network-namespace.ts';
import { startProgram, untilReady, type RunningProgram } from './running-program.ts';

const PROGRAM = fileURLToPath(new URL('minimal-dhcp-program.ts', import.meta.url));

export const MINIMAL_DHCP = 'a socket and one patched reply';

export async function startMinimalDhcp(
  context: BenchContext,
  link: Link,
  machines: number,
): Promise<RunningProgram> {
  const args = [link.serverInterface, link.serverAddress, String(machines)];
  const program = startProgram(context, {
    command: [process.execPath, '--max-semi-space-size=8', PROGRAM, ...args],
    network: link.server,
  });
  await untilReady(program, () => program.output().includes('ready'));
  return program;
}
