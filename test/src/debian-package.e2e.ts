/**
 * The Debian package on a real Debian with systemd: its content, an installation that answers machines, the limits of its unit, an
 * upgrade that is refused and one that is not, removal and purge.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import {
  builtPackages,
  cacheDirectory,
  nextVersion,
  bootedDebian,
  CLIENT_MAC,
  missingForDebian,
  SERVER_ADDRESS,
  type BootedDebian,
} from '@tinkerbell/packaging/testing';

const missing = missingForDebian();
/** The limit only ends tests that hang. */
const REAL = { timeout: 600_000, ...(missing === undefined ? {} : { skip: missing }) };
const CLIENT_ADDRESS = '192.168.77.50';
const HARDWARE = `apiVersion: tinkerbell.org/v1alpha1
kind: Hardware
metadata: {name: m1, namespace: default}
spec:
  disks: [{device: /dev/sda}]
  interfaces:
    - dhcp: {mac: "${CLIENT_MAC}", ip: {address: ${CLIENT_ADDRESS}, netmask: 255.255.255.0}}
      netboot: {allowPXE: true, allowWorkflow: true}
`;
/** Tenths: 0 is the safest, 10 the most exposed. */
const EXPOSURE_MAX = 20;

const base = mkdtempSync(join(tmpdir(), 'debian-package-'));
let debian: BootedDebian | undefined;
let deb = '';
before(async () => {
  if (missing !== undefined) return;
  const packages = await builtPackages({ outputDirectory: join(base, 'packages') });
  deb = [...packages].find(([name]) => /^tinkerbell_.*\.deb$/.test(name))?.[1] ?? '';
  debian = await bootedDebian(base, cacheDirectory);
  copyFileSync(deb, join(debian.root, 'root/tinkerbell.deb'));
  copyFileSync(nextVersion(deb, '0.1.1', base), join(debian.root, 'root/next.deb'));
  writeFileSync(join(debian.root, 'root/hardware.yaml'), HARDWARE);
});
after(async () => {
  await debian?.[Symbol.asyncDispose]();
  rmSync(base, { recursive: true, force: true });
});

function machine(): BootedDebian {
  assert.ok(debian !== undefined);
  return debian;
}

/** Runs a script that must succeed, and returns its output. */
async function done(script: string): Promise<string> {
  const { status, text } = await machine().inside(script);
  assert.equal(status, 0, `${script}:\n${text}`);
  return text.trim();
}

const property = (name: string): Promise<string> => done(`systemctl show -P ${name} tinkerbell`);

test('the package has what an administrator expects, and nothing of npm beside its programs', REAL, () => {
  const info = execFileSync('dpkg-deb', ['--info', deb], { encoding: 'utf8' });
  assert.match(info, /^ Version: 0\.1\.0$/m);
  assert.match(info, /^ Depends: adduser, libatomic1, libc6 \(>= 2\.28\)/m);
  const listing = execFileSync('dpkg-deb', ['--contents', deb], { encoding: 'utf8', maxBuffer: 1e8 });
  const files = listing
    .trim()
    .split('\n')
    .map((line) => {
      const [mode = '', owner = '', , , , path = ''] = line.split(/\s+/);
      return { mode, owner, path };
    });
  assert.deepEqual(
    files.filter(({ owner }) => owner !== 'root/root'),
    [],
  );
  assert.deepEqual(
    files.filter(({ path }) => path.includes('node_modules') && !path.includes('/programs/')),
    [],
  );
  for (const path of [
    './usr/bin/tink',
    './usr/lib/tinkerbell/node',
    './usr/lib/tinkerbell/api/crd/tinkerbell.org_hardware.yaml',
    './lib/systemd/system/tinkerbell.service',
    './etc/tinkerbell/tinkerbell.yaml',
    './usr/share/man/man8/tinkerbell.8.gz',
    './usr/share/man/man1/tink.1.gz',
    './usr/share/bash-completion/completions/tink',
    './usr/share/zsh/vendor-completions/_tink',
    './usr/share/fish/vendor_completions.d/tink.fish',
    './usr/share/doc/tinkerbell/copyright',
  ])
    assert.ok(
      files.some((file) => file.path === path),
      path,
    );
});

const hasLintian = spawnSync('lintian', ['--version']).status === 0;

test('lintian finds nothing', { ...REAL, ...(hasLintian ? {} : { skip: 'needs lintian' }) }, () => {
  const { stdout } = spawnSync('lintian', ['--profile', 'debian', '--allow-root', deb], { encoding: 'utf8' });
  assert.equal(stdout, '');
});

test('an installation starts the server without root', REAL, async () => {
  await done('dpkg -i /root/tinkerbell.deb');
  assert.equal(await property('ActiveState'), 'active');
  assert.equal(await property('StatusText'), `serving http://${SERVER_ADDRESS}:7080`);
  const status = await done(`cat /proc/$(systemctl show -P MainPID tinkerbell)/status`);
  // CAP_NET_BIND_SERVICE is bit 10, and CAP_NET_RAW bit 13.
  assert.match(status, /^CapEff:\t0000000000002400$/m);
  assert.match(status, /^CapBnd:\t0000000000002400$/m);
  assert.match(status, /^NoNewPrivs:\t1$/m);
  assert.match(status, /^Seccomp:\t2$/m);
  assert.equal(await done('stat -c %U:%a /var/lib/tinkerbell'), 'tinkerbell:700');
  assert.match(await done('systemctl is-enabled tinkerbell'), /^enabled$/);
});

