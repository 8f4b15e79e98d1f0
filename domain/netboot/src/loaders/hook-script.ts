import { line, word, words, type ScriptLine } from '@tinkerbell/ipxe';
import { kernelArgumentsFor, type KernelArgument } from './kernel-arguments.ts';
import { loadingLines, syslogLines } from './kernel-loading.ts';
import type { Reservation } from '../dhcp/reservation.ts';
import type { HookScriptSettings } from '../settings.ts';

/**
 * Returns the script that loads the in-memory OS. Lines and arguments are the same as upstream's (smee/internal/ipxe/script),
 * because agents and images read these kernel arguments.
 */
export function hookScript(reservation: Reservation, settings: HookScriptSettings): readonly ScriptLine[] {
  return [
    ...syslogLines(settings.syslogHost),
    line``,
    line`echo Loading the Tinkerbell Hook iPXE script...`,
    line``,
    ...settingLines(reservation, settings),
    line``,
    ...loadingLines(kernelCommand(reservation, settings)),
  ];
}

function settingLines(
  { path, architecture, osie }: Reservation,
  settings: HookScriptSettings,
): readonly ScriptLine[] {
  const where = `${path}.netboot.osie`;
  const own = { url: osie.baseURL ?? '', kernel: osie.kernel ?? '', initrd: osie.initrd ?? '' };
  const url = own.url === '' ? word('osie url', settings.osieUrl) : word(`${where}.baseURL`, own.url);
  return [
    line`set arch ${word(`${path}.dhcp.arch`, architecture)}`,
    line`set download-url ${url}`,
    own.kernel === ''
      ? line`set kernel ${word('kernel name', settings.kernelName ?? 'vmlinuz')}-\${arch}`
      : line`set kernel ${word(`${where}.kernel`, own.kernel)}`,
    own.initrd === ''
      ? line`set initrd ${word('initrd name', settings.initrdName ?? 'initramfs')}-\${arch}`
      : line`set initrd ${word(`${where}.initrd`, own.initrd)}`,
    line`set retries:int32 ${word('retries', `${settings.retries}`)}`,
    line`set retry_delay:int32 ${word('retry delay', `${settings.retryDelaySeconds}`)}`,
  ];
}

function kernelCommand(reservation: Reservation, settings: HookScriptSettings): readonly ScriptLine[] {
  const { identity, rest } = kernelArgumentsFor(reservation, settings);
  return [
    line`kernel \${download-url}/\${kernel}`,
    ...identity.map(argumentLine),
    line`initrd=\${initrd}`,
    ...rest.map(argumentLine),
  ];
}

function argumentLine({ name, field, value, mayHoldSpaces }: KernelArgument): ScriptLine {
  const checked = mayHoldSpaces ? words(field, value) : word(field, value);
  return name === '' ? line`${checked}` : line`${word('name', name)}=${checked}`;
}
