/** What a BMC Task asks for, as a value without options that contradict each other. */
import type { BmcAction } from '@tinkerbell/resources';
import { bootDevices, type BootSetting, type PowerOperation } from '../machine-state.ts';

/** The device of HTTP boot. Upstream does not have it. */
const HTTP = 'http';
/** HttpBootUri has no limit in Redfish. Firmware keeps it in a variable, with room for far less than the variable store has. */
const HTTP_URL_MAX = 2000;

export type BmcOperation =
  | { readonly kind: 'power'; readonly operation: PowerOperation }
  | { readonly kind: 'power-status' }
  | { readonly kind: 'boot-device'; readonly setting: BootSetting }
  /** Without a URL, ejects. */
  | { readonly kind: 'virtual-media'; readonly url?: string };

export type OperationResult =
  | { readonly ok: true; readonly operation: BmcOperation }
  | { readonly ok: false; readonly message: string };

/** The message names the field of the Task. */
export function operationOf(action: BmcAction): OperationResult {
  const { powerAction, bootDevice, oneTimeBootDeviceAction: once, virtualMediaAction: media } = action;
  if (powerAction === 'status') return { ok: true, operation: { kind: 'power-status' } };
  if (powerAction !== undefined) return { ok: true, operation: { kind: 'power', operation: powerAction } };
  if (bootDevice !== undefined) return bootDeviceOperation(bootDevice);
  if (once !== undefined) {
    const {
      device: [device = ''],
      efiBoot = false,
    } = once;
    return bootOperation('oneTimeBootDeviceAction.device[0]', { device, efiBoot, persistent: false });
  }
  if (media !== undefined) return mediaOperation(media);
  const message = 'the Task has no operation; set powerAction, bootDevice or virtualMediaAction';
  return { ok: false, message };
}

type BootDeviceAction = NonNullable<BmcAction['bootDevice']>;

function bootDeviceOperation(action: BootDeviceAction): OperationResult {
  const { device = '', efiBoot = false, persistent = false, httpBootURL } = action;
  if (device.toLowerCase() === HTTP || httpBootURL !== undefined) return httpOperation(action);
  return bootOperation('bootDevice.device', { device, efiBoot, persistent }, [...bootDevices, HTTP]);
}

/** HTTP boot is a part of UEFI, so `efiBoot` has no effect. */
function httpOperation({
  device = '',
  persistent = false,
  httpBootURL: url = '',
}: BootDeviceAction): OperationResult {
  if (device.toLowerCase() !== HTTP)
    return {
      ok: false,
      message: `bootDevice.httpBootURL: needs the device http, not ${JSON.stringify(device)}`,
    };
  if (!isHttpUrl(url)) {
    const shown = JSON.stringify(url.slice(0, 100));
    const message = `bootDevice.httpBootURL: ${shown}: must be an http or https URL of at most ${HTTP_URL_MAX} ASCII characters`;
    return { ok: false, message };
  }
  const setting = { device: 'pxe', persistent, efiBoot: true, httpBootUri: url } as const;
  return { ok: true, operation: { kind: 'boot-device', setting } };
}

/** As firmware takes it: without spaces and a user, and already encoded. */
function isHttpUrl(text: string): boolean {
  return text.length <= HTTP_URL_MAX && /^https?:\/\/[\w.:[\]-]+(\/[\x21-\x7e]*)?$/.test(text);
}

function bootOperation(
  field: string,
  setting: Omit<BootSetting, 'device'> & { readonly device: string },
  devices: readonly string[] = bootDevices,
): OperationResult {
  const device = bootDevices.find((one) => one === setting.device.toLowerCase());
  if (device !== undefined)
    return { ok: true, operation: { kind: 'boot-device', setting: { ...setting, device } } };
  const message = `${field}: ${JSON.stringify(setting.device)}: must be one of ${devices.join(', ')}`;
  return { ok: false, message };
}

function mediaOperation({ kind, mediaURL = '' }: { kind: string; mediaURL?: string }): OperationResult {
  if (kind.toUpperCase() !== 'CD') {
    const message = `virtualMediaAction.kind: ${JSON.stringify(kind)}: must be CD`;
    return { ok: false, message };
  }
  return { ok: true, operation: { kind: 'virtual-media', ...(mediaURL === '' ? {} : { url: mediaURL }) } };
}

/** One line for a person: `power on`, `boot from pxe once (UEFI)`, `insert http://…`. */
export function describeOperation(operation: BmcOperation): string {
  switch (operation.kind) {
    case 'power':
      return `power ${operation.operation}`;
    case 'power-status':
      return 'read the power state';
    case 'boot-device':
      return `boot from ${describeBootSetting(operation.setting)}`;
    case 'virtual-media':
      return operation.url === undefined ? 'eject the virtual CD' : `insert ${operation.url}`;
  }
}

/** `pxe once (UEFI)`. */
export function describeBootSetting({ device, persistent, efiBoot, httpBootUri }: BootSetting): string {
  return `${httpBootUri ?? device} ${persistent ? 'always' : 'once'} (${efiBoot ? 'UEFI' : 'BIOS'})`;
}
