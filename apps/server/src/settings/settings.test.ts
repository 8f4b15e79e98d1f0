import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NetworkInterface } from '@tinkerbell/platform-contract';
import { helpText } from './help-text.ts';
import { parseFlags } from './parse-flags.ts';
import { FlagReader } from './flag-reader.ts';
import { flags } from './flags/index.ts';
import { settingsFrom, type Settings } from './settings.ts';

const networkInterfaces: readonly NetworkInterface[] = [
  { name: 'lo', mac: '00:00:00:00:00:00', address: '127.0.0.1', netmask: '255.0.0.0', internal: true },
  { name: 'eth1', mac: '52:54:00:00:00:01', address: '10.1.0.1', netmask: '255.255.255.0', internal: false },
  { name: 'eth2', mac: '52:54:00:00:00:02', address: '10.2.0.1', netmask: '255.255.255.0', internal: false },
];

function settings(commandLine: string[], environment: Record<string, string> = {}): Settings {
  const parsed = parseFlags(flags, commandLine, environment);
  assert.ok(parsed.ok, parsed.ok ? '' : parsed.message);
  return settingsFrom(new FlagReader(flags, parsed.values), networkInterfaces);
}

test('the command line overrides the environment, and the environment overrides the default', () => {
  assert.equal(settings([]).http.port, 7080);
  assert.equal(settings([], { TINKERBELL_HTTP_PORT: '8000' }).http.port, 8000);
  assert.equal(settings(['--http-port=9000'], { TINKERBELL_HTTP_PORT: '8000' }).http.port, 9000);
});

test('accepts flags in the form of Go programs', () => {
  for (const form of [['-http-port', '9000'], ['--http-port', '9000'], ['-http-port=9000']])
    assert.equal(settings(form).http.port, 9000);
  assert.equal(settings(['--dhcp-enabled=false']).boot?.dhcp, undefined);
  assert.equal(settings(['--enable-smee=false']).boot, undefined);
});

test('lists may be repeated or separated by commas', () => {
  const both = settings(['--trusted-proxies', '10.0.0.0/8,10.1.0.0/16', '--trusted-proxies=10.2.0.0/16']);
  assert.equal(both.boot?.trustedProxies.length, 3);
});

test('kernel arguments are separated by spaces and may have commas, as in upstream', () => {
  const { boot } = settings([
    '--ipxe-http-script-extra-kernel-args',
    'console=ttyS0,115200 quiet',
    '--ipxe-http-script-extra-kernel-args=c=3',
  ]);
  assert.deepEqual(boot?.hook.extraKernelArguments, ['console=ttyS0,115200', 'quiet', 'c=3']);
});

test('a part logs at its own level, else at the level of the server', () => {
  const { logLevels } = settings(['--log-level=-1', '--smee-log-level=1']);
  assert.equal(logLevels.server, 'silent');
  assert.equal(logLevels.smee, 'debug');
  assert.equal(logLevels.tootles, 'silent');
});

test('the public address is that of the bound network interface, and URLs for machines follow it', () => {
  const { boot, publicIpv4 } = settings(['--dhcp-bind-interface', 'eth2', '--http-port', '8080']);
  assert.equal(publicIpv4, '10.2.0.1');
  assert.equal(boot?.netboot.scriptUrl, 'http://10.2.0.1:8080/ipxe/script/auto.ipxe');
  assert.equal(boot.netboot.httpBinary.url, 'http://10.2.0.1:8080/ipxe/binary/');
  assert.equal(boot.hook.osieUrl, 'http://10.2.0.1:8080/hook');
  assert.equal(boot.hook.grpcAuthority, '10.2.0.1:42113');
});

test('a certificate needs its key, and makes agents use TLS', () => {
  assert.throws(
    () => settings(['--tls-cert-file', 'c']),
    /--tls-cert-file and --tls-key-file must be set together/,
  );
  assert.equal(settings(['--tls-cert-file', 'c', '--tls-key-file', 'k']).boot?.hook.tls, true);
});

