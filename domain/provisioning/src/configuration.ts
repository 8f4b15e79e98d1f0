/** The settings of a Hardware that a caller may change. */
import type { Hardware, HardwareSpec, NetworkInterface } from '@tinkerbell/resources';
import type { Configuration } from './request.ts';

/** Returns the Hardware with the configuration merged in. The host name and the flags apply to every network interface. */
export function configured(hardware: Hardware, config: Configuration): Hardware {
  const { hostname, user_data: userData, vendor_data: vendorData } = config;
  let spec: HardwareSpec = { ...hardware.spec };
  spec = merged(spec, { userData, vendorData });
  if (hostname !== undefined) spec = withHostname(spec, hostname);
  if (spec.interfaces !== undefined)
    spec = { ...spec, interfaces: spec.interfaces.map((one) => withConfiguration(one, config)) };
  return { ...hardware, spec };
}

/** Returns the current values of these settings. The host name is that of the instance, else that of DHCP. */
export function configurationOf({ spec = {} }: Hardware): Configuration {
  const [first = {}] = spec.interfaces ?? [];
  const { allowPXE, allowWorkflow } = first.netboot ?? {};
  const known: Configuration = {};
  return merged(known, {
    user_data: spec.userData,
    vendor_data: spec.vendorData,
    hostname: spec.metadata?.instance?.hostname ?? first.dhcp?.hostname,
    allow_pxe: allowPXE,
    allow_workflow: allowWorkflow,
  });
}

function withHostname(spec: HardwareSpec, hostname: string | null): HardwareSpec {
  const instance = merged({ ...spec.metadata?.instance }, { hostname });
  if (hostname === null && spec.metadata?.instance === undefined) return spec;
  return { ...spec, metadata: { ...spec.metadata, instance } };
}

function withConfiguration(one: NetworkInterface, config: Configuration): NetworkInterface {
  const { hostname, allow_pxe: allowPXE, allow_workflow: allowWorkflow } = config;
  const setsFlag = [allowPXE, allowWorkflow].some((flag) => flag !== undefined && flag !== null);
  return {
    ...one,
    ...(one.dhcp === undefined ? {} : { dhcp: merged(one.dhcp, { hostname }) }),
    ...(one.netboot === undefined && !setsFlag
      ? {}
      : { netboot: merged({ ...one.netboot }, { allowPXE, allowWorkflow }) }),
  };
}

/** Undefined keeps the value, null removes it (RFC 7396). */
function merged<Of extends object>(object: Of, changes: Readonly<Record<string, unknown>>): Of;
// TypeScript does not follow the types of fields through their entries.
function merged(object: object, changes: Readonly<Record<string, unknown>>): object {
  const entries = Object.entries(changes).filter(([, value]) => value !== undefined);
  const all = { ...object, ...Object.fromEntries(entries) };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null));
}
