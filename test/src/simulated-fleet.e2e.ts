/** `tink simulate` against a real server: it provisions a fleet through faults, and names what fails first. */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import { createNetworkHost, type NetworkHost } from '@tinkerbell/sandbox';
import { startServer, type ServerChild } from './start-server.ts';

const tinkMain = join(import.meta.dirname, '../../apps/tink/src/main.mjs');
const skip = process.getuid?.() === 0 ? false : 'needs root for a network namespace';
/** A boot file of 11 blocks. */
const BOOT_FILE_BYTES = 15_000;
const FAST = ['--speed', '20', '--work', '0.05', '--images', 'none', '--seed', '7'];

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

interface Report {
  readonly provisioned: number;
  readonly failed: readonly { readonly name: string; readonly step: string; readonly reason: string }[];
  readonly broken: readonly string[];
  readonly crashes: number;
  readonly results: number;
  readonly steps: readonly { readonly step: string; readonly count: number }[];
  readonly server?: { readonly residentBytesMax: number };
}

describe('a simulated fleet', { skip }, () => {
  const directory = mkdtempSync(join(tmpdir(), 'tinkerbell-fleet-'));
  const bootFile = join(directory, 'ipxe.efi');
  let host: NetworkHost;
  let server: ServerChild;

  before(async () => {
    writeFileSync(bootFile, new Uint8Array(BOOT_FILE_BYTES));
    host = await createNetworkHost([]);
    await host.run('ip', 'route', 'add', 'local', '198.18.0.0/15', 'dev', 'lo');
    server = await startServer({
      prefix: host.prefix,
      flags: [
        // Boot scripts name these ports. They are free in a network of its own.
        '--http-port=7080',
        '--tink-server-bind-port=42113',
        '--public-ipv4=127.0.0.1',
        '--dhcp-enabled=true',
        '--dhcp-bind-addr=127.0.0.1',
        '--tftp-server-enabled=true',
        '--tootles-legacy-port=0',
        `--ipxe-binary-dir=${directory}`,
      ],
    });
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
    await host.stop();
    rmSync(directory, { recursive: true });
  });

  function tink(...words: readonly string[]): Promise<Ended> {
    const [program, ...rest] = [...host.prefix, process.execPath, tinkMain, '--server', server.url];
    const env = { ...process.env, TINKERBELL_DATA_DIR: server.dataDirectory, TINK_CONFIG: '/nonexistent' };
    return new Promise((resolve) => {
      execFile(program, [...rest, ...words], { env }, (error, out, err) =>
        resolve({ code: error === null ? 0 : Number(error.code), out, err }),
      );
    });
  }

  async function simulated(...words: readonly string[]): Promise<Ended & { readonly report: Report }> {
    const ended = await tink('simulate', ...FAST, '--json', ...words);
    assert.match(ended.out, /^\{.*\}\n$/, ended.err);
    return { ...ended, report: JSON.parse(ended.out) as Report };
  }

  async function hardware(): Promise<string> {
    return (await tink('get', 'hardware', '-A', '-o', 'name')).out;
  }

  afterEach(async () => assert.equal((await hardware()).includes('sim-'), false, 'objects are left'));

  test('provisions 100 machines through lost and doubled packets and power losses', async () => {
    const faults = ['--loss', '0.01', '--duplicates', '0.05', '--crashes', '0.3'];
    const { code, report, err } = await simulated('--machines', '100', ...faults);
    assert.deepEqual(report.failed, []);
    assert.deepEqual(report.broken, []);
    assert.equal(report.provisioned, 100);
    assert.equal(code, 0, err);
    assert.ok(report.crashes > 10, `${report.crashes} power losses`);
    assert.ok(report.results >= 290, `${report.results} results`);
    const steps = new Map(report.steps.map(({ step, count }) => [step, count]));
    // Each machine boots twice: into the in-memory OS, and then from its disk.
    assert.ok((steps.get('loader-script') ?? 0) >= 200, JSON.stringify(report.steps));
    assert.ok((report.server?.residentBytesMax ?? 0) > 50e6);
  });

  test('names the step and the machine when TFTP does not answer, and exits with 1', async () => {
    const words = ['--machines', '3', '--tftp-port', '6969', '--timeout', '2'];
    const { code, out, err } = await tink('simulate', ...FAST, ...words);
    assert.match(
      out,
      /^first failure: sim-7-\d \(02:00:07:00:00:0\d\) at firmware-tftp: not done after 2 s; its Workflow is PENDING$/m,
      err,
    );
    assert.match(out, /^3 failed at firmware-tftp$/m);
    assert.match(err, /^tink: 3 of 3 machines were not provisioned$/m);
    assert.equal(code, 1);
  });

  test('names the file when the server has no kernel', async () => {
    const { code, report } = await simulated('--machines', '1', '--images', 'head', '--timeout', '3');
    const [failed] = report.failed;
    assert.equal(failed?.step, 'agent');
    assert.match(failed?.reason ?? '', /vmlinuz-x86_64: HTTP 404/);
    assert.equal(code, 1);
  });

  test('replays a recording, and reports which answers differ', async () => {
    const path = join(directory, 'recording.jsonl');
    await simulated('--machines', '5', '--actions', '2', '--record', path);
    const same = await tink('simulate', '--replay', path);
    assert.match(same.out, /^every machine got the answers of the recording$/m, same.err);
    assert.equal(same.code, 0);
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll('"action action-1"', '"action other"'));
    const other = await tink('simulate', '--replay', path);
    assert.match(other.out, /^5 machines got other answers/m);
    assert.match(other.out, /^ {2}sim-7-0: no longer action other; new: action action-1$/m);
    assert.match(other.err, /^tink: 5 machines got other answers than in the recording$/m);
    assert.equal(other.code, 1);
    const [both, none] = await Promise.all([
      tink('simulate', '--replay', path, '--at-once', '1'),
      tink('simulate', '--replay', bootFile),
    ]);
    assert.match(both.err, /--replay takes --at-once from the recording/);
    assert.equal(both.code, 2);
    assert.match(none.err, /--replay: .*ipxe\.efi: a line is too long/);
  });

  test('removes its objects after Ctrl-C', async () => {
    const [program, ...rest] = [...host.prefix, process.execPath, tinkMain, '--server', server.url];
    const env = { ...process.env, TINKERBELL_DATA_DIR: server.dataDirectory, TINK_CONFIG: '/nonexistent' };
    const words = [...rest, 'simulate', ...FAST, '--machines', '20', '--rate', '1'];
    const child = spawn(program, words, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let out = '';
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
    // The first progress is printed while machines boot.
    for await (const chunk of child.stderr) if (String(chunk).includes(' of 20 done')) break;
    child.kill('SIGINT');
    const [code] = (await once(child, 'close')) as [number];
    assert.equal(code, 130);
    assert.match(out, /^\d+ of 20 machines provisioned/m);
  });

  test('refuses a server with Hardware of its own, and does not touch it', async () => {
    const spec = { interfaces: [{ dhcp: { mac: '02:00:5e:00:00:01' } }] };
    const metadata = { name: 'own', namespace: 'default' };
    const path = join(directory, 'own.json');
    const object = { apiVersion: 'tinkerbell.org/v1alpha1', kind: 'Hardware', metadata, spec };
    writeFileSync(path, JSON.stringify(object));
    assert.equal((await tink('apply', '-f', path)).code, 0);
    const refused = await tink('simulate', ...FAST, '--machines', '1');
    assert.equal(refused.code, 1);
    assert.match(refused.err, /the server already has 1 Hardware, such as own\n.*--beside-others/);
    const { report } = await simulated('--machines', '2', '--beside-others', '--keep');
    assert.equal(report.provisioned, 2);
    const again = await tink('simulate', ...FAST, '--machines', '1', '--beside-others');
    assert.match(
      again.err,
      /still has 2 Hardware of an earlier simulation\n.*tink simulate --clean -n default/,
    );
    assert.equal((await tink('simulate', '--clean')).out, 'removed 5 objects\n');
    assert.equal(await hardware(), 'hardware/own\n');
  });

  test('says what is wrong with the place it runs in', async () => {
    const one = ['simulate', ...FAST, '--machines', '1', '--beside-others'];
    const [elsewhere, nobody, noUrl] = await Promise.all([
      tink(...one, '--relay', '10.1.0.1'),
      tink(...one, '--server', 'http://127.0.0.1:9'),
      tink(...one, '--server', 'nonsense'),
    ]);
    assert.match(elsewhere.err, /relay at 10\.1\.0\.1: .*\n.*ip route add local 10\.1\.0\.0\/15 dev lo/);
    assert.match(nobody.err, /cannot reach the server at http:\/\/127\.0\.0\.1:9: connection refused/);
    assert.match(noUrl.err, /--server/);
    assert.deepEqual([elsewhere.code, nobody.code, noUrl.code], [1, 1, 2]);
  });

  // The last one: the server does not look for the file again at once.
  test('names the answer of the TFTP server when the boot file is missing', async () => {
    rmSync(bootFile);
    const { code, report } = await simulated('--machines', '2', '--beside-others');
    assert.deepEqual(
      report.failed.map(({ step }) => step),
      ['firmware-tftp', 'firmware-tftp'],
    );
    assert.match(report.failed[0]?.reason ?? '', /the TFTP server answered: file .* unknown/);
    assert.equal(code, 1);
  });
});
