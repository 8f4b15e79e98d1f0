/**
 * Tests every folder of examples/. Together they use what the public templates of upstream's documentation
 * use. Each is rendered, and compared with the workflow that upstream's rules make of it
 * (test/testdata/examples, written by hand).
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { templatePlatform } from '@tinkerbell/platform-template';
import {
  validateManifest,
  type Hardware,
  type Resource,
  type Template,
  type Workflow,
} from '@tinkerbell/resources';
import {
  renderTemplate,
  type ActionDefinition,
  type TaskDefinition,
  type WorkflowDefinition,
} from '@tinkerbell/template';
import { parseYaml, toJson, type Json } from '@tinkerbell/yaml';
import { goHardware } from './template-differential/go-hardware.ts';
import { goIsMissing, renderWithGo } from './template-differential/go-renderer.ts';

const EXAMPLES = join(import.meta.dirname, '../../examples');
const EXPECTED = join(import.meta.dirname, '../testdata/examples');

const allFolders = readdirSync(EXAMPLES, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
  .toSorted();
const hasTemplate = (folder: string) => existsSync(join(EXAMPLES, folder, 'template.yaml'));
const folders = allFolders.filter(hasTemplate);
/** Those whose machine runs an iPXE script of its own, and no agent. */
const scriptFolders = allFolders.filter((folder) => !hasTemplate(folder));

interface Example {
  readonly hardware: Hardware;
  readonly template: Template;
  readonly workflow: Workflow;
}

function objectsIn(folder: string, file: string): readonly Resource[] {
  const validated = validateManifest(readFileSync(join(EXAMPLES, folder, file), 'utf8'), file);
  assert.ok(validated.ok, JSON.stringify(validated));
  return validated.objects.map(({ resource }) => resource);
}

function objectOf(folder: string, file: string): Resource {
  const [object, ...others] = objectsIn(folder, file);
  assert.deepEqual(others, [], `${folder}/${file} has one object`);
  return object ?? assert.fail();
}

/** One for each Workflow. Those of a site may use the Template of another folder. */
function examplesIn(folder: string): readonly Example[] {
  const machines = objectsIn(folder, 'hardware.yaml') as Hardware[];
  return (objectsIn(folder, 'workflow.yaml') as Workflow[]).map((workflow) => {
    const { templateRef = '', hardwareRef } = workflow.spec ?? {};
    const hardware = machines.find(({ metadata }) => metadata.name === hardwareRef);
    assert.ok(hardware !== undefined, `${folder} has no Hardware ${hardwareRef}`);
    return { hardware, template: objectOf(templateRef, 'template.yaml') as Template, workflow };
  });
}

function exampleIn(folder: string): Example {
  return examplesIn(folder)[0] ?? assert.fail();
}

function rendered({ hardware, template, workflow }: Example) {
  const { hardwareMap } = workflow.spec ?? {};
  const result = renderTemplate({
    templateName: workflow.metadata.name,
    text: template.spec?.data ?? '',
    hardware,
    hardwareMap,
    platform: templatePlatform,
  });
  assert.ok(result.ok, JSON.stringify(result));
  return result;
}

function expectedOf(folder: string): readonly Json[] {
  const parsed = parseYaml(readFileSync(join(EXPECTED, `${folder}.yaml`), 'utf8'));
  assert.ok(parsed.ok, JSON.stringify(parsed));
  return parsed.documents.map((document) => toJson(document));
}

/** Returns the workflow with the names of the YAML, without empty fields. */
function asYaml({ name, globalTimeoutSeconds, tasks }: WorkflowDefinition): object {
  return { name, global_timeout: globalTimeoutSeconds, tasks: tasks.map(taskAsYaml) };
}

function taskAsYaml({ environment, actions, ...rest }: TaskDefinition): object {
  return withoutEmpty({
    ...rest,
    environment: Object.fromEntries(environment),
    actions: actions.map(actionAsYaml),
  });
}

function actionAsYaml({ environment, namespaces, timeoutSeconds, ...rest }: ActionDefinition): object {
  return withoutEmpty({
    ...rest,
    timeout: timeoutSeconds,
    environment: Object.fromEntries(environment),
    namespaces: withoutEmpty(namespaces),
  });
}

function withoutEmpty(fields: object): object {
  const isEmpty = (value: unknown) =>
    value === '' || value === 0 || (typeof value === 'object' && Object.keys(value ?? {}).length === 0);
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => !isEmpty(value)));
}

