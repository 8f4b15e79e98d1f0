import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BUILT_IN_ACTIONS, renderText, templateData } from '@tinkerbell/template';
import { templateCompletion } from './completions.ts';

const textsFor = (before: string): readonly string[] =>
  (templateCompletion(before)?.items ?? []).map(({ text }) => text);

test('inside of braces, fields of the machine and functions are offered', () => {
  assert.ok(textsFor('worker: "{{ .dev').includes('.device_1'));
  assert.equal(templateCompletion('worker: "{{ .dev')?.typed, '.dev');
  assert.ok(textsFor('x: {{ .Hardware.D').includes('.Hardware.Disks'));
  assert.equal(textsFor('x: {{ toY')[0], 'toYaml');
  assert.ok(textsFor('{{ .hardware.metadata.name }} {{- host').some((text) => text.includes('Hostname')));
  assert.deepEqual(textsFor('x: {{ .device_1 }} na'), [], 'behind the braces');
});

test('at the start of a line, keys are offered, and images behind their key', () => {
  assert.equal(textsFor('    act')[0], 'actions:');
  assert.equal(textsFor('  - na')[0], 'name: ');
  assert.ok(textsFor('   image: wr').includes('quay.io/tinkerbell/actions/writefile:latest'));
  assert.ok(textsFor('   image: quay.io/ti').length > 5);
  assert.deepEqual(textsFor('   timeout: 3'), []);
});

test('every expression that is offered renders, and every image is built in', () => {
  const hardware = {
    metadata: { name: 'm1', namespace: 'lab', labels: { rack: 'r1' } },
    spec: {
      userData: 'x',
      vendorData: 'y',
      metadata: {},
      disks: [{ device: '/dev/sda' }],
      interfaces: [{ dhcp: { mac: '52:54:00:00:00:01', hostname: 'm1', ip: { address: '192.0.2.1' } } }],
    },
  };
  const data = templateData(hardware, { device_1: 'agent' }, {});
  const offered = new Set('abcdefghijklmnopqrstuvwxyz.('.split('').flatMap((one) => textsFor(`{{ ${one}`)));
  const fields = [...offered].filter((text) => /[.(]/.test(text));
  assert.ok(fields.length > 10);
  for (const text of fields) {
    const rendered = renderText({ templateName: 't', text: `{{ ${text} }}` }, data);
    assert.ok(rendered.ok, `${text}: ${rendered.ok ? '' : rendered.error.message}`);
  }
  const calls: Readonly<Record<string, string>> = {
    if: 'if true }}{{ end',
    range: 'range (until 1) }}{{ end',
    with: 'with 1 }}{{ end',
  };
  for (const text of [...offered].filter((one) => !/[.(]/.test(one) && one !== 'else' && one !== 'end')) {
    const rendered = renderText({ templateName: 't', text: `{{ ${calls[text] ?? text} }}` }, data);
    const message = rendered.ok ? '' : rendered.error.message;
    assert.doesNotMatch(message, /not defined/, text);
  }
  for (const text of ['i', 'o', 'w', 'r', 'l', 'm', 'v', 'b', 'e', 'k', 'g', 'c', 'a', 'q'].flatMap((one) =>
    textsFor(`image: ${one}`),
  ))
    assert.ok(BUILT_IN_ACTIONS.includes(/([^/:]+):latest$/.exec(text)?.[1] ?? ''), text);
});
