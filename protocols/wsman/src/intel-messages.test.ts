/** Requests beside those of Intel's own library (Device Management Toolkit). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  bootConfiguration,
  bootOrderRequest,
  bootRoleRequest,
  amtClass,
  encodeRequest,
  parseXml,
  powerRequest,
} from './index.ts';
import type { Instance, WsmanOperation, XmlElement } from './index.ts';

interface Messages {
  readonly AMT: { readonly Messages: new () => { readonly BootSettingData: { Get(): string } } };
  readonly CIM: {
    readonly Messages: new () => {
      readonly PowerManagementService: { RequestPowerStateChange(state: number): string };
      readonly BootConfigSetting: { ChangeBootOrder(source?: string): string };
      readonly BootService: { SetBootConfigRole(instance: string, role: number): string };
      readonly Chassis: { Enumerate(): string; Pull(context: string): string };
    };
  };
}
const { AMT, CIM } = (await import('@device-management-toolkit/wsman-messages')) as unknown as Messages;
const [amt, cim] = [new AMT.Messages(), new CIM.Messages()];

/** Intel's library does not use the anonymous address in references, and leaves out the selectors of the only instance. */
const IGNORED = new Set(['MessageID', 'OperationTimeout', 'Address', 'ReplyTo']);

/** Paths with their text, such as `Envelope/Body/…/PowerState=2`. */
function linesOf(text: string): readonly string[] {
  const parsed = parseXml(text);
  assert.ok(parsed.ok);
  const lines: string[] = [];
  const visit = ({ name, attributes, children, text: own }: XmlElement, path: string): void => {
    if (IGNORED.has(name) || (name === 'SelectorSet' && path.endsWith('Header/'))) return;
    const selector = attributes['Name'] === undefined ? '' : `[${attributes['Name']}]`;
    lines.push(`${path}${name}${selector}=${own}`);
    for (const child of children) visit(child, `${path}${name}/`);
  };
  visit(parsed.value, '');
  return lines;
}

const source = 'Intel(r) AMT: Force PXE Boot';
const requests: readonly (readonly [
  name: string,
  theirs: string,
  instance: Instance,
  operation: WsmanOperation,
])[] = [
  [
    'power on',
    cim.PowerManagementService.RequestPowerStateChange(2),
    { resource: amtClass.power },
    powerRequest('on'),
  ],
  [
    'power off',
    cim.PowerManagementService.RequestPowerStateChange(8),
    { resource: amtClass.power },
    powerRequest('off'),
  ],
  [
    'boot from the network',
    cim.BootConfigSetting.ChangeBootOrder(source),
    bootConfiguration,
    bootOrderRequest('pxe'),
  ],
  ['boot as usual', cim.BootConfigSetting.ChangeBootOrder(), bootConfiguration, bootOrderRequest(undefined)],
  [
    'for the next boot',
    cim.BootService.SetBootConfigRole('Intel(r) AMT: Boot Configuration 0', 1),
    { resource: amtClass.bootService },
    bootRoleRequest('next-boot'),
  ],
  ['boot settings', amt.BootSettingData.Get(), { resource: amtClass.bootSettings }, { kind: 'get' }],
  ['enumerate', cim.Chassis.Enumerate(), { resource: amtClass.chassis }, { kind: 'enumerate' }],
  ['pull', cim.Chassis.Pull('7'), { resource: amtClass.chassis }, { kind: 'pull', context: '7' }],
];

for (const [name, theirs, instance, operation] of requests)
  test(`${name}: as Intel's library`, () => {
    const ours = encodeRequest({ ...instance, operation, messageId: 1, timeoutSeconds: 60 });
    assert.deepEqual(linesOf(ours), linesOf(theirs));
  });