test('invalid values name flag, value and rule', () => {
  assert.throws(
    () => settings(['--public-ipv4', '10.0.0']),
    /--public-ipv4 must be an IPv4 address, not "10.0.0"/,
  );
  assert.throws(
    () => settings(['--tftp-timeout', '5']),
    /--tftp-timeout must be a duration such as 500ms, 10s or 2m, not "5"/,
  );
  assert.throws(
    () => settings(['--dhcp-enabled=maybe']),
    /--dhcp-enabled must be true or false, not "maybe"/,
  );
  assert.throws(
    () => settings(['--ipxe-override-arch-mapping', '7:x']),
    /must be <number>=<binary>, not "7:x"/,
  );
});

test('the proxy modes can be limited to MAC prefixes and subnets', () => {
  assert.equal(settings([]).boot?.netboot.mode, 'reservation');
  const { boot } = settings([
    '--dhcp-mode=auto-proxy',
    '--dhcp-proxy-allow-mac=52-54-00,02:00:5E:10',
    '--dhcp-proxy-allow-subnet=10.1.2.3/16',
  ]);
  assert.equal(boot?.netboot.mode, 'auto-proxy');
  assert.deepEqual(boot.netboot.proxyAllow, {
    macPrefixes: ['52:54:00', '02:00:5e:10'],
    subnets: [{ address: '10.1.0.0', prefixLength: 16 }],
  });
  assert.throws(
    () => settings(['--dhcp-mode=proxies']),
    /--dhcp-mode must be reservation or proxy or auto-proxy, not "proxies"/,
  );
  assert.throws(
    () => settings(['--dhcp-proxy-allow-mac', '5254']),
    /--dhcp-proxy-allow-mac must be MAC prefixes such as 52:54:00, not "5254"/,
  );
  assert.throws(
    () => settings(['--dhcp-proxy-allow-subnet', '10.1.0.0']),
    /--dhcp-proxy-allow-subnet must be networks such as 10.1.0.0\/16, not "10.1.0.0"/,
  );
});

test('trusted proxies are networks', () => {
  assert.equal(settings(['--trusted-proxies', '10.0.0.0/8,192.168.1.1']).metadata?.trustedProxies.length, 2);
  assert.throws(
    () => settings(['--trusted-proxies', 'proxy']),
    /--trusted-proxies must be networks such as 10\.0\.0\.0\/8, not "proxy"/,
  );
  assert.equal(settings(['--enable-tootles=false']).metadata, undefined);
});

test('a certificate and its key give HTTPS and gRPC over TLS', () => {
  assert.equal(settings([]).https, undefined);
  const { https, workflows } = settings(['--tls-cert-file=cert.pem', '--tls-key-file=key.pem']);
  assert.deepEqual(https, { address: '0.0.0.0', port: 7443, certFile: 'cert.pem', keyFile: 'key.pem' });
  assert.equal(workflows?.tls?.keyFile, 'key.pem');
  assert.throws(
    () => settings(['--tls-cert-file=cert.pem']),
    /--tls-cert-file and --tls-key-file must be set together/,
  );
});

test('address pools are read with their settings', () => {
  const { boot } = settings([
    '--dhcp-pool=10.0.0.100-10.0.0.200/24,gateway=10.0.0.1,lease=2h; 10.1.0.10-10.1.0.20/24',
  ]);
  assert.deepEqual(
    boot?.netboot.pools?.map(({ first, leaseTimeSeconds }) => [first, leaseTimeSeconds]),
    [
      ['10.0.0.100', 7200],
      ['10.1.0.10', 3600],
    ],
  );
  assert.throws(
    () => settings(['--dhcp-pool=10.0.0.0/24']),
    /--dhcp-pool: address pool "10.0.0.0\/24": write FIRST-LAST/,
  );
});

test('rejects two pools of one network, because only the first would be used', () => {
  const pools = '--dhcp-pool=10.0.0.10-10.0.0.20/24;10.0.0.100-10.0.0.120/25';
  assert.throws(() => settings([pools]), /10.0.0.10 and 10.0.0.100 are in the same network/);
});

