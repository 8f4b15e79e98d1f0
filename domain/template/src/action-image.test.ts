import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BUILT_IN_ACTIONS, foreignImageWarning, foreignImagesIn, foreignImagesOf } from './action-image.ts';
import { renderTemplate } from './render-template.ts';

const text = `name: x
tasks:
  - name: t
    worker: "{{ .device_1 }}"
    actions:
      - name: a
        image: quay.io/tinkerbell/actions/image2disk:v1
      {{- if .grub }}
      - {name: grub, image: "quay.io/tinkerbell-actions/ntfs2disk:v1.0.0"}
      {{- end }}
      - name: b
        image: {{ .registry }}/writefile:{{ .tag }}
        environment:
          CONTENTS: |
            containers:
              - image: nginx:1
      - name: c
        image: "{{ .registry }}/ntfsclone:v1"
        on-failure: [{name: e, image: parted}]
      - name: d
        image: "{{ .image }}"
`;

test('names the images in the text that are not built in, with their places', () => {
  assert.deepEqual(foreignImagesIn(text), [
    { image: 'quay.io/tinkerbell-actions/ntfs2disk:v1.0.0', line: 9, column: 29 },
    { image: '…/ntfsclone:v1', line: 18, column: 16 },
    { image: 'parted', line: 19, column: 39 },
  ]);
});

test('knows the images of expressions when the template is rendered', () => {
  const rendered = renderTemplate({
    templateName: 'x',
    text,
    hardwareMap: { device_1: 'a', grub: '', registry: 'r', tag: 'v1', image: 'r/parted:v1' },
  });
  assert.ok(rendered.ok, JSON.stringify(rendered));
  assert.deepEqual(foreignImagesOf(rendered.workflow), ['r/ntfsclone:v1', 'parted', 'r/parted:v1']);
});

test('finds no images in a text that is not YAML, is empty, or is hostile, at little cost', () => {
  for (const odd of [
    '',
    '{{',
    '{{ range . }}',
    'a: [',
    'tasks: 1',
    'tasks: [1, {actions: [2, {image: [3]}]}]',
  ])
    assert.deepEqual(foreignImagesIn(odd), []);
  const startedMs = performance.now();
  assert.deepEqual(foreignImagesIn('{{'.repeat(500_000)), []);
  assert.ok(performance.now() - startedMs < 5_000);
});

test('reports a bounded number', () => {
  const actions = Array.from({ length: 100 }, (_, index) => `{name: a${index}, image: "i${index}"}`);
  assert.equal(foreignImagesIn(`tasks: [{name: t, actions: [${actions.join()}]}]`).length, 20);
});

test('images of other documents are warnings that name the built-in action for the same task', () => {
  const instead = {
    'disk-wipe:latest': 'alpine',
    'osie-installer:latest': 'image2disk',
    'write-disk': 'image2disk',
  };
  for (const [image, action] of Object.entries(instead)) {
    assert.ok(BUILT_IN_ACTIONS.includes(action));
    assert.match(
      foreignImageWarning(image),
      new RegExp(`^use ${action} with .*cannot run the image ${image}`),
    );
  }
  assert.match(foreignImageWarning('ntfsclone:v1'), /^the agent of this server/);
});
