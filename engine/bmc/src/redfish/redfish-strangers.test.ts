/** The simulated service with a client of others, and the driver with a service of others. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { before, describe, test, type TestContext } from 'node:test';
import { openNodeEndpointHttp } from '@tinkerbell/platform-node';
import type { BmcSession, BmcTarget } from '../driver.ts';
import { hurriedClock } from '../testing/hurried-clock.ts';
import { failureOf, PASSWORD, redfishRack, tls } from '../testing/redfish-rack.ts';
import { sushyClient, sushyEmulator, whyNoSushy } from '../testing/sushy.ts';
import { createRedfishDriver } from './redfish-driver.ts';

const ISO = 'http://192.0.2.1/a.iso';
let why: string | undefined;
before(async () => {
  why = await whyNoSushy();
});

/** Skips the test, with a reason, where the programs cannot be installed. */
function isAbsent(context: TestContext): boolean {
  if (why !== undefined) context.skip(why);
  return why !== undefined;
}

const program = `
import sys, json, sushy, urllib3
urllib3.disable_warnings()
url, user, password, iso = sys.argv[1:]
auth = sushy.auth.SessionAuth(user, password)
service = sushy.Sushy(url, verify=False, auth=auth)
system = service.get_system(service.get_system_collection().members_identities[0])
def power(reset):
    system.reset_system(reset)
    system.refresh()
    return system.power_state.value
found = {'power': [system.power_state.value, power(sushy.ResetType.ON), power(sushy.ResetType.FORCE_OFF)]}
system.set_system_boot_options(target=sushy.BootSource.PXE, enabled=sushy.BootSourceOverrideEnabled.ONCE,
                               mode=sushy.BootSourceOverrideMode.LEGACY)
system.refresh()
found['boot'] = [system.boot.target.value, system.boot.enabled.value, system.boot.mode.value]
manager = system.managers[0]
drive = [one for one in manager.virtual_media.get_members() if sushy.VirtualMediaType.CD in one.media_types][0]
drive.insert_media(iso)
drive.refresh()
found['inserted'] = [drive.image, drive.inserted]
drive.eject_media()
drive.refresh()
found['ejected'] = drive.inserted
found['processors'] = [one.model for one in system.processors.get_members()]
found['drives'] = [one.name for storage in system.storage.get_members() for one in storage.drives]
found['chassis'] = service.get_chassis('/redfish/v1/Chassis/1').serial_number
auth.close()
print(json.dumps(found))
`;

const settingsProgram = `
import sys, json, sushy, urllib3
urllib3.disable_warnings()
url, user, password, iso = sys.argv[1:]
service = sushy.Sushy(url, verify=False, auth=sushy.auth.BasicAuth(user, password))
system = service.get_system()
drive = [one for one in system.virtual_media.get_members() if sushy.VirtualMediaType.CD in one.media_types][0]
drive.insert_media(iso)
drive.refresh()
found = {'inserted': [drive.image, drive.inserted]}
drive.eject_media()
drive.refresh()
found['ejected'] = drive.inserted
def firmware():
    system.bios.refresh(force=True)
    system.secure_boot.refresh(force=True)
    return [system.bios.attributes['PxeRetries'], system.secure_boot.enabled, system.secure_boot.current_boot.value]
found['firmware'] = [firmware()]
system.bios.set_attribute('PxeRetries', 5)
system.secure_boot.set_enabled(True)
system.set_system_boot_options(target=sushy.BootSource.HDD, enabled=sushy.BootSourceOverrideEnabled.ONCE)
found['firmware'].append(firmware())
system.reset_system(sushy.ResetType.ON)
system.refresh()
found['firmware'].append(firmware())
found['boot'] = [system.boot.target.value, system.boot.enabled.value]
events = service.get_event_service()
found['subscribed'] = events.subscriptions.create({
    'Destination': 'https://192.0.2.9/', 'Context': 'rack 1', 'Protocol': 'Redfish'}).context
found['versions'] = [one.version for one in service.get_update_service().firmware_inventory.get_members()]
print(json.dumps(found))
`;