test('syslog is received and announced to machines, unless it is disabled', () => {
  assert.deepEqual(settings([]).boot?.syslog, { address: '0.0.0.0', port: 514 });
  assert.equal(settings([]).boot?.netboot.syslogAddress, '10.1.0.1');
  const off = settings(['--syslog-enabled=false']).boot;
  assert.deepEqual(
    [off?.syslog, off?.netboot.syslogAddress, off?.hook.syslogHost],
    [undefined, undefined, undefined],
  );
});

test('DHCPv6 and router advertisements use the configured network interfaces', () => {
  assert.equal(settings([]).boot?.dhcpv6, undefined);
  const { boot } = settings([
    '--dhcpv6-enabled',
    '--ipv6-router-advertisements',
    '--dhcp-bind-interface=eth1',
    '--dhcpv6-ipxe-http-script-url=http://[2001:db8::1]/auto.ipxe',
  ]);
  assert.deepEqual(boot?.dhcpv6, {
    networkInterfaces: ['eth1'],
    scriptV6Url: 'http://[2001:db8::1]/auto.ipxe',
  });
  assert.deepEqual(boot.routerAdvertisements, { networkInterfaces: ['eth1'], hasDhcpv6: true });
  assert.throws(
    () => settings(['--dhcpv6-enabled']),
    /need --dhcpv6-bind-interface or --dhcp-bind-interface/,
  );
});

test('a relay needs the network interface of its clients and its servers', () => {
  assert.equal(settings([]).relay, undefined);
  const { relay } = settings([
    '--enable-relay',
    '--relay-interface=eth1',
    '--relay-server=10.9.0.1,10.9.0.2',
  ]);
  assert.deepEqual(relay?.servers, [{ address: '10.9.0.1' }, { address: '10.9.0.2' }]);
  assert.equal(relay.settings.information, undefined);
  assert.throws(() => settings(['--enable-relay']), /--enable-relay needs --relay-interface/);
  assert.throws(() => settings(['--enable-relay', '--relay-interface=eth1']), /needs --relay-server/);
});

test('the old port of the metadata service can be disabled', () => {
  assert.equal(settings([]).legacyMetadataPort, 50061);
  assert.equal(settings(['--tootles-legacy-port=0']).legacyMetadataPort, undefined);
  assert.equal(settings(['--enable-tootles=false']).legacyMetadataPort, undefined);
});

test('rejects unknown flags and missing values', () => {
  const message = (commandLine: string[]) => {
    const parsed = parseFlags(flags, commandLine, {});
    return parsed.ok ? '' : parsed.message;
  };
  assert.equal(message(['--dhcp-mod', 'x']), 'unknown flag --dhcp-mod; did you mean --dhcp-mode?');
  assert.equal(message(['--http-port']), '--http-port needs a value');
  assert.equal(message(['start']), 'unexpected argument "start"; see --help');
});

