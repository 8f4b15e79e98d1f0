import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderText, templateData, type TemplatePlatform } from './index.ts';

test('a text is parsed once, and each rendering has its own data and functions', () => {
  const text = '{{ sha256sum "x" | len }} {{ .device }}';
  const data = (device: string) => templateData(undefined, { device });
  const without = renderText({ templateName: 't', text }, data('a'));
  assert.ok(!without.ok && without.error.step === 'execute', JSON.stringify(without));
  const platform = { digest: () => new Uint8Array(32) } as unknown as TemplatePlatform;
  for (const device of ['a', 'b']) {
    const rendered = renderText({ templateName: 't', text }, data(device), { platform });
    assert.deepEqual(rendered, { ok: true, text: `64 ${device}` });
  }
});
