/** The output of the demo for a person: one line per step, and one moving line per working machine. */
import type { TimelineRecord } from './api-client.ts';

export interface DemoView {
  heading(text: string): void;
  /** A step of the preparation. */
  prepared(name: string, text: string): void;
  /** A step of a machine, `seconds` after its power-on. */
  step(machine: string, seconds: number, step: Step): void;
  /** Replaced by the next output. */
  moving(machine: string, seconds: number, step: Step): void;
  table(rows: readonly (readonly [string, string])[]): void;
  text(text: string): void;
}

export interface Step {
  readonly what: string;
  readonly text: string;
}

/** The minimum interval of a moving line without a terminal. */
const PLAIN_INTERVAL_SECONDS = 5;

export function createDemoView(output: NodeJS.WriteStream, isQuiet = false): DemoView {
  const isTerminal = output.isTTY;
  const hasColour = isTerminal && process.env['NO_COLOR'] === undefined;
  const paint = (code: number, text: string): string =>
    hasColour ? `\u001b[${code}m${text}\u001b[0m` : text;
  const lastMoved = new Map<string, number>();
  let isMoving = false;

  const write = (text: string): void => {
    if (isQuiet) return;
    output.write(`${isMoving ? '\r\u001b[K' : ''}${text}\n`);
    isMoving = false;
  };
  const line = (machine: string, seconds: number, { what, text }: Step): string => {
    const time = paint(2, `${seconds.toFixed(1).padStart(6)} s`);
    return `${time}  ${machine === '' ? '' : machine.padEnd(11)}${paint(36, what.padEnd(10))} ${text}`;
  };
  return {
    heading: (text) => write(`\n${paint(1, text)}\n`),
    prepared: (name, text) => write(`  ${name.padEnd(16)} ${text}`),
    step(machine, seconds, step) {
      lastMoved.delete(machine);
      write(line(machine, seconds, step));
    },
    moving(machine, seconds, step) {
      if (isQuiet) return;
      if (isTerminal) {
        output.write(`\r\u001b[K${line(machine, seconds, step).slice(0, (output.columns ?? 80) + 16)}`);
        isMoving = true;
        return;
      }
      const last = lastMoved.get(machine) ?? Number.NEGATIVE_INFINITY;
      if (seconds - last < PLAIN_INTERVAL_SECONDS) return;
      lastMoved.set(machine, seconds);
      write(line(machine, seconds, step));
    },
    table(rows) {
      if (rows.length === 0) return;
      const width = Math.max(...rows.map(([name]) => name.length));
      for (const [name, value] of rows) write(`  ${name.padEnd(width)}  ${value.padStart(8)}`);
    },
    text: (text) => write(text),
  };
}

export type Shown = { readonly isMoving: boolean; readonly step: Step };

type Details = NonNullable<TimelineRecord['details']>;

const done = (what: string, text: string): Shown => ({ isMoving: false, step: { what, text } });
const moving = (what: string, text: string): Shown => ({ isMoving: true, step: { what, text } });
const action = (_details: Details, message: string): Shown => done('action', message);

/** The action that writes an image to the disk reports its progress. */
const isSystemFile = (details: Details): boolean => /^(vmlinuz|initramfs)/.test(String(details['path']));

const SHOWN: Readonly<Record<string, (details: Details, message: string) => Shown | undefined>> = {
  'dhcp/acknowledge-sent': (details) => done('DHCP', `${details['address']} for ${details['client']}`),
  'tftp/file-sent': (details) => done('TFTP', `${details['file']}, ${megabytes(details['bytes'])} MB`),
  'http/binary-sent': (_details, message) => done('HTTP', message),
  'http/script-served': (details) =>
    done('script', details['outcome'] === 'local-boot' ? 'boot from disk' : 'load the in-memory OS'),
  'image/transfer-moved': (details, message) =>
    isSystemFile(details) ? moving('download', message) : undefined,
  'image/transfer-completed': (details, message) =>
    isSystemFile(details) ? done('download', message) : undefined,
  'agent/action-progressed': (_details, message) => moving('action', message),
  'agent/action-started': action,
  'agent/action-succeeded': action,
  'agent/action-failed': action,
  'agent/action-timed-out': action,
  'bmc/bmc-task-completed': (_details, message) => done('BMC', message),
  'bmc/bmc-job-failed': (_details, message) => done('BMC', message),
  'workflow/state-changed': (details) =>
    ['PENDING', 'POST'].includes(String(details['to'])) ? undefined : done('workflow', String(details['to'])),
};

/** Returns the text for a timeline record, or undefined for a record that would only be noise. */
export function shownOf(record: TimelineRecord): Shown | undefined {
  return SHOWN[`${record.source}/${record.event}`]?.(record.details ?? {}, record.message);
}

function megabytes(bytes: unknown): string {
  return (Number(bytes) / 1e6).toFixed(1);
}
