/**
 * A machine that is off, with a BMC, is installed by one `kubectl apply`: the Workflow powers it on and makes it boot from the network
 * once, and its serial console is followed over SSH until the installed system asks for a login.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { linkSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { withCacheLock } from '@tinkerbell/hook';
import {
  buildDebianImage,
  createMachine,
  enterPrivateNetwork,
  loadDemoManifests,
  startRouterAdvertiser,
  startServer,
  type ApiObject,
} from '@tinkerbell/sandbox';
import { bootedByBmc, openBmcOf } from '@tinkerbell/sandbox/bmc';
import { cacheDirectory, limitOf, serverAddress, serverOptions, timelineOf, tink } from './bare-machine.ts';
import { installedKubectl } from './installed-kubectl.ts';

const SSH_PORT = 2222;
const skip = process.getuid?.() === 0 ? false : 'needs root for its own network';

test('one kubectl apply powers a machine on, installs it and boots its disk', { skip }, async () => {
  await using cleanup = new AsyncDisposableStack();
  const options = await serverOptions('bios', cleanup);
  const { image, kubectl } = await withCacheLock(cacheDirectory, async () => ({
    image: await buildDebianImage({ cacheDirectory }),
    kubectl: await installedKubectl(),
  }));
  linkSync(image.path, join(options.imagesDirectory, 'debian-12.img.zst'));
  const network = await enterPrivateNetwork(serverAddress);
  cleanup.defer(startRouterAdvertiser(network.bridge));
  const { template, machines } = await loadDemoManifests(1, 'bios');
  const [demo] = machines;
  assert.ok(demo !== undefined);
  const directory = options.dataDirectory;
  const port = await network.addPort();
  const machine = await createMachine({ ...demo, firmware: 'bios', directory, port, bootOrder: 'disk' });
  cleanup.defer(() => machine.powerOff());
  const bmc = cleanup.use(await openBmcOf(machine));
  const flags = [
    '--enable-secondstar',
    `--secondstar-port=${SSH_PORT}`,
    '--secondstar-record',
    '--metadata-auth=off',
  ];
  const server = await startServer({ ...options, networkInterface: network.bridge, flags });
  cleanup.defer(() => server.stop());

  const keyFile = join(directory, 'operator');
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', keyFile]);
  const hardware = bmc.ofHardware(withKey(demo.hardware, readFileSync(`${keyFile}.pub`, 'utf8')));
  const objects = [...bmc.objects, template, hardware, bootedByBmc(demo.workflow)];
  const manifest = join(directory, 'site.json');
  writeFileSync(manifest, objects.map((one) => JSON.stringify(one)).join('\n'));
  const kubeconfig = join(directory, 'kubeconfig');
  const ending = limitOf(machine.failed, () =>
    [...machine.serial.tail(30), ...server.tail(), ...bmc.operations].join('\n'),
  );
  assert.equal(machine.isOn(), false);
  execFileSync(kubectl, ['--kubeconfig', kubeconfig, 'apply', '-f', manifest], { stdio: 'pipe' });
  const watched = watchConsole('ssh', sshWords(demo.name, keyFile));
  cleanup.defer(() => void watched.child.kill('SIGKILL'));

  const shared = watchConsole(process.execPath, tinkWords(demo.name, keyFile), {
    TINK_SERVER: server.url,
    TINKERBELL_DATA_DIR: directory,
  });
  cleanup.defer(() => void shared.child.kill('SIGKILL'));
  await Promise.race([watched.until(/login: $/), ending]);
  await Promise.race([shared.until(/login: $/), ending]);
  assert.match(watched.text(), /Second star/);
  assert.deepEqual(bmc.operations, ['on'], 'it was off, and nothing restarted it twice');
  const workflow = JSON.parse(
    await tink(server, 'get', 'workflow', demo.workflow.metadata.name, '-o', 'json'),
  ) as { status: { state: string } };
  assert.equal(workflow.status.state, 'SUCCESS');
  const events = (await timelineOf(server, demo)).map(({ event }) => event);
  for (const event of ['boot-job-created', 'bmc-job-completed', 'console-opened'])
    assert.ok(events.includes(event), event);

  // A prompt is recorded when the machine has been silent for a while.
  let printed = '';
  while (!printed.endsWith('login:\n')) {
    await new Promise((resolve) => setTimeout(resolve, 500));
    printed = await Promise.race([tink(server, 'console', demo.name, '--recorded'), ending]);
  }
  assert.match(printed, /^SeaBIOS[^]*\niPXE[^]*\nhook: [^]*\nagent: [^]*\nWelcome to GRUB/);
  assert.doesNotMatch(printed, /tinkerbell_boot_token=(?!\*)/);

  watched.child.stdin?.write('root\r');
  await Promise.race([watched.until(/Password:/), ending]);
  await tink(server, 'power', 'off', demo.name);
  assert.equal(machine.isOn(), false);
});

function withKey(hardware: ApiObject, key: string): ApiObject {
  const spec = hardware['spec'] as { readonly metadata?: { readonly instance?: object } };
  const instance = { ...spec.metadata?.instance, ssh_keys: [key.trim()] };
  return { ...hardware, spec: { ...spec, metadata: { ...spec.metadata, instance } } };
}

const SSH_OPTIONS = ['StrictHostKeyChecking=no', 'UserKnownHostsFile=/dev/null', 'LogLevel=ERROR'];

function sshWords(name: string, keyFile: string): readonly string[] {
  const flags = [
    '-tt',
    '-e',
    'none',
    '-F',
    'none',
    '-p',
    String(SSH_PORT),
    '-i',
    keyFile,
    '-o',
    'IdentitiesOnly=yes',
  ];
  return [...flags, ...SSH_OPTIONS.flatMap((one) => ['-o', one]), `${name}@${serverAddress}`];
}

function tinkWords(name: string, keyFile: string): readonly string[] {
  const main = join(import.meta.dirname, '../../apps/tink/src/main.mjs');
  return [main, 'console', name, '-i', keyFile, '--port', String(SSH_PORT), '--ssh-option', ...SSH_OPTIONS];
}

/** A client as an operator uses it. It may have to wait for the objects to arrive. */
function watchConsole(
  program: string,
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
) {
  const child = spawn(program, words, { stdio: 'pipe', env: { ...process.env, ...environment } });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (part: Buffer) => void (text = (text + part.toString('latin1')).slice(-200_000)));
  const ended = new Promise<never>((_, reject) =>
    child.on('close', (code) => reject(new Error(`${program} has ended with ${code}: ${text.slice(-500)}`))),
  );
  ended.catch(() => undefined);
  const found = async (expected: RegExp): Promise<void> => {
    while (!expected.test(text)) await new Promise((resolve) => setTimeout(resolve, 100));
  };
  return { child, text: () => text, until: (expected: RegExp) => Promise.race([found(expected), ended]) };
}
