import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RESCUE_ANNOTATION, type Hardware } from '@tinkerbell/resources';
import type { View } from '@tinkerbell/store-contract';
import { mac, type Mac } from '@tinkerbell/wire';
import { fixedView, furtherMachine, machine, MAC, rackConfig, workflow } from '../testing/rack.ts';
import { createScriptChoice } from './script-choice.ts';

/** Returns the name of the script, or the reason, for a MAC that asks while the view is each of these in turn. */
function answersFrom(views: readonly View[], macs: readonly Mac[] = [mac(MAC)]): readonly string[] {
  let [view = fixedView([])] = views;
  const live: View = {
    ...view,
    hardwareByMac: (asked) => view.hardwareByMac(asked),
    workflowsByHardware: (namespace, name) => view.workflowsByHardware(namespace, name),
  };
  const choose = createScriptChoice(live, rackConfig());
  return views.flatMap((next) => {
    view = next;
    // Twice, because the second answer is one that was kept.
    return [...macs, ...macs].map((asked) => {
      const decision = choose(asked, '192.0.2.1');
      return decision.kind === 'script' ? decision.name : decision.reason;
    });
  });
}

test('the script is of the present version of the Hardware and the present state of its workflows', () => {
  const hardware = machine();
  const annotations = { [RESCUE_ANNOTATION]: 'true' };
  const rescued: Hardware = { ...hardware, metadata: { ...hardware.metadata, annotations } };
  const [working, done] = [[workflow('RUNNING')], [workflow('SUCCESS')]];
  const views = [
    fixedView([hardware], working),
    fixedView([hardware], done),
    fixedView([rescued], done),
    fixedView([hardware], working),
    fixedView([]),
  ];
  const expected = ['hook', 'local-boot', 'rescue', 'hook', 'no-hardware'];
  assert.deepEqual(
    answersFrom(views),
    expected.flatMap((each) => [each, each]),
  );
});

test('a machine is refused from when another Hardware has its MAC too', () => {
  const [one, other] = [machine(), { ...machine(), metadata: { name: 'other', namespace: 'default' } }];
  const answers = answersFrom([fixedView([one]), fixedView([one, other])]);
  assert.deepEqual(answers, ['hook', 'hook', 'several-hardware', 'several-hardware']);
});

test('each network interface of a Hardware has its own script', () => {
  const hardware = machine();
  const interfaces = [
    ...(hardware.spec?.interfaces ?? []),
    ...(furtherMachine(1).spec?.interfaces ?? []).map((one) => ({ ...one, netboot: { allowPXE: false } })),
  ];
  const view = fixedView([{ ...hardware, spec: { interfaces } }]);
  const answers = answersFrom([view], [mac(MAC), mac('02:00:5e:11:00:01')]);
  assert.deepEqual(answers, ['hook', 'local-boot', 'hook', 'local-boot']);
});

test('a token takes the first place of the placeholder, and the text around it stays', () => {
  const { hook, ...config } = rackConfig();
  const extraKernelArguments = ['own=__boot_token__', 'last=1'];
  const textWith = (token: string): string => {
    const settings = { ...config, hook: { ...hook, extraKernelArguments } };
    const choose = createScriptChoice(fixedView([machine()]), settings, { tokenFor: () => token });
    const decision = choose(mac(MAC), '192.0.2.1');
    return decision.kind === 'script' ? decision.text : decision.reason;
  };
  const text = textWith('T1');
  assert.match(text, /^#!ipxe\n[^]*tinkerbell_boot_token=T1 [^]*own=__boot_token__ [^]*last=1[^]*exit\n$/);
  assert.equal(text.replace('T1', ''), textWith(''));
});