test('README.md lists every example with where it runs, and each has a page and its workflow in testdata', () => {
  const readme = readFileSync(join(EXAMPLES, 'README.md'), 'utf8');
  const told = [...readme.matchAll(/^\| \[([^\]]+)\]\(\1\) \|/gm)].map(([, name]) => name);
  assert.deepEqual(told, allFolders);
  const places = [...readme.matchAll(/^\| `([^`]+)` \| (real image|stand-in|rendered only)/gm)];
  assert.deepEqual(
    places.map(([, name]) => name),
    allFolders,
  );
  for (const folder of allFolders) {
    const page = readFileSync(join(EXAMPLES, folder, 'README.md'), 'utf8');
    for (const part of ['## Image', '## What was tried'])
      assert.ok(page.includes(part), `${folder}: ${part}`);
  }
  const expected = readdirSync(EXPECTED).map((file) => file.replace(/\.yaml$/, ''));
  assert.deepEqual(expected.toSorted(), folders);
});

for (const folder of folders)
  test(`${folder} is valid and renders to the same workflow as upstream`, () => {
    const examples = examplesIn(folder);
    assert.equal(objectOf(folder, 'template.yaml').metadata.name, folder);
    for (const { template, workflow } of examples)
      assert.equal(template.metadata.name, workflow.spec?.templateRef);
    assert.ok(examples.some(({ template }) => template.metadata.name === folder));
    assert.equal(objectsIn(folder, 'hardware.yaml').length, examples.length);
    assert.deepEqual(
      examples.map((example) => asYaml(rendered(example).workflow)),
      expectedOf(folder),
    );
  });

for (const folder of scriptFolders)
  test(`${folder} is valid and brings its own iPXE script`, () => {
    const hardware = objectOf(folder, 'hardware.yaml') as Hardware;
    const [first] = hardware.spec?.interfaces ?? [];
    assert.match(first?.netboot?.ipxe?.contents ?? '', /^#!ipxe\n(?:.*\n)*(chain|boot)\b/);
  });

test("every template gives the same text as Go's text/template", { skip: goIsMissing() ?? false }, () => {
  const examples = folders.flatMap((folder) => [...examplesIn(folder), ...otherMachines(folder)]);
  const requests = examples.map(({ hardware, template, workflow }) => ({
    template: template.spec?.data ?? '',
    data: { ...workflow.spec?.hardwareMap, hardware, Hardware: goHardware(hardware) },
  }));
  assert.deepEqual(
    renderWithGo(requests),
    examples.map((example) => ({ output: rendered(example).text })),
  );
});

/** The other branches of the templates. */
function otherMachines(folder: string): readonly Example[] {
  const example = exampleIn(folder);
  const { hardware, workflow } = example;
  const mapped = (values: Readonly<Record<string, string>>): Example => ({
    ...example,
    workflow: {
      ...workflow,
      spec: { ...workflow.spec, hardwareMap: { ...workflow.spec?.hardwareMap, ...values } },
    },
  });
  if (folder === 'erase') return [mapped({ keep_image: 'no' })];
  if (folder === 'rescue') return [mapped({ authorized_key: '' })];
  if (folder === 'talos-netboot') return [mapped({ wipe: 'yes' })];
  if (folder === 'vyos') return [mapped({ config_boot: "system {\n    host-name 'r1'\n}\n" })];
  if (folder === 'hello-world') return [mapped({ device_1: '52:54:00:00:00:01', shift: 'day' })];
  if (folder !== 'ubuntu') return [];
  return ['arm64', 'AARCH64'].map((arch) => ({
    ...example,
    hardware: { ...hardware, spec: { ...hardware.spec, interfaces: [{ dhcp: { arch } }] } },
  }));
}

function actionsOf(example: Example | undefined): readonly ActionDefinition[] {
  assert.ok(example !== undefined);
  return rendered(example).workflow.tasks.flatMap(({ actions }) => actions);
}

test('ubuntu restarts an ARM machine where it uses kexec on others', () => {
  for (const example of otherMachines('ubuntu')) {
    const actions = actionsOf(example);
    assert.match(actions[0]?.environment.get('IMG_URL') ?? '', /-arm64\.raw\.gz$/);
    const { environment, ...last } = actions.at(-1) ?? assert.fail();
    assert.deepEqual([last.name, last.command], ['restart into ubuntu', ['reboot']]);
    assert.deepEqual(Object.fromEntries(environment), { IMAGE: 'alpine:latest', WAIT_SECONDS: '5' });
  }
});

test('erase without keep_image, and hello-world by day on a real machine', () => {
  const names = (folder: string) => actionsOf(otherMachines(folder)[0]).map(({ name }) => name);
  assert.deepEqual(names('erase'), ['erase disk 1 of 3', 'erase disk 2 of 3', 'erase disk 3 of 3']);
  assert.deepEqual(names('hello-world'), ['say_hello', 'say_goodbye']);
  const goodbye = actionsOf(otherMachines('hello-world')[0]).at(-1);
  assert.deepEqual(goodbye?.command, ['echo', 'goodbye']);
  assert.deepEqual(Object.fromEntries(goodbye?.environment ?? []), {
    GREETING: 'see you',
    NIGHT: 'false',
    LAST_DIGITS: 'false',
  });
});

test('tink reports all objects of all examples as valid', () => {
  const tink = join(import.meta.dirname, '../../apps/tink/src/main.mjs');
  const out = execFileSync(process.execPath, [tink, 'apply', '--validate-only', '-R', '-f', EXAMPLES], {
    encoding: 'utf8',
  });
  const files = ['hardware.yaml', 'template.yaml', 'workflow.yaml'];
  const objects = folders.flatMap((folder) => files.flatMap((file) => objectsIn(folder, file)));
  assert.equal(out, `${objects.length + scriptFolders.length} objects are valid\n`);
});
