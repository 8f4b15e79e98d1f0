import type { Reservation } from '../dhcp/reservation.ts';
import type { HookScriptSettings } from '../settings.ts';

/** One kernel argument of the in-memory OS, `name=value`, or free text without a name. */
export interface KernelArgument {
  readonly name: string;
  readonly value: string;
  /** The source of the value. Errors about the value name it. */
  readonly field: string;
  /** True where an operator's value may contain several words. */
  readonly mayHoldSpaces: boolean;
}

/**
 * Returns the arguments of the in-memory OS in upstream's order (smee/internal/ipxe/script), because agents and images read them.
 * `identity` comes before the boot loader's own `initrd=`, and `rest` after it: consoles, then the operator's arguments.
 */
export function kernelArgumentsFor(
  { path, vlanId, facility, mac, agentId, osie, isRescue }: Reservation,
  settings: HookScriptSettings,
): { readonly identity: readonly KernelArgument[]; readonly rest: readonly KernelArgument[] } {
  const vlan = vlanId === '' ? [] : [argument('vlan_id', `${path}.dhcp.vlan_id`, vlanId)];
  const identity = [
    ...vlan,
    {
      ...argument('facility', 'spec.metadata.facility.facility_code', facility),
      mayHoldSpaces: true,
    },
    argument('syslog_host', 'syslog host', settings.syslogHost ?? ''),
    argument('grpc_authority', 'grpc authority', settings.grpcAuthority),
    argument('tinkerbell_tls', 'tls', `${settings.tls}`),
    argument('tinkerbell_insecure_tls', 'insecure tls', `${settings.insecureTls}`),
    argument('worker_id', 'spec.agentID', agentId),
    argument('hw_addr', 'mac', mac),
    argument('modules', 'modules', 'loop,squashfs,sd-mod,usb-storage'),
    argument('intel_iommu', 'iommu', 'on'),
    argument('iommu', 'iommu', 'pt'),
    ...(settings.bootToken === undefined || isRescue
      ? []
      : [argument('tinkerbell_boot_token', 'boot token', settings.bootToken)]),
    ...(settings.namesHookUrl === true ? [hookUrlOf({ path, osie }, settings)] : []),
    ...(settings.registryMirrors === undefined
      ? []
      : [argument('registry_mirrors', 'registry mirrors', settings.registryMirrors)]),
  ];
  const rest = [
    ...(isRescue ? [free('rescue', 'tink.rescue')] : []),
    argument('console', 'console', 'tty0'),
    argument('console', 'console', 'ttyS1,115200'),
    ...settings.extraKernelArguments.map((each, index) => free(`extra kernel arguments[${index}]`, each)),
    ...(osie.kernelParams ?? []).map((each, index) =>
      free(`${path}.netboot.osie.kernelParams[${index}]`, each),
    ),
  ];
  return { identity, rest };
}

function hookUrlOf(
  { path, osie }: Pick<Reservation, 'path' | 'osie'>,
  { osieUrl }: HookScriptSettings,
): KernelArgument {
  const own = osie.baseURL ?? '';
  return own === ''
    ? argument('hook_url', 'osie url', osieUrl)
    : argument('hook_url', `${path}.netboot.osie.baseURL`, own);
}

function argument(name: string, field: string, value: string): KernelArgument {
  return { name, field, value, mayHoldSpaces: false };
}

function free(field: string, value: string): KernelArgument {
  return { name: '', field, value, mayHoldSpaces: true };
}
