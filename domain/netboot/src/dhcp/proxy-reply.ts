import { messageType } from '@tinkerbell/dhcp';
import type { Mac } from '@tinkerbell/wire';
import {
  binaryNameFor,
  bootFileFor,
  NOT_ALLOWED_FILE,
  whyNoBinary,
  type BootFile,
  type BootTarget,
} from '../boot-file.ts';
import { ignore, type ReplyDecision, type ReplyInput } from './decision.ts';
import { echoedOptions, headerFile, replyHeader } from './reply-header.ts';
import { bootsUnknownMachine } from '../unknown-machine.ts';
import { vendorOptionsFor } from './vendor-options.ts';

/**
 * In proxy modes the reply contains boot settings, and never an address, a lease or a network setting (PXE 2.1 section 2.2.3;
 * upstream's smee/internal/dhcp/handler/proxy). The client combines it with the offer of the server that assigns addresses.
 * Declines in reservation mode.
 */
export function replyAsProxy(input: ReplyInput): ReplyDecision | undefined {
  const { client, reservation, settings } = input;
  if (settings.mode === 'reservation' || client.mac === undefined) return undefined;
  if (!reservation.ok && !bootsUnknownMachine(reservation, settings)) {
    return ignore(reservation.reason, reservation.message);
  }
  const target = reservation.ok ? reservation.value : unknownMachine(client.mac);
  if (binaryNameFor(client, target, settings) === undefined) {
    return ignore('no-binary', whyNoBinary(client, target, settings));
  }
  return reply(input, bootFileOf(input, target));
}

/** The boot settings of a machine without Hardware. It boots with default settings. */
function unknownMachine(mac: Mac): BootTarget {
  return { mac, mayNetboot: true, ipxe: {} };
}

/**
 * The file name for a machine that may not netboot contains its MAC (upstream), and the next server answers that the file does
 * not exist.
 */
function bootFileOf({ client, settings }: ReplyInput, target: BootTarget): BootFile {
  const bootFile = bootFileFor(client, target, settings);
  if (bootFile.kind !== 'not-allowed') return bootFile;
  const nextServer = client.protocol === 'http' ? settings.httpBinary.address : settings.tftp.address;
  return { ...bootFile, file: `/${target.mac}${NOT_ALLOWED_FILE}`, nextServer };
}

/** iPXE gets no `no-pxedhcp`: the foreign server's offer decides whether iPXE waits for a proxy, and this server is the proxy. */
function reply({ request, client, settings }: ReplyInput, { file, nextServer }: BootFile): ReplyDecision {
  const isDiscover = request.options.messageType === messageType.discover;
  const bootFile = headerFile(file);
  const { clientMachineIdentifier } = request.options;
  // A proxy selects no subnet.
  const { subnetSelection: _, ...echoed } = echoedOptions(request);
  return {
    kind: 'reply',
    reply: {
      ...replyHeader(request),
      siaddr: nextServer,
      serverName: nextServer,
      bootFile,
      options: {
        messageType: isDiscover ? messageType.offer : messageType.acknowledge,
        serverIdentifier: settings.serverAddress,
        // Without it, clients regard the offer as one without an address and drop it.
        vendorClassIdentifier: client.protocol === 'http' ? 'HTTPClient' : 'PXEClient',
        vendorSpecific: vendorOptionsFor(client),
        ...(clientMachineIdentifier === undefined ? {} : { clientMachineIdentifier }),
        ...(bootFile === '' ? { bootFileName: file } : {}),
        ...echoed,
      },
    },
  };
}