test('the help lists every flag in its group, with its default', () => {
  const text = helpText(flags);
  const lines = text.split('\n');
  for (const { name, group } of flags) {
    const at = lines.findIndex((line) => new RegExp(`^  --${name}( [A-Z]+)?$`).test(line));
    assert.ok(at > 0, name);
    assert.equal(
      lines.slice(0, at).findLast((line) => /^\S.*:$/.test(line)),
      `${group}:`,
      name,
    );
  }
  assert.match(text, /--http-port NUMBER\n {6}port of [^(]* \(default: 7080\)\n/);
  assert.match(text, /--dhcp-ip-for-packet TEXT\n {6}server address in replies \(default: --public-ipv4\)\n/);
  assert.ok(lines.every((line) => line.length <= 120));
});

test('no flag is declared twice', () => {
  const names = flags.map(({ name }) => name);
  assert.deepEqual([...new Set(names)], names);
});

test('ISO images are enabled with our own image, and invalid settings are named', () => {
  const { boot, dataDirectory, images } = settings([]);
  assert.equal(boot?.iso?.magic.length, 1_024);
  assert.equal(boot.iso.ownDirectory, images?.hookDirectory);
  assert.equal(boot.iso.cacheDirectory, `${dataDirectory}/iso-cache`);
  assert.equal(boot.iso.upstreamUrl, undefined);
  assert.equal(settings(['--iso-enabled=false']).boot?.iso, undefined);
  const allowed = settings(['--iso-allow-source', 'Files.LAN,127.0.0.0/8,::1']).boot?.iso?.allowed;
  assert.deepEqual([allowed?.hostNames, allowed?.networks.length], [['files.lan'], 2]);
  const wrong: [string[], RegExp][] = [
    [['--bmc-events-url', 'https://192.0.2.1/path'], /--bmc-events-url must be http:\/\/HOST:PORT or https/],
    [
      ['--bmc-events-url', 'https://user:secret@192.0.2.1'],
      /--bmc-events-url must be http:\/\/HOST:PORT or https/,
    ],
    [['--iso-upstream-url', 'file:///x.iso'], /--iso-upstream-url must be an http or https URL, not "file:/],
    [['--iso-patch-magic-string', 'short'], /must have 64 to 4096 printable ASCII characters, not "short"/],
    [['--iso-allow-source', '10.0.0.0/99'], /--iso-allow-source must be hosts and networks .* not "10/],
    [['--iso-cache-size', '1'], /--iso-cache-size must be a whole number from 64/],
  ];
  for (const [commandLine, message] of wrong) assert.throws(() => settings(commandLine), message);
});

test('discovers and enrolls machines only if configured', () => {
  const { workflows: off } = settings(['--tink-server-auto-discovery-namespace=x']);
  assert.equal(off?.autoDiscovery ?? off?.autoEnrollment, undefined);
  const { workflows: on } = settings(
    [
      '--tink-server-auto-discovery-enabled',
      '--tink-server-auto-discovery-auto-enrollment-enabled=true',
      '--tink-server-auto-discovery-approval',
      '--tink-server-auto-discovery-max=5',
    ],
    { TINKERBELL_TINK_SERVER_AUTO_ENROLLMENT_ENABLED: 'true' },
  );
  assert.deepEqual(on?.autoDiscovery, {
    namespace: 'default',
    enrollmentEnabled: true,
    requireApproval: true,
    maxDiscovered: 5,
  });
  assert.deepEqual(on.autoEnrollment, {});
  assert.throws(
    () => settings(['--tink-server-auto-discovery-enabled', '--tink-server-auto-discovery-namespace=A']),
    /--tink-server-auto-discovery-namespace must be a valid namespace, not "A"/,
  );
});

test('reads reference rules, and names the list and place of an invalid one', () => {
  const allow = '--tink-controller-reference-allow-list-rules';
  assert.equal(settings([]).referenceRules.deny.length, 1);
  const rules = settings([`${allow}={"reference":{"resource":["templates"]}}|{"reference":{"name":["os"]}}`]);
  assert.equal(rules.referenceRules.allow.length, 2);
  assert.throws(
    () => settings([`${allow}={"reference":`]),
    /tink-controller-reference-…-list-rules: rule 1 of the allow list: .*, at character \d+/,
  );
});

test('the store is a file by default, and errors never contain the address of PostgreSQL', () => {
  assert.deepEqual(settings([]).store, { kind: 'sqlite' });
  const url = 'postgres://user:hunter2@db/rack';
  assert.deepEqual(settings(['--store=postgres'], { TINKERBELL_POSTGRES_URL: url }).store, {
    kind: 'postgres',
    url,
  });
  assert.throws(() => settings(['--store=postgres']), /--store postgres needs --postgres-url/);
  assert.throws(
    () => settings(['--store=etcd']),
    /--store must be sqlite or memory or postgres or kubernetes, not "etcd"/,
  );
  for (const wrong of [
    ['--store=postgres', '--postgres-url=user:hunter2@db'],
    ['--postgres-url', url],
  ]) {
    assert.throws(
      () => settings(wrong),
      ({ message }: Error) => message.includes('--postgres-url') && !message.includes('hunter2'),
    );
  }
});

test('reads secrets keys from a file or the environment, and never prints them', () => {
  const key = Buffer.alloc(32, 7).toString('base64');
  assert.equal(settings([]).secretsKeys, undefined);
  assert.equal(settings([], { TINKERBELL_SECRETS_KEY: `${key},${key}` }).secretsKeys?.length, 2);
  assert.throws(
    () => settings([], { TINKERBELL_SECRETS_KEY: 'aHVudGVyMg==' }),
    ({ message }: Error) =>
      message.startsWith('TINKERBELL_SECRETS_KEY key 1 has 7 bytes') && !message.includes('aHV'),
  );
  assert.throws(() => settings(['--secrets-key-file=/nowhere']), /cannot read --secrets-key-file \/nowhere/);
});

test('the doctor is enabled, and its webhooks are checked without repeating them', () => {
  assert.deepEqual(settings([]).doctor?.webhooks, { urls: [], format: 'json' });
  assert.equal(settings([]).doctor?.activeChecks, false);
  assert.equal(settings(['--doctor-active-checks']).doctor?.activeChecks, true);
  assert.equal(settings(['--enable-doctor=false']).doctor, undefined);
  const portsOf = (flags: string[]) => settings(flags).doctor?.ports.map(({ port }) => port);
  assert.deepEqual(portsOf([]), [7080, 42113, 69, 67]);
  assert.deepEqual(portsOf(['--dhcp-mode=proxy', '--tftp-server-enabled=false']), [7080, 42113]);
  const urls = ['--doctor-webhook-url=https://hooks.example/a', '--doctor-webhook-url=http://b.example/c'];
  assert.deepEqual(settings(urls).doctor?.webhooks.urls, ['https://hooks.example/a', 'http://b.example/c']);
  assert.throws(
    () => settings(['--doctor-webhook-url=ftp://hooks.example/secret-path']),
    ({ message }: Error) =>
      /--doctor-webhook-url: URL 1 must be/.test(message) && !message.includes('secret'),
  );
  assert.throws(() => settings(['--doctor-webhook-format=xml']), /--doctor-webhook-format/);
  assert.throws(
    () => settings(['--doctor-webhook-secret-file=/nowhere']),
    /cannot read --doctor-webhook-secret-file \/nowhere/,
  );
  assert.throws(() => settings(['--doctor-webhook-secret-file=/dev/null']), /at least 16 bytes; create one/);
});

test('machines get the mirrors that fit into the kernel arguments', () => {
  const mirrorsOf = (...args: string[]) => settings(args).boot?.hook.registryMirrors;
  const own = ['--public-ipv4=10.2.0.1', '--http-port=8080'];
  assert.equal(mirrorsOf(...own), undefined);
  assert.equal(
    mirrorsOf(...own, '--registry-mirrors=docker.io,quay.io=https://cache.example'),
    'docker.io=http://10.2.0.1:8080/v2/mirror/docker.io,quay.io=http://10.2.0.1:8080/v2/mirror/quay.io',
  );
  const many = Array.from({ length: 30 }, (_, index) => `r${index}.example`);
  const fitting = mirrorsOf(...own, `--registry-mirrors=${many.join(',')}`) ?? '';
  assert.ok(fitting.length > 400 && fitting.length <= 512, fitting);
  assert.equal(mirrorsOf(...own, '--registry-enabled=false', '--registry-mirrors=quay.io'), undefined);
});

test('the registry is enabled, has no anonymous pull, and mirrors are hosts with an address', () => {
  const { registry, dataDirectory } = settings([]);
  assert.equal(registry?.directory, `${dataDirectory}/registry`);
  assert.equal(settings(['--registry-enabled=false']).registry, undefined);
  const given = [
    '--registry-mirrors=docker.io,quay.io,a.example=http://b.example:5000/',
    '--registry-max-bytes=1048576',
  ];
  const { mirrors, bytesMax } = settings(given).registry ?? {};
  assert.equal(bytesMax, 1_048_576);
  assert.deepEqual(
    mirrors?.map(({ host, url }) => `${host} ${url}`),
    ['docker.io https://registry-1.docker.io', 'quay.io https://quay.io', 'a.example http://b.example:5000'],
  );
  for (const wrong of [
    'a.example=ftp://b.example',
    'a:5000',
    'a/b',
    '..',
    'A.example',
    'a.example=',
    'a=http://u:p@b',
  ])
    assert.throws(
      () => settings([`--registry-mirrors=${wrong}`]),
      /--registry-mirrors must be hosts such as quay\.io/,
      wrong,
    );
  assert.throws(() => settings(['--registry-max-bytes=1']), /--registry-max-bytes must be/);
});
