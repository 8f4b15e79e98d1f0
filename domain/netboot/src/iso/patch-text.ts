import { kernelArgumentsFor, type KernelArgument } from '../loaders/kernel-arguments.ts';
import { commandLineWords, LoaderValueError } from '../loaders/loader-value.ts';
import { domainSearchOf, type Reservation } from '../dhcp/reservation.ts';
import type { HookScriptSettings } from '../settings.ts';

export interface IsoPatchInput {
  readonly reservation: Reservation;
  readonly settings: HookScriptSettings;
  /** True when the machine gets its address from the image, not by DHCP (iso-static-ipam-enabled). */
  readonly staticIpam: boolean;
  /** Characters of the magic. */
  readonly charactersMax: number;
}

export type IsoPatch =
  | {
      readonly ok: true;
      readonly text: string;
      /** The server's own arguments that did not fit or that a boot loader could not read, each with the reason. */
      readonly leftOut: readonly string[];
    }
  | { readonly ok: false; readonly message: string };

const DEFAULT_CONSOLES = 'console=ttyAMA0 console=ttyS0 console=tty0 console=tty1 console=ttyS1';

/**
 * Returns the kernel arguments of a machine's image, in upstream's order (smee/internal/iso). It differs from upstream in three
 * ways: the agent's id is the Hardware's and not always the MAC, `tinkerbell_insecure_tls` is added when it is true, and so are
 * the Hardware's own kernel arguments. The latter two come last and only if they fit. A machine without an address gets no
 * `ipam`, which would leave it without network.
 */
export function isoPatchFor({ reservation, settings, staticIpam, charactersMax }: IsoPatchInput): IsoPatch {
  try {
    const words = [
      ...wordsOf(upstreamArguments(reservation, settings)),
      ...(staticIpam ? wordsOf(ipamOf(reservation)) : []),
    ];
    const length = lengthOf(words);
    if (length > charactersMax) return { ok: false, message: tooLong(length, charactersMax) };
    const leftOut: string[] = [];
    for (const extra of ownExtras(reservation, settings)) {
      const reason = addIfPossible(words, extra, charactersMax);
      if (reason !== undefined) leftOut.push(reason);
    }
    return { ok: true, text: words.join(' '), leftOut };
  } catch (error) {
    if (error instanceof LoaderValueError) return { ok: false, message: error.message };
    throw error;
  }
}

function upstreamArguments(
  reservation: Reservation,
  settings: HookScriptSettings,
): readonly KernelArgument[] {
  const { identity } = kernelArgumentsFor(reservation, settings);
  const named = (name: string) => identity.filter((each) => each.name === name);
  const { facility } = reservation;
  const consoles: KernelArgument = {
    name: '',
    value: DEFAULT_CONSOLES,
    field: 'consoles',
    mayHoldSpaces: true,
  };
  return [
    ...(facility === '' ? [] : named('facility')),
    // Upstream has no field for consoles. Consoles in the facility replace the default ones.
    ...(facility.includes('console=') ? [] : [consoles]),
    ...['vlan_id', 'hw_addr', 'syslog_host', 'grpc_authority', 'tinkerbell_tls', 'worker_id'].flatMap(named),
    ...settings.extraKernelArguments.map((value, index) => ({
      name: '',
      value,
      field: `extra kernel arguments[${index}]`,
      mayHoldSpaces: true,
    })),
  ];
}

/** `ipam=<mac>:<vlan>:<address>:<netmask>:<gateway>:<host name>:<name servers>:<search domains>:<time servers>`. */
function ipamOf(reservation: Reservation): readonly KernelArgument[] {
  const { path, mac, vlanId, address, netmask, gateway, hostName } = reservation;
  if (address === undefined) return [];
  const parts = [
    mac.replaceAll(':', '-'),
    ipamPart(`${path}.dhcp.vlan_id`, vlanId),
    address,
    netmask ?? '',
    gateway ?? '',
    ipamPart(`${path}.dhcp.hostname`, hostName),
    reservation.nameServers.join(','),
    ipamPart(`${path}.dhcp.domain_name`, domainSearchOf(reservation).join(',')),
    reservation.timeServers.join(','),
  ];
  return [{ name: 'ipam', value: parts.join(':'), field: `${path}.dhcp`, mayHoldSpaces: false }];
}

function ipamPart(field: string, text: string): string {
  if (text.includes(':') || text.includes(' '))
    throw new LoaderValueError(
      `${field}: holds a colon or a space, which would start another part of ipam; remove it`,
    );
  return text;
}

function ownExtras(
  reservation: Reservation,
  settings: HookScriptSettings,
): readonly (readonly KernelArgument[])[] {
  const { path, osie } = reservation;
  const { identity } = kernelArgumentsFor(reservation, settings);
  const insecure = {
    name: 'tinkerbell_insecure_tls',
    value: 'true',
    field: 'insecure tls',
    mayHoldSpaces: false,
  };
  const params = (osie.kernelParams ?? []).map((value, index) => ({
    name: '',
    value,
    field: `${path}.netboot.osie.kernelParams[${index}]`,
    mayHoldSpaces: true,
  }));
  const named = (wanted: string) => identity.filter(({ name }) => name === wanted);
  return [settings.insecureTls ? [insecure] : [], params, named('hook_url'), named('registry_mirrors')];
}

/** Upstream serves the image without these. Errors in them must not keep the machine from booting. */
function addIfPossible(
  words: string[],
  extra: readonly KernelArgument[],
  charactersMax: number,
): string | undefined {
  try {
    const added = wordsOf(extra);
    const length = lengthOf([...words, ...added]);
    const field = extra[0]?.field ?? '';
    if (length > charactersMax) return `${field}: ${tooLong(length, charactersMax)}`;
    words.push(...added);
    return undefined;
  } catch (error) {
    if (error instanceof LoaderValueError) return error.message;
    throw error;
  }
}

/**
 * The image's boot loader reads the text as part of its own configuration, unquoted. To GRUB these end a command or start
 * another, and `#` at the start of a word hides the rest.
 */
const ENDS_COMMAND = /[;|&<>]/;

function wordsOf(kernelArguments: readonly KernelArgument[]): readonly string[] {
  for (const { field, value } of kernelArguments) {
    const found = ENDS_COMMAND.exec(value)?.[0] ?? /(?:^| )(#)/.exec(value)?.[1];
    if (found !== undefined)
      throw new LoaderValueError(
        `${field}: holds ${JSON.stringify(found)}, which the boot loader of an image would not take as text; remove it`,
      );
  }
  return commandLineWords(kernelArguments);
}

function lengthOf(words: readonly string[]): number {
  return words.join(' ').length;
}

function tooLong(length: number, charactersMax: number): string {
  return `the kernel arguments have ${length} characters and an image has room for ${charactersMax}; remove some`;
}
