/** Runs commands in this process against a real server, for tests. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runTink } from '../run.ts';
import {
  createRecordingTerminal,
  type RecordingOptions,
  type RecordingTerminal,
} from './recording-terminal.ts';
import type { RunningServer } from './running-server.ts';

type Options = Partial<RecordingOptions>;

export interface CommandRunner {
  readonly tink: (words: string, options?: Options) => Promise<{ code: number; out: string; err: string }>;
  /** Expects success and returns standard output. */
  readonly done: (words: string, options?: Options) => Promise<string>;
  /** Expects failure and returns standard error. */
  readonly failed: (words: string, options?: Options) => Promise<string>;
  readonly terminal: (options?: Options) => RecordingTerminal;
  /** Waits until the controller has rendered the workflow. */
  readonly rendered: (name: string, namespace: string) => Promise<void>;
}

/** Writes a file to the server's folder and returns its path. */
export function writeText(server: RunningServer, name: string, text: string): string {
  const path = join(server.folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

export function createCommandRunner(server: () => RunningServer): CommandRunner {
  const terminal = (options: Options = {}): RecordingTerminal => {
    const { url, folder } = server();
    const own = {
      TINK_SERVER: url,
      TINK_CONFIG: join(folder, 'config.yaml'),
      TINKERBELL_DATA_DIR: join(folder, 'data'),
    };
    const environment = { ...own, ...options.environment };
    return createRecordingTerminal({ ...options, environment });
  };
  const created = new Set<string>();
  /** Each test has its own namespaces, which exist already. */
  async function withNamespace(words: string): Promise<void> {
    const name = /^(?!get |describe ).*(?:-n|--namespace)[ =]([a-z0-9-]+)/.exec(words)?.[1];
    if (name === undefined || words.includes('--create-namespace') || created.has(name)) return;
    created.add(name);
    const { url, request } = server();
    const body = JSON.stringify({ metadata: { name } });
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
    await (await request(`${url}/api/v1/namespaces`, init)).body?.cancel();
  }
  const tink: CommandRunner['tink'] = async (words, options) => {
    await withNamespace(words);
    const recording = terminal(options);
    const code = await runTink(words.split(' '), recording);
    return { code, ...recording.printed };
  };
  return {
    tink,
    terminal,
    async done(words, options) {
      const { code, out, err } = await tink(words, options);
      assert.equal(code, 0, `tink ${words}: ${err}`);
      return out;
    },
    async failed(words, options) {
      const { code, out, err } = await tink(words, options);
      assert.equal(code, 1, `tink ${words}: ${out}${err}`);
      return err;
    },
    async rendered(name, namespace) {
      const recording = terminal();
      const watching = runTink(['workflow', 'events', name, '-n', namespace, '-w'], recording);
      await recording.until(/workflow is PENDING/);
      recording.interrupt();
      await watching;
    },
  };
}