test('systemd accepts the unit, and rates it as safe', REAL, async () => {
  assert.equal(await done('systemd-analyze verify /lib/systemd/system/tinkerbell.service'), '');
  await done(`systemd-analyze security --no-pager --threshold=${EXPOSURE_MAX} tinkerbell.service`);
});

test('tink works for root, and machines get addresses, scripts and files', REAL, async () => {
  await done('tink apply -f /root/hardware.yaml');
  const { client } = machine();
  const lease = await client('busybox', 'udhcpc', '-f', '-q', '-n', '-i', 'eth0', '-s', '/bin/true');
  assert.match(lease.text, new RegExp(`lease of ${CLIENT_ADDRESS} obtained from ${SERVER_ADDRESS}`));
  await client('ip', 'address', 'add', `${CLIENT_ADDRESS}/24`, 'dev', 'eth0');
  assert.equal((await client('curl', '-s', `http://${SERVER_ADDRESS}:7080/readyz`)).text, 'ok');
  const script = await client('curl', '-s', `http://${SERVER_ADDRESS}:7080/ipxe/script/auto.ipxe`);
  assert.match(script.text, /^#!ipxe/);
  assert.match(await done('tink events --machine m1'), /acknowledge of 192\.168\.77\.50/);
  const other = await machine().inside(
    'HOME=/nonexistent setpriv --reuid=nobody --regid=nogroup --clear-groups tink get hw',
  );
  assert.match(other.text, /requires a token/);
});

test('manual pages and completion are found', REAL, async () => {
  assert.match(await done('man -w tinkerbell tink'), /tinkerbell\.8\.gz\n.*tink\.1\.gz/);
  assert.match(await done('man 8 tinkerbell'), /--http-port/);
  assert.match(
    await done("bash -c '. /usr/share/bash-completion/completions/tink; complete -p tink'"),
    /_tink/,
  );
});

test('the watchdog restarts a server that hangs', REAL, async () => {
  const drop = '/run/systemd/system/tinkerbell.service.d';
  await done(`mkdir -p ${drop} && printf '[Service]\\nWatchdogSec=2\\n' >${drop}/watchdog.conf`);
  await done('systemctl daemon-reload && systemctl restart tinkerbell');
  await done('kill -STOP $(systemctl show -P MainPID tinkerbell)');
  await machine().until('systemctl show -P NRestarts tinkerbell', /^1$/m);
  await machine().until('systemctl is-active tinkerbell', /^active$/m);
  assert.match(await done('journalctl -u tinkerbell'), /Watchdog timeout/);
  await done(`rm -r ${drop} && systemctl daemon-reload && systemctl restart tinkerbell`);
});

test('an upgrade that refuses the configuration leaves the old server running', REAL, async () => {
  await done(`sed -i 's/^#http-port: .*/http-port: seven/' /etc/tinkerbell/tinkerbell.yaml`);
  const pid = await property('MainPID');
  const upgrade = await done('dpkg -i /root/next.deb');
  assert.match(upgrade, /tinkerbell\.yaml:\d+:1: http-port must be a whole number .*, not "seven"/);
  assert.match(upgrade, /the old version keeps running/, await done('journalctl -u tinkerbell'));
  assert.equal(await property('MainPID'), pid);
  // The running version still has its own files, and may load a part of them later.
  const programs = await done('ls /usr/lib/tinkerbell/running');
  assert.match(programs, /^[0-9a-f]{16}\nf{16}$/);
  const line = await done(`tr '\\0' ' ' </proc/${pid}/cmdline`);
  await done(`test -f ${/\S+start-server\.mjs/.exec(line)?.[0]}`);
  assert.match(await done('tink get hw'), /m1/);
});

test('an upgrade restarts the server with its data, and keeps an edited configuration', REAL, async () => {
  await done(`sed -i 's/^http-port: seven/http-port: 7090/' /etc/tinkerbell/tinkerbell.yaml`);
  await done('dpkg -i /root/next.deb');
  assert.equal(await property('StatusText'), `serving http://${SERVER_ADDRESS}:7090`);
  assert.equal(await done('ls -A /usr/lib/tinkerbell/running'), 'f'.repeat(16));
  assert.match(await done('tink get hw'), /m1/);
});

test('removal keeps data and configuration, and a new installation finds them', REAL, async () => {
  await done('dpkg -r tinkerbell');
  assert.equal((await machine().inside('systemctl is-active tinkerbell')).text.trim(), 'inactive');
  await done('test ! -e /usr/lib/tinkerbell');
  await done('test -f /var/lib/tinkerbell/tinkerbell.db -a -f /etc/tinkerbell/tinkerbell.yaml');
  await done('dpkg -i /root/tinkerbell.deb');
  assert.match(await done('tink get hw'), /m1/);
});

test('a purge leaves nothing', REAL, async () => {
  await done('dpkg -P tinkerbell');
  const left = await machine().inside(
    'ls -d /var/lib/tinkerbell /var/cache/tinkerbell /etc/tinkerbell /usr/lib/tinkerbell 2>/dev/null; find /etc/systemd /lib/systemd/system -name "tinkerbell*"',
  );
  assert.equal(left.text, '');
});
