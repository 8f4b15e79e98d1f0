import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const SOURCES = '/usr/share/gocode';
const PROGRAM = join(import.meta.dirname, '../../go-template');
const ANSWERS_SIZE_MAX = 256 * 1024 * 1024;

export interface Answer {
  readonly output?: string;
  readonly error?: string;
}

/** Returns why the comparison cannot run, or undefined when it can. */
export function goIsMissing(): string | undefined {
  if (goVersion() === undefined) return 'go is not installed (apt-get install golang-go)';
  const hasSprig = existsSync(join(SOURCES, 'src/github.com/Masterminds/sprig'));
  return hasSprig
    ? undefined
    : 'sprig is not installed (apt-get install golang-github-masterminds-sprig-dev)';
}

/** Returns the minor number of Go's version: 22 of 1.22.3. */
export function goVersion(): number | undefined {
  const asked = spawnSync('go', ['version'], { encoding: 'utf8' });
  const minor = /go1\.([0-9]+)/.exec(asked.stdout ?? '')?.[1];
  return asked.status === 0 && minor !== undefined ? Number(minor) : undefined;
}

export interface Request {
  readonly template: string;
  readonly data: object;
}

/** Builds the program of test/go-template and lets it execute the templates. */
export function renderWithGo(requests: readonly Request[]): Answer[] {
  const folder = join(tmpdir(), 'tinkerbell-go-template');
  mkdirSync(folder, { recursive: true });
  const program = join(folder, `renderer-${process.pid}`);
  const env = {
    ...process.env,
    GO111MODULE: 'off',
    GOPATH: SOURCES,
    GOCACHE: join(folder, 'cache'),
    GOFLAGS: '',
  };
  execFileSync('go', ['build', '-o', program, '.'], { cwd: PROGRAM, env, stdio: 'inherit' });
  const input = requests.map((request) => JSON.stringify(request)).join('\n');
  const output = execFileSync(program, {
    input,
    encoding: 'utf8',
    maxBuffer: ANSWERS_SIZE_MAX,
    env: { ...env, TZ: 'UTC' },
  });
  return output
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Answer);
}
