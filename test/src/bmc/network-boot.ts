/**
 * A machine that is off, with a BMC, is installed by one `kubectl apply`: the Workflow powers it on and makes it boot from the network
 * once, and its serial console is followed over SSH until the installed system asks for a login. Then it boots for repairs, and its disk is
 * read in the shell of the in-memory OS.
 */
import assert from 'node:assert/strict';
import { bootedByBmc } from '@tinkerbell/sandbox/bmc';
import { localAuthorization } from '@tinkerbell/sandbox/local-authorization';
import { timelineOf, tink } from '../bare-machine.ts';
import {
  CONSOLE_FLAGS,
  newKey,
  sshWords,
  tinkConsoleWords,
  watchConsole,
  watchPage,
  withKey,
} from '../console-client.ts';
import type { BmcCase } from './bmc-case.ts';
import { openSiteWithBmc } from './site-with-bmc.ts';

/** In `npm test` as a whole. */
export const networkBoot: BmcCase = {
  name: 'ipmi: the network, the console and a rescue',
  async run() {
    await using cleanup = new AsyncDisposableStack();
    const flags = [...CONSOLE_FLAGS, '--secondstar-record'];
    const site = await openSiteWithBmc({ firmware: 'bios', protocol: 'ipmi', flags }, cleanup);
    const { demo, machine, bmc, server, directory, ending } = site;
    const { keyFile, publicKey } = newKey(directory);
    site.apply(bootedByBmc(demo.workflow), withKey(demo.hardware, publicKey));
    const watched = watchConsole('ssh', sshWords(demo.name, keyFile));
    cleanup.defer(() => void watched.child.kill('SIGKILL'));

    const shared = watchConsole(process.execPath, tinkConsoleWords(demo.name, keyFile), {
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
    // A record ends where the machine pauses, also within a line, and without the space there.
    assert.match(printed.replaceAll('\n', ''), /^SeaBIOS.*iPXE.*hook: .*agent: .*Welcome ?to ?GRUB/s);
    assert.doesNotMatch(printed, /tinkerbell_boot_token=(?!\*)/);

    const page = watchPage(server.url, demo.name, localAuthorization(directory).authorization);
    cleanup.defer(() => page.close());
    await Promise.race([page.opened, ending]);
    watched.child.stdin?.write('root\r');
    await Promise.race([watched.until(/Password:/), ending]);
    await Promise.race([page.until(/Password:/), ending]);

    await tink(server, 'rescue', demo.name);
    await Promise.race([watched.until(/rescue: a root shell is on each console/), ending]);
    watched.child.stdin?.write('mount /dev/vda1 /mnt && echo "its name is $(cat /mnt/etc/hostname)"\r');
    await Promise.race([watched.until(/its name is machine-1/), ending]);
    await tink(server, 'power', 'off', demo.name);
    assert.equal(machine.isOn(), false);
  },
};
