/** A server, an agent with a disk, and the cables between them. Each of them can break. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@tinkerbell/sandbox/free-port';
import { startServer, type ServerChild } from '../start-server.ts';
import { openCable, type Cable, type CableOptions } from './cable.ts';
import { insertDisk, type CachedDisk } from './cached-disk.ts';
import { IMAGE_BYTES } from './disk-image.ts';

const AGENT_MAIN = join(import.meta.dirname, '../../../apps/agent/src/main.ts');
export const AGENT_ID = '02:00:00:00:b1:01';
const LINES_KEPT = 200;

export interface Site {
  readonly folder: string;
  readonly device: string;
  readonly files: Cable;
  readonly actions: Cable;
  server(): ServerChild;
  /** As a power cut of the server. Its data folder stays. */
  restartServer(): Promise<void>;
  /** Kills the agent, but not what it had started. */
  restartAgent(): Promise<void>;
  /** As a power cut of the machine: all its processes end, and what they kept in memory and what its disk has not synced is lost, except for blocks that `keeps` chooses. */
  restartMachine(keeps?: () => boolean): Promise<void>;
  /** The end of the output of the agents. */
  agentSaid(): readonly string[];
}

/** With an address, the server listens on it too, for machines of a network, and always at the same port. */
export async function openSite(cleanup: AsyncDisposableStack, filesCable: CableOptions = {}): Promise<Site> {
  const folder = mkdtempSync(join(tmpdir(), 'image-breaks-'));
  cleanup.defer(() => rmSync(folder, { recursive: true, force: true }));
  const images = join(folder, 'images');
  mkdirSync(images);
  const disk = insertDisk(folder, IMAGE_BYTES);
  cleanup.defer(() => disk.remove());
  const [files, actions] = [await openCable(filesCable), await openCable()];
  cleanup.defer(async () => void (await Promise.all([files.close(), actions.close()])));

  const grpcPort = await freePort();
  actions.plug(grpcPort);
  const ports = ['--tink-server-bind-port', String(grpcPort), '--tootles-legacy-port', '0'];
  const network =
    filesCable.address === undefined
      ? []
      : ['--bind-address', '0.0.0.0', '--http-port', String(await freePort())];
  const flags = [...ports, ...network, '--images-dir', images, '--registry-anonymous-pull'];
  const start = async (): Promise<ServerChild> => {
    const started = await startServer({ dataDirectory: join(folder, 'data'), flags });
    files.plug(Number(new URL(started.url).port));
    return started;
  };
  let server = await start();
  cleanup.defer(() => server.kill());
  const agent = startAgent({ folder, port: actions.port, disk });
  cleanup.defer(() => agent.end());
  return {
    folder,
    device: disk.device,
    files,
    actions,
    server: () => server,
    async restartServer() {
      await server.kill();
      server = await start();
    },
    restartAgent: () => agent.restart(),
    restartMachine: (keeps = () => false) => agent.powerCut(keeps),
    agentSaid: () => agent.said,
  };
}

interface Machine {
  readonly folder: string;
  /** Of the server. */
  readonly port: number;
  readonly disk: CachedDisk;
}

function startAgent({ folder, port, disk }: Machine) {
  const said: string[] = [];
  const home = join(folder, 'machine');
  const spool = join(home, 'spool');
  mkdirSync(home);
  const start = (): ChildProcess => {
    const flags = ['--id', AGENT_ID, '--grpc-server', `127.0.0.1:${port}`, '--attribute-detection=false'];
    const words = [AGENT_MAIN, ...flags, '--spool-directory', spool, '--backoff-max-interval', '500ms'];
    const child = spawn(process.execPath, words, { cwd: home, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text) => {
        said.push(...String(text).trimEnd().split('\n'));
        said.splice(0, said.length - LINES_KEPT);
      });
    return child;
  };
  let child = start();
  const kill = async (): Promise<void> => {
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  };
  const killAll = async (): Promise<void> => {
    await kill();
    // Also actions of agents that were killed before.
    for (let left = processesIn(home); left.length > 0; left = processesIn(home)) {
      for (const pid of left) killGroup(pid);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    rmSync(spool, { recursive: true, force: true });
  };
  return {
    said,
    end: killAll,
    async restart() {
      await kill();
      child = start();
    },
    async powerCut(keeps: () => boolean) {
      await killAll();
      disk.cutPower(keeps);
      child = start();
    },
  };
}

/** Whose working directory it is. */
function processesIn(folder: string): readonly number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && directoryOf(pid) === folder);
}

function directoryOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined;
  }
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}