describe('the client sushy', () => {
  test('controls the simulated service', async (context) => {
    if (isAbsent(context)) return;
    await using rack = await redfishRack();
    const url = `https://127.0.0.1:${rack.service.port}`;
    assert.deepEqual(await sushyClient(program, url, 'admin', PASSWORD, ISO), {
      power: ['Off', 'On', 'Off'],
      boot: ['Pxe', 'Once', 'Legacy'],
      inserted: [ISO, true],
      ejected: false,
      processors: ['Xeon 6', 'Xeon 6', 'H100'],
      drives: ['Disk 1'],
      chassis: 'CH-1',
    });
    assert.deepEqual(rack.machine.operations, ['on', 'off']);
    assert.deepEqual(rack.machine.bootFlags, {
      isValid: true,
      isPersistent: false,
      isEfi: false,
      device: 'pxe',
    });
    const { requests, sessions } = rack.service;
    assert.ok(requests.includes('POST /redfish/v1/SessionService/Sessions'));
    assert.equal(sessions.size, 0, 'the client ends its session');
  });
});

describe('the client sushy, with basic authentication', () => {
  test('changes the firmware for the next start, and a drive without actions', async (context) => {
    if (isAbsent(context)) return;
    await using rack = await redfishRack({ mediaIn: 'system', hasMediaActions: false, hasSessions: false });
    const url = `https://127.0.0.1:${rack.service.port}`;
    assert.deepEqual(await sushyClient(settingsProgram, url, 'admin', PASSWORD, ISO), {
      inserted: [ISO, true],
      ejected: false,
      firmware: [
        [3, false, 'Disabled'],
        [3, true, 'Disabled'],
        [5, true, 'Enabled'],
      ],
      boot: ['None', 'Disabled'],
      subscribed: 'rack 1',
      versions: ['2.14', '1.2.3'],
    });
    assert.deepEqual(rack.machine.boots, ['disk']);
  });
});

describe('the emulator of sushy-tools', () => {
  test('is controlled by the driver', async (context) => {
    if (isAbsent(context)) return;
    await using emulator = await sushyEmulator(tls);
    await using session = await opened(emulator.port);
    assert.equal(await session.powerState(), 'off');
    await session.setPower('on');
    assert.equal(await session.powerState(), 'on');
    await session.setPower('cycle');
    assert.equal(await session.powerState(), 'on');
    await session.setPower('soft');
    assert.equal(await session.powerState(), 'off');
    await bootSettings(session);
    await virtualMedia(session);
    const parts = await session.inventory?.();
    assert.equal(parts?.product?.vendor, 'Sushy Emulator');
    assert.deepEqual(parts?.networkInterfaces?.[0]?.ports?.[0]?.mac, '00:5c:52:31:3a:9c');
  });

  test('refuses a wrong password', async (context) => {
    if (isAbsent(context)) return;
    await using emulator = await sushyEmulator(tls);
    assert.equal((await failureOf(opened(emulator.port, 'wrong'))).code, 'wrong-credentials');
  });
});

function opened(port: number, password = PASSWORD): Promise<BmcSession> {
  const driver = createRedfishDriver({ clock: hurriedClock(), openHttp: openNodeEndpointHttp });
  const target: BmcTarget = {
    host: '127.0.0.1',
    port,
    credentials: { username: 'admin', password },
    trust: { kind: 'authorities', certificates: [tls.cert] },
    timeoutMs: 10_000,
  };
  return driver.open(target, {}, new AbortController().signal);
}

/** The emulator reports every setting as persistent. */
async function bootSettings(session: BmcSession): Promise<void> {
  for (const device of ['pxe', 'disk', 'cdrom'] as const) {
    await session.setBootDevice?.({ device, persistent: true, efiBoot: false });
    assert.deepEqual(await session.bootDevice?.(), { device, persistent: true, efiBoot: false });
  }
  await session.setBootDevice?.({ device: 'pxe', persistent: true, efiBoot: true });
  const http = {
    device: 'pxe',
    persistent: false,
    efiBoot: true,
    httpBootUri: 'http://127.0.0.1:9/',
  } as const;
  const refused = await failureOf(session.setBootDevice!(http));
  assert.match(`${refused.code}: ${refused.message}`, /^rejected: .*HttpBootUri/, 'needs a virtual machine');
}

/** The emulator downloads the image. */
async function virtualMedia(session: BmcSession): Promise<void> {
  const server = createServer((_, response) => response.end('an image')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/a.iso`;
  try {
    await session.setVirtualMedia?.(url);
    assert.deepEqual(await session.virtualMedia?.(), { url });
    await session.setVirtualMedia?.(undefined);
    assert.deepEqual(await session.virtualMedia?.(), {});
  } finally {
    server.close();
  }
}
