/** The preflight in a network with third-party DHCP servers, and with ours. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  DhcpLan,
  LAN_ADDRESS,
  PROBER_ADDRESS,
  notInstalled,
  SERVER_ADDRESS,
  whyNoLan,
} from '../testing/dhcp-lan.ts';
import type { PreflightReport } from './report.ts';

const skip = whyNoLan();
const DNSMASQ = { skip: notInstalled('/usr/sbin/dnsmasq') };
const KEA = { skip: notInstalled('/usr/sbin/kea-dhcp4') };
const DHCPD = { skip: notInstalled('/usr/sbin/dhcpd') };
/** MAC of the Hardware in the boot service's tests. */
const KNOWN_MAC = '02:00:5e:10:00:01';
const RANGE = '--dhcp-range=192.168.77.50,192.168.77.99,255.255.255.0,1h';

async function preflight(lan: DhcpLan, ...words: string[]) {
  const { code, out, err } = await lan.preflight('--interface', 'c0', '--seconds', '2', '--json', ...words);
  assert.notEqual(out, '', err);
  const report = JSON.parse(out) as PreflightReport;
  const codes = report.findings.map((each) => each.code);
  return { code, report, codes };
}

describe('preflight', { skip }, () => {
  test('a quiet network: reservation mode, with flags', async () => {
    await using lan = new DhcpLan();
    const { code, report, codes } = await preflight(lan);
    assert.deepEqual([code, codes], [0, ['no-server']]);
    assert.ok(report.advice.mode === 'reservation');
    assert.deepEqual(report.advice.flags, ['--dhcp-bind-interface=c0', `--public-ipv4=${PROBER_ADDRESS}`]);
  });

  test('a network interface without an address, below the MTU of Ethernet', async () => {
    await using lan = new DhcpLan();
    lan.ip('address', 'flush', 'dev', 'c0');
    lan.ip('link', 'set', 'c0', 'mtu', '1400');
    const { code, codes } = await preflight(lan);
    assert.deepEqual([code, codes], [1, ['no-address', 'small-mtu', 'no-server']]);
  });

  test('dnsmasq that assigns addresses: proxy mode with an allow-list', DNSMASQ, async () => {
    await using lan = new DhcpLan();
    await lan.dnsmasq(
      RANGE,
      '--dhcp-option=option:router,192.168.77.2',
      '--dhcp-option=option:dns-server,192.0.2.53',
    );
    const { code, report, codes } = await preflight(lan);
    assert.deepEqual([code, codes], [0, ['dhcp-server']]);
    const [server] = report.servers;
    assert.deepEqual(
      [server?.address, server?.offer?.subnet, server?.offer?.gateways, server?.offer?.nameServers],
      [LAN_ADDRESS, '192.168.77.0/24', ['192.168.77.2'], ['192.0.2.53']],
    );
    assert.equal(server?.offer?.leaseSeconds, 3600);
    assert.ok(report.advice.mode === 'proxy');
    assert.ok(report.advice.flags.includes('--dhcp-proxy-allow-subnet=192.168.77.0/24'));
    const { readFileSync } = await import('node:fs');
    assert.equal(readFileSync(`${lan.folder}/leases`, 'utf8'), '', 'no lease was taken');
  });

  test('dnsmasq that also boots machines: advises no mode', DNSMASQ, async () => {
    await using lan = new DhcpLan();
    await lan.dnsmasq(RANGE, '--dhcp-boot=pxelinux.0');
    const { code, report, codes } = await preflight(lan);
    assert.deepEqual([code, codes.includes('foreign-boot-server')], [1, true]);
    assert.ok(report.advice.mode === 'none');
    assert.match(report.advice.reasons.join(), /192\.168\.77\.2 boots machines with pxelinux\.0/);
  });

  test('dnsmasq as a PXE proxy, which also answers on UDP 4011', DNSMASQ, async () => {
    await using lan = new DhcpLan();
    await lan.dnsmasq(
      '--dhcp-range=192.168.77.0,proxy',
      '--pxe-service=x86PC,Boot,pxelinux',
      '--pxe-service=x86-64_EFI,Boot,grub',
    );
    const { code, report, codes } = await preflight(lan);
    assert.equal(code, 1);
    assert.deepEqual(codes, ['foreign-boot-server']);
    const [server] = report.servers;
    assert.equal(server?.offer, undefined);
    assert.ok(server?.answersOn4011);
    assert.ok(server?.boots.every(({ vendorClass }) => vendorClass === 'PXEClient'));
  });

  test('Kea', KEA, async () => {
    await using lan = new DhcpLan();
    await lan.kea('192.168.77.50-192.168.77.99');
    const { code, report, codes } = await preflight(lan);
    assert.deepEqual([code, codes, report.advice.mode], [0, ['dhcp-server'], 'proxy']);
    assert.equal(report.servers[0]?.address, SERVER_ADDRESS);
  });

  test('ISC dhcpd, with another subnet than ours', DHCPD, async () => {
    await using lan = new DhcpLan();
    await lan.dhcpd('subnet 192.168.77.0 netmask 255.255.255.0 { range 192.168.77.100 192.168.77.120; }');
    lan.ip('address', 'replace', '198.51.100.3/24', 'dev', 'c0');
    lan.ip('address', 'delete', `${PROBER_ADDRESS}/24`, 'dev', 'c0');
    const { code, codes } = await preflight(lan);
    assert.deepEqual([code, codes], [0, ['dhcp-server', 'no-gateway', 'other-subnet']]);
  });

  test('two servers whose networks differ', { skip: DNSMASQ.skip || DHCPD.skip }, async () => {
    await using lan = new DhcpLan();
    await lan.dnsmasq(RANGE);
    await lan.dhcpd(`subnet 192.168.77.0 netmask 255.255.255.0 {
      range 192.168.77.100 192.168.77.120; option routers 192.168.77.254; }`);
    const { code, report, codes } = await preflight(lan);
    assert.deepEqual([code, codes.includes('conflicting-dhcp-servers')], [1, true]);
    assert.deepEqual(report.servers.map(({ address }) => address).sort(), [SERVER_ADDRESS, LAN_ADDRESS]);
  });

  for (const mode of ['reservation', 'proxy', 'auto-proxy'] as const) {
    test(`our own server in ${mode} mode is recognised by a machine it answers`, async () => {
      await using lan = new DhcpLan();
      await lan.tinkerbell({ mode });
      const { code, report, codes } = await preflight(lan, '--mac', KNOWN_MAC);
      assert.deepEqual([code, report.servers.length, report.servers[0]?.isTinkerbell], [0, 1, true]);
      assert.ok(codes.includes('tinkerbell-answers'));
      assert.equal(report.advice.mode, 'none');
      assert.equal(report.servers[0]?.answersOn4011, mode !== 'reservation');
      assert.equal(report.servers[0]?.offer === undefined, mode !== 'reservation');
    });
  }

  test('the text ends with the command to run and with what was not tested', async () => {
    await using lan = new DhcpLan();
    const { code, out } = await lan.preflight('--interface', 'c0', '--seconds', '1');
    assert.equal(code, 0);
    assert.match(out, /tinkerbell --dhcp-bind-interface=c0 --public-ipv4=192\.168\.77\.3\n/);
    assert.match(out, /Not tested:/);
  });

  test('rejects invalid options', async () => {
    await using lan = new DhcpLan();
    for (const [words, code, text] of [
      [['--seconds', '0'], 2, /--seconds must be 1 to 300/],
      [['--mac', 'x'], 2, /--mac must be a MAC/],
      [['--interface', 'nope'], 1, /unknown network interface "nope"/],
    ] as const) {
      const result = await lan.preflight(...words);
      assert.equal(result.code, code, result.err);
      assert.match(result.err, text);
    }
  });
});
