import { line, word, words, type ScriptLine } from '@tinkerbell/ipxe';
import { loadingLines, syslogLines } from './kernel-loading.ts';
import type { Reservation } from './reservation.ts';
import type { HookScriptSettings } from './settings.ts';

/**
 * The script that loads the in-memory OS, line by line and argument by argument as upstream generates it
 * (smee/internal/ipxe/script): agents and images read these kernel arguments.
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
  const { path, vlanId, facility, mac, agentId, osie } = reservation;
  const vlan = vlanId === '' ? [] : [line`vlan_id=${word(`${path}.dhcp.vlan_id`, vlanId)}`];
  const ownParameters = osie.kernelParams ?? [];
  return [
    line`kernel \${download-url}/\${kernel}`,
    ...vlan,
    line`facility=${words('spec.metadata.facility.facility_code', facility)}`,
    line`syslog_host=${word('syslog host', settings.syslogHost ?? '')}`,
    line`grpc_authority=${word('grpc authority', settings.grpcAuthority)}`,
    line`tinkerbell_tls=${word('tls', `${settings.tls}`)}`,
    line`tinkerbell_insecure_tls=${word('insecure tls', `${settings.insecureTls}`)}`,
    line`worker_id=${word('spec.agentID', agentId)}`,
    line`hw_addr=${word('mac', mac)}`,
    line`modules=loop,squashfs,sd-mod,usb-storage`,
    line`intel_iommu=on`,
    line`iommu=pt`,
    line`initrd=\${initrd}`,
    line`console=tty0`,
    line`console=ttyS1,115200`,
    ...settings.extraKernelArguments.map(
      (each, index) => line`${words(`extra kernel arguments[${index}]`, each)}`,
    ),
    ...ownParameters.map(
      (each, index) => line`${words(`${path}.netboot.osie.kernelParams[${index}]`, each)}`,
    ),
  ];
}
