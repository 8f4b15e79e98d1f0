/** The part of the machine before its operating system: DHCP and TFTP of the firmware, DHCP and HTTP of iPXE. */
import {
  decodePacket,
  emptyPacket,
  encodePacket,
  messageType,
  SERVER_PORT,
  CLIENT_PORT,
  type DhcpOptions,
  type DhcpPacket,
} from '@tinkerbell/dhcp';
import { decodeTftp, encodeTftp, type TftpPacket } from '@tinkerbell/tftp';
import { hexToBytes } from '@tinkerbell/wire';
import {
  busyFor,
  withTimer,
  type Machine,
  type MachineInput,
  type MachineOutput,
  type Step,
} from './model.ts';

/** The client side of TFTP uses one port for all its transfers. */
export const TFTP_CLIENT_PORT = 2070;
const TFTP_PORT = 69;
const BLOCK_BYTES = 1468;
/** Before each repetition, ms: as UEFI firmware for DHCP, and doubled by iPXE. The last one starts from the firmware. */
const WAITS_MS = [1000, 2000, 4000, 8000, 8000];
const SCRIPT_WAIT_MS = 10_000;
/** From the last block until iPXE sends its first packet. */
const LOADER_START_MS = 500;

const FIRMWARE: DhcpOptions = {
  vendorClassIdentifier: 'PXEClient:Arch:00007:UNDI:003000',
  clientArchitectures: [7],
  clientNetworkInterface: { type: 1, major: 3, minor: 0 },
  clientMachineIdentifier: new Uint8Array(17),
};
const IPXE: DhcpOptions = {
  ...FIRMWARE,
  userClass: { classes: ['Tinkerbell'], lengthPrefixed: false },
};

/** A DHCP client of the machine: what it says of itself, and what it does once it is bound. */
interface DhcpClient {
  readonly options: DhcpOptions;
  readonly onBound: (machine: Machine) => Step;
}

const firmware: DhcpClient = {
  options: FIRMWARE,
  onBound: (machine) => sendAndWait({ ...machine, phase: 'firmware-tftp', tries: 0 }, [readRequest(machine)]),
};
const bootLoader: DhcpClient = {
  options: IPXE,
  onBound: (machine) => askScript({ ...machine, phase: 'loader-script', tries: 0 }),
};

export function firmwareStep(machine: Machine, input: MachineInput): Step {
  return machine.phase === 'firmware-tftp' ? tftpStep(machine, input) : dhcpStep(machine, input, firmware);
}

export function bootLoaderStep(machine: Machine, input: MachineInput): Step {
  return machine.phase === 'loader-script'
    ? scriptStep(machine, input)
    : dhcpStep(machine, input, bootLoader);
}

function dhcpStep(machine: Machine, input: MachineInput, client: DhcpClient): Step {
  if (input.kind === 'timer') return discover(machine, client.options);
  const isReply = input.kind === 'datagram' && input.toPort === CLIENT_PORT;
  const reply = isReply ? replyIn(machine, input.bytes) : undefined;
  const type = reply?.options.messageType;
  if (reply !== undefined && type === messageType.offer)
    return sendAndWait(machine, [request(machine, reply, client.options)]);
  if (reply === undefined || type !== messageType.acknowledge) return { machine, outputs: [] };
  const bootFile = reply.options.bootFileName ?? reply.bootFile;
  if (bootFile === '') return withTimer(machine, WAITS_MS.at(-1) ?? 0);
  return client.onBound({ ...machine, address: reply.yiaddr, bootFile });
}

function request(machine: Machine, offer: DhcpPacket, options: DhcpOptions): MachineOutput {
  const { serverIdentifier } = offer.options;
  return dhcp(machine, {
    ...options,
    messageType: messageType.request,
    requestedAddress: offer.yiaddr,
    ...(serverIdentifier === undefined ? {} : { serverIdentifier }),
  });
}

/** A new transaction. Firmware that gave up begins with its own first packet again. */
function discover(machine: Machine, options: DhcpOptions): Step {
  if (machine.tries >= WAITS_MS.length) return powerCycled(machine);
  const transactionId = machine.transactionId + 1;
  const next = { ...machine, transactionId, tries: machine.tries + 1 };
  const packet = dhcp(next, { ...options, messageType: messageType.discover });
  return sendAndWait(next, [packet]);
}

