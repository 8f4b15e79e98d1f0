import { noTracer, type UdpAddress } from '@tinkerbell/platform-contract';
import { loaderFileNameOf } from '@tinkerbell/netboot';
import { parseMac, type Mac } from '@tinkerbell/wire';
import type { BootDeps } from '../config.ts';
import type { BootMetrics } from '../metrics.ts';
import { macAt } from '../machine-state.ts';
import type { TransferReport } from './transfer.ts';

/** The TFTP server's reports: metrics, debug log, and the timeline of the machine. */
export interface TftpTimeline {
  ignored(peer: UdpAddress, reason: string): void;
  /** `asked`: the sources that do not have it. */
  notFound(peer: UdpAddress, fileName: string, asked: readonly string[]): void;
  /** A value in the machine's Hardware is not safe to write into the file. `message` names the field. */
  refused(peer: UdpAddress, fileName: string, message: string): void;
  /** A transfer that takes long continues. */
  moved(transfer: {
    readonly peer: UdpAddress;
    readonly fileName: string;
    readonly bytes: number;
    readonly fileBytes: number;
    readonly milliseconds: number;
  }): void;
  ended(transfer: {
    readonly peer: UdpAddress;
    readonly fileName: string;
    readonly report: TransferReport;
  }): void;
}

export function createTftpTimeline(
  deps: Pick<BootDeps, 'log' | 'journal' | 'view' | 'tracer'>,
  metrics: BootMetrics,
): TftpTimeline {
  const { log, journal, view } = deps;
  const machineOf = createMachineLookup(view);
  return {
    ignored(peer, reason) {
      metrics.tftpIgnored.add({ reason });
      log.debug('TFTP packet ignored', { peer: peer.address, reason });
    },

    notFound(peer, fileName, asked) {
      metrics.tftpTransfers.add({ outcome: 'file-not-found' });
      log.debug('TFTP file not found', { peer: peer.address, file: fileName });
      const known = machineOf(peer, fileName);
      if (known.machine === undefined) return;
      const [message, details] = [
        `TFTP has no file ${fileName}; asked: ${asked.join(', ')}`,
        { file: fileName },
      ];
      journal.append({ source: 'tftp', event: 'file-not-found', ...known, message, details });
    },

    refused(peer, fileName, message) {
      metrics.tftpTransfers.add({ outcome: 'file-refused' });
      log.debug('TFTP file refused', { peer: peer.address, file: fileName, detail: message });
      journal.append({
        source: 'tftp',
        event: 'file-refused',
        ...machineOf(peer, fileName),
        message: `TFTP cannot generate ${fileName}: ${message}`,
        details: { file: fileName },
      });
    },

    moved: movedWriter(journal, machineOf),

    ended({ peer, fileName, report }) {
      const { outcome, bytes, milliseconds } = report;
      const name = outcomeNameOf(report);
      metrics.tftpTransfers.add({ outcome: name });
      metrics.tftpBytes.add({}, bytes);
      const details = { file: fileName, bytes, milliseconds, outcome: name };
      log.debug('TFTP transfer ended', { peer: peer.address, ...details });
      // UEFI first requests only the size and then cancels that transfer. A line for it would confuse.
      if (name === 'size-asked') return;
      const known = machineOf(peer, fileName);
      traceTransfer(deps.tracer, { machine: known.machine, peer, ...details });
      const detail = outcome.kind === 'failed' ? `: ${outcome.detail}` : '';
      journal.append({
        source: 'tftp',
        event: outcome.kind === 'completed' ? 'file-sent' : 'transfer-failed',
        ...known,
        message: `${fileName} by TFTP, ${bytes} bytes in ${milliseconds} ms, ${name}${detail}`,
        details,
      });
    },
  };
}

type MachineLookup = ReturnType<typeof createMachineLookup>;

function movedWriter(journal: BootDeps['journal'], machineOf: MachineLookup): TftpTimeline['moved'] {
  return ({ peer, fileName, bytes, fileBytes, milliseconds }) => {
    const known = machineOf(peer, fileName);
    if (known.machine === undefined) return;
    journal.append({
      source: 'tftp',
      event: 'file-moved',
      ...known,
      message: `${fileName} by TFTP, ${bytes} of ${fileBytes} bytes in ${milliseconds} ms`,
      details: { file: fileName, bytes, milliseconds },
    });
  };
}

interface EndedTransfer {
  readonly machine: Mac | undefined;
  readonly peer: UdpAddress;
  readonly file: string;
  readonly bytes: number;
  readonly milliseconds: number;
  readonly outcome: string;
}

/** Records a transfer as a span of the machine's boot, after it has ended. */
function traceTransfer(
  tracer: BootDeps['tracer'] = noTracer,
  { machine, peer, file, bytes, milliseconds, outcome }: EndedTransfer,
): void {
  if (!tracer.isOn) return;
  const span = tracer.startSpan('tftp', {
    kind: 'server',
    machine,
    agoMs: milliseconds,
    attributes: { 'tftp.file': file, 'tftp.bytes': bytes, 'client.address': peer.address },
  });
  if (outcome !== 'completed') span.fail(outcome);
  span.end();
}

/**
 * Identifies the machine by the MAC in the path, which our DHCP or a boot loader put there, else by the address of the
 * reservation.
 */
function createMachineLookup(view: BootDeps['view']) {
  return (peer: UdpAddress, fileName: string): { readonly machine?: Mac } => {
    const named = loaderFileNameOf(fileName, peer.address)?.machine;
    const inName = named?.by === 'mac' ? named.mac : fileName.split('/').map(parseMac).find(Boolean);
    const mac = inName ?? macAt(view, peer.address);
    return mac === undefined ? {} : { machine: mac };
  };
}

function outcomeNameOf({ outcome, bytes }: TransferReport): string {
  if (outcome.kind === 'completed') return 'completed';
  return outcome.reason === 'client-aborted' && bytes === 0 ? 'size-asked' : outcome.reason;
}
