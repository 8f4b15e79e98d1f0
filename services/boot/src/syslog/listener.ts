import type { Datagram, UdpAddress, UdpSocket } from '@tinkerbell/platform-contract';
import { decodeSyslog, type SyslogMessage } from '@tinkerbell/syslog';
import type { BootDeps, SyslogConfig } from '../config.ts';
import type { BootMetrics } from '../metrics.ts';
import { macAt } from '../machine-state.ts';
import { SenderLimit, type SenderLimits } from './sender-limit.ts';

/** Upstream's receive buffer. Longer messages are truncated, not dropped. */
const DATAGRAM_BYTES_MAX = 32 * 1024;
/** RFC 5424 section 6.1: receivers should accept 2,048 bytes. Longer texts stay whole in the log, but not in the timeline. */
const TIMELINE_TEXT_MAX = 2_048;
/**
 * A starting operating system logs a thousand lines within seconds, and no honest sender keeps that up. The table has room for
 * 4,096 addresses, one machine each: a large rack row behind one server.
 */
const LIMITS: SenderLimits = {
  messagesPerSecond: 100,
  burst: 2_000,
  sendersMax: 4_096,
  reportAfterMs: 10_000,
};

interface SyslogListenerInput {
  readonly deps: Pick<BootDeps, 'udp' | 'clock' | 'log' | 'view' | 'journal'>;
  readonly config: SyslogConfig;
  readonly metrics: BootMetrics;
  readonly limits?: SenderLimits;
}

/**
 * The syslog receiver. Each message becomes a line of the log. When a machine has the sender's address, it also becomes a line of
 * its timeline. UDP senders can be forged: a timeline entry proves the address, not the machine.
 */
export class SyslogListener {
  readonly #input: SyslogListenerInput;
  readonly #limit: SenderLimit;
  #socket: UdpSocket | undefined;

  constructor(input: SyslogListenerInput) {
    this.#input = input;
    this.#limit = new SenderLimit(input.deps.clock, input.limits ?? LIMITS, (sender, count) =>
      this.#onDropped(sender, count),
    );
  }

  async start(): Promise<void> {
    const { deps, config } = this.#input;
    const { address, port } = config;
    this.#socket = await deps.udp.open(
      { address, port },
      {
        onDatagram: (datagram) => this.#onDatagram(datagram),
        onError: (error) => deps.log.warn('syslog socket error', { error: error.message }),
      },
    );
  }

  /** The bound address, or undefined before `start`. */
  get local(): UdpAddress | undefined {
    return this.#socket?.local;
  }

  async stop(): Promise<void> {
    this.#limit.stop();
    await this.#socket?.close();
  }

  #onDatagram({ bytes, peer }: Datagram): void {
    const { deps, metrics } = this.#input;
    if (!this.#limit.takes(peer.address)) return metrics.syslogDropped.add({ reason: 'too-many' });
    if (bytes.length > DATAGRAM_BYTES_MAX) metrics.syslogCut.add();
    const message = decodeSyslog(bytes.subarray(0, DATAGRAM_BYTES_MAX));
    const machine = macAt(deps.view, peer.address);
    const sender = machine === undefined ? 'unknown' : 'known';
    metrics.syslogMessages.add({ severity: message.severity, sender });
    const fields = logFields(message, peer.address);
    if (message.severity === 'DEBUG') deps.log.debug('syslog message', fields);
    else deps.log.info('syslog message', fields);
    if (machine === undefined) return;
    deps.journal.append({
      source: 'syslog',
      event: 'message-received',
      machine,
      message: lineOf(message),
      details: detailsOf(message),
    });
  }

  #onDropped(sender: string | undefined, count: number): void {
    const { deps } = this.#input;
    const message = `${count} syslog messages dropped: too many per second`;
    deps.log.warn('syslog messages dropped', { host: sender ?? 'several', count });
    const machine = sender === undefined ? undefined : macAt(deps.view, sender);
    if (machine === undefined) return;
    deps.journal.append({
      source: 'syslog',
      event: 'messages-dropped',
      machine,
      message,
      details: { count },
    });
  }
}

/** Field names are upstream's. A value that the sender omitted is absent. */
function logFields(message: SyslogMessage, host: string) {
  const { facility, severity, hostName, appName, processId, messageId, structuredData, text } = message;
  return {
    facility,
    severity,
    ...(hostName === undefined ? {} : { hostname: hostName }),
    ...(appName === undefined ? {} : { 'app-name': appName }),
    ...(processId === undefined ? {} : { procid: processId }),
    ...(messageId === undefined ? {} : { msgid: messageId }),
    ...(structuredData.length === 0 ? {} : { 'structured-data': structuredData }),
    msg: text,
    host,
  };
}

function lineOf({ appName, processId, text }: SyslogMessage): string {
  const process = processId === undefined ? '' : `[${processId}]`;
  const line = appName === undefined ? text : `${appName}${process}: ${text}`;
  return line.length <= TIMELINE_TEXT_MAX ? line : `${line.slice(0, TIMELINE_TEXT_MAX - 1).toWellFormed()}…`;
}

function detailsOf({ facility, severity, hostName, messageId }: SyslogMessage): Record<string, string> {
  return {
    facility,
    severity,
    ...(hostName === undefined ? {} : { hostname: hostName }),
    ...(messageId === undefined ? {} : { msgid: messageId }),
  };
}
