/** The shell on the serial port of an installed machine, which logs root in by itself. */
import type { Machine } from '@tinkerbell/sandbox';

export interface GuestShell {
  /** Runs a command to its end and returns its lines. @throws Error when it fails: its output is on the console. */
  run(command: string): Promise<readonly string[]>;
}

const LINES_KEPT = 200;
const COMMAND_LIMIT_MS = 5 * 60_000;

export function openGuestShell(machine: Machine): GuestShell {
  let lines: string[] = [];
  let count = 0;
  let onEnd: (status: number) => void = () => undefined;
  machine.serial.onLine((line) => {
    const end = /genesis-done (\d+) (\d+)$/.exec(line);
    // The echo of the command has no digits there.
    if (end === null && line.includes('genesis-done')) return;
    if (end === null) lines = [...lines, line].slice(-LINES_KEPT);
    else if (Number(end[1]) === count) onEnd(Number(end[2]));
  });
  return {
    async run(command) {
      lines = [];
      count += 1;
      const { promise, resolve, reject } = Promise.withResolvers<number>();
      onEnd = resolve;
      const limit = setTimeout(
        () => reject(new Error(`${command}: no end after ${COMMAND_LIMIT_MS / 1000} s`)),
        COMMAND_LIMIT_MS,
      );
      // Carriage returns of an idle line, and no prompt before the output.
      machine.type(Buffer.from(`PS1=; { ${command}; } </dev/null; echo "genesis-done ${count} $?"\n`));
      const status = await promise.finally(() => clearTimeout(limit));
      if (status !== 0) throw new Error(`${command}: ended with ${status}`);
      return lines;
    },
  };
}
