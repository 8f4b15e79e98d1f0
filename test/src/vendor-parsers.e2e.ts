/**
 * What the server serves to installers is read by the parsers of those systems: Talos' machinery, Ignition, ksvalidator,
 * cloud-init and netplan. Each of them must also refuse a document with a mistake.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pythonPackages } from '@tinkerbell/engine-bmc/testing/python-packages';
import { templatePlatform } from '@tinkerbell/platform-template';
import { renderTemplate } from '@tinkerbell/template';
import { parseYaml, stringifyYaml, toJson } from '@tinkerbell/yaml';
import { exampleObjects } from './actions/example-objects.ts';
import { checkUserData, generatedByNetplan, whyNoDebianParsers } from './vendor-parsers/debian-parsers.ts';
import { goParsers } from './vendor-parsers/go-parsers.ts';
import { serveExamples, type ServedDocuments } from './vendor-parsers/served-documents.ts';

const FOLDERS = [
  'talos',
  'talos-netboot',
  'coreos',
  'fedora',
  'esxi',
  'harvester',
  'ubuntu-autoinstall',
  'vyos',
];
const pykickstart = pythonPackages('pykickstart', ['pykickstart==3.78']);

const parsers = await goParsers();
const noDebian = (await whyNoDebianParsers()) ?? false;
const noKickstart = (await pykickstart.whyAbsent()) ?? false;

describe("documents of installers, read by the systems' own parsers", () => {
  let served: ServedDocuments;
  const directory = mkdtempSync(join(tmpdir(), 'vendor-parsers-'));
  before(async () => {
    served = await serveExamples(FOLDERS);
  });
  after(async () => {
    await served[Symbol.asyncDispose]();
    rmSync(directory, { recursive: true });
  });

  const problemsOf = (name: 'ignition' | 'talos', input: string): string => {
    assert.ok(parsers.skip === false);
    const { status, stdout, stderr } = spawnSync(parsers.path(name), { input, encoding: 'utf8' });
    return status === 0 ? '' : `${stdout}${stderr}`;
  };

  for (const folder of ['talos', 'talos-netboot'])
    test(
      `${folder}: Talos' machinery accepts the machine configuration`,
      { skip: parsers.skip },
      async () => {
        const text = await served.read(folder, 'talos/config');
        assert.equal(problemsOf('talos', text), '');
        assert.match(problemsOf('talos', text.replace('install:', 'instal:')), /unknown keys found/);
        assert.match(problemsOf('talos', text.replace(/endpoint: .*/, 'endpoint: nowhere')), /endpoint/);
      },
    );

  test('coreos: Ignition accepts its configuration without a warning', { skip: parsers.skip }, async () => {
    const text = await served.read('coreos', 'ignition/config');
    assert.equal(problemsOf('ignition', text), '');
    assert.match(problemsOf('ignition', text.replace('"passwd"', '"password"')), /unused key password/);
    assert.match(problemsOf('ignition', text.replace('3.4.0', '9.9.9')), /unsupported config version/);
  });

  test('flatcar: Ignition accepts what the Workflow has', { skip: parsers.skip }, () => {
    const { workflow } = exampleObjects('flatcar', { firmware: 'uefi' });
    const { hardwareMap } = workflow['spec'] as { hardwareMap: Record<string, string> };
    const text = Buffer.from(hardwareMap['ignition'] ?? '', 'base64').toString();
    assert.equal(problemsOf('ignition', text), '');
  });

  test('fedora: ksvalidator accepts the kickstart', { skip: noKickstart }, async () => {
    const text = await served.read('fedora', 'kickstart/config');
    const validate = (content: string) => {
      const file = join(directory, 'ks.cfg');
      writeFileSync(file, content);
      const words = [join(pykickstart.bin, 'ksvalidator'), '--version', 'F42', file];
      return spawnSync(join(pykickstart.bin, 'python3'), words, { encoding: 'utf8' });
    };
    const { status, stdout, stderr } = validate(text);
    assert.equal(status, 0, `${stdout}${stderr}`);
    assert.notEqual(validate(text.replace('clearpart --all', 'clearpart --everything')).status, 0);
  });

  test('ubuntu-autoinstall: cloud-init accepts the user-data', { skip: noDebian }, async () => {
    const text = await served.read('ubuntu-autoinstall', 'nocloud/user-data');
    await checkUserData(text, directory);
    const wrong = text.replace('#cloud-config\n', '#cloud-config\nmanage_etc_hosts: localhosty\n');
    await assert.rejects(checkUserData(wrong, directory), /manage_etc_hosts: 'localhosty' is not valid/);
  });

  test('ubuntu-autoinstall: netplan generates its network', { skip: noDebian }, async () => {
    const text = await served.read('ubuntu-autoinstall', 'nocloud/user-data');
    const { autoinstall } = valueOf(text) as { autoinstall: { network: never } };
    const network = stringifyYaml({ network: autoinstall.network });
    const generated = await generatedByNetplan(network, mkdtempSync(join(directory, 'root-')));
    assert.match(generated, /PermanentMACAddress=08:00:27:9e:f5:4f[^]*DHCP=ipv4/);
    const wrong = network.replace('dhcp4', 'dhcp44');
    await assert.rejects(
      generatedByNetplan(wrong, mkdtempSync(join(directory, 'root-'))),
      /unknown key 'dhcp44'/,
    );
  });

  for (const folder of ['ubuntu', 'kubernetes-node'])
    test(`${folder}: netplan generates what the Template writes`, { skip: noDebian }, async () => {
      const generated = await generatedByNetplan(netplanOf(folder), mkdtempSync(join(directory, 'root-')));
      assert.match(generated, /\[Network\]/);
      if (folder === 'kubernetes-node') assert.match(generated, /Address=192\.168\.56\.47\/24/);
    });
});

function valueOf(text: string): unknown {
  const parsed = parseYaml(text);
  assert.ok(parsed.ok);
  const [document] = parsed.documents;
  assert.ok(document !== undefined);
  return toJson(document);
}

/** The netplan that an action writes into the image. */
function netplanOf(folder: string): string {
  const { hardware, template, workflow } = exampleObjects(folder, { firmware: 'uefi' });
  const { hardwareMap } = workflow['spec'] as { hardwareMap: Record<string, string> };
  const result = renderTemplate({
    templateName: folder,
    text: (template['spec'] as { data: string }).data,
    hardware,
    hardwareMap,
    platform: templatePlatform,
  });
  assert.ok(result.ok, JSON.stringify(result));
  const actions = result.workflow.tasks.flatMap((task) => task.actions);
  const found = actions.find(({ environment }) => environment.get('DEST_PATH')?.startsWith('/etc/netplan/'));
  return found?.environment.get('CONTENTS') ?? assert.fail(`${folder} writes no netplan`);
}