function tftpStep(machine: Machine, input: MachineInput): Step {
  if (input.kind === 'timer') return repeatedTftp(machine);
  const decoded =
    input.kind === 'datagram' && input.toPort === TFTP_CLIENT_PORT ? decodeTftp(input.bytes) : undefined;
  if (input.kind !== 'datagram' || decoded?.ok !== true) return { machine, outputs: [] };
  // Another transfer of the same file, from a repeated request.
  if (machine.block !== undefined && machine.block.port !== input.fromPort) return { machine, outputs: [] };
  // Firmware ends the transfer and boots again.
  if (decoded.value.kind === 'error') return powerCycled(machine);
  return afterBlock(machine, decoded.value, input.fromPort);
}

function afterBlock(machine: Machine, packet: TftpPacket, port: number): Step {
  const number = machine.block === undefined ? 0 : machine.block.number + 1;
  if (packet.kind === 'option-acknowledge' && number === 0) return acknowledged(machine, { number, port });
  const isNext = packet.kind === 'data' && packet.block === Math.max(number, 1);
  if (!isNext) return { machine, outputs: [] };
  const next = acknowledged(machine, { number: packet.block, port });
  if (packet.bytes.length === BLOCK_BYTES) return next;
  const { block: _, ...loaded } = next.machine;
  const started = busyFor({ ...loaded, phase: 'loader-dhcp', tries: 0 }, LOADER_START_MS);
  return { machine: started.machine, outputs: [...next.outputs, ...started.outputs] };
}

function repeatedTftp(machine: Machine): Step {
  if (machine.tries >= WAITS_MS.length) return powerCycled(machine);
  const { block } = machine;
  const sent = block === undefined ? readRequest(machine) : acknowledge(block);
  return sendAndWait({ ...machine, tries: machine.tries + 1 }, [sent]);
}

function acknowledged(machine: Machine, block: { readonly number: number; readonly port: number }): Step {
  return sendAndWait({ ...machine, block, tries: 0 }, [acknowledge(block)]);
}

function scriptStep(machine: Machine, input: MachineInput): Step {
  if (input.kind === 'timer')
    return machine.tries >= WAITS_MS.length ? powerCycled(machine) : askScript(machine);
  if (input.kind !== 'script') return { machine, outputs: [] };
  if (input.text === undefined) return withTimer(machine, 2000);
  const phase = /^kernel /m.test(input.text) || input.text.includes('tinkerbell=') ? 'agent' : 'disk';
  return { machine: { ...machine, phase, timer: machine.timer + 1, tries: 0 }, outputs: [] };
}

function askScript(machine: Machine): Step {
  const url = machine.bootFile ?? '';
  const waiting = withTimer({ ...machine, tries: machine.tries + 1 }, SCRIPT_WAIT_MS);
  return { machine: waiting.machine, outputs: [{ kind: 'get-script', url }, ...waiting.outputs] };
}

function powerCycled(machine: Machine): Step {
  const { address: _, bootFile: __, block: ___, ...rest } = machine;
  return busyFor({ ...rest, phase: 'starting', tries: 0 }, 1000);
}

function sendAndWait(machine: Machine, sent: readonly MachineOutput[]): Step {
  const waiting = withTimer(machine, WAITS_MS[Math.min(machine.tries, WAITS_MS.length - 1)] ?? 0);
  return { machine: waiting.machine, outputs: [...sent, ...waiting.outputs] };
}

function dhcp({ mac, transactionId }: Machine, options: DhcpOptions): MachineOutput {
  const hardwareAddress = hexToBytes(`${mac.replaceAll(':', '')}${'00'.repeat(10)}`) ?? new Uint8Array(16);
  const encoded = encodePacket({ ...emptyPacket, transactionId, broadcast: true, hardwareAddress, options });
  if (!encoded.ok) throw new Error(encoded.error.message);
  return { kind: 'send', bytes: encoded.bytes, fromPort: CLIENT_PORT, toPort: SERVER_PORT };
}

/** Returns a reply to the machine's current transaction. */
function replyIn({ transactionId }: Machine, bytes: Uint8Array): DhcpPacket | undefined {
  const decoded = decodePacket(bytes);
  return decoded.ok && decoded.value.op === 'reply' && decoded.value.transactionId === transactionId
    ? decoded.value
    : undefined;
}

function readRequest({ bootFile = '' }: Machine): MachineOutput {
  return tftp(
    { kind: 'read-request', fileName: bootFile, mode: 'octet', options: [['blksize', String(BLOCK_BYTES)]] },
    TFTP_PORT,
  );
}

function acknowledge({ number, port }: { readonly number: number; readonly port: number }): MachineOutput {
  return tftp({ kind: 'acknowledge', block: number }, port);
}

function tftp(packet: TftpPacket, toPort: number): MachineOutput {
  return { kind: 'send', bytes: encodeTftp(packet), fromPort: TFTP_CLIENT_PORT, toPort };
}
