/** The shell on the serial port of an installed machine, which logs root in by itself. */
import type { Machine } from '@tinkerbell/sandbox';

export interface GuestShell {
  /** Runs a command to its end and returns its lines. @throws Error with the end of its output when it fails. */
  run(command: string): Promise<readonly string[]>;
}

const LINES_KEPT = 200;
const COMMAND_LIMIT_MS = 5 * 60_000;
const LINES_SHOWN = 15;

export function openGuestShell(machine: Machine): GuestShell {
  let lines: string[] = [];
  let count = 0;
  let onEnd: (status: number) => void = () => undefined;
  machine.serial.onLine((line) => {
    // The echo of the command has no digits there.
    const end = /genesis-done (\d+) (\d+)$/.exec(line);
    if (end === null) lines = [...lines, line].slice(-LINES_KEPT);
    else if (Number(end[1]) === count) onEnd(Number(end[2]));
  });
  return {
    async run(command) {
      lines = [];
      count += 1;
      const { promise, resolve, reject } = Promise.withResolvers<number>();
      onEnd = resolve;
      const said = (): string => lines.slice(-LINES_SHOWN).join('\n');
      const limit = setTimeout(
        () =>
          reject(
            new Error(`${machine.name}: ${command}: no end after ${COMMAND_LIMIT_MS / 1000} s\n${said()}`),
          ),
        COMMAND_LIMIT_MS,
      );
      // Carriage returns of an idle line, and no prompt before the output.
      machine.type(Buffer.from(`PS1=; { ${command}; } </dev/null; echo "genesis-done ${count} $?"\n`));
      const status = await promise.finally(() => clearTimeout(limit));
      if (status !== 0) throw new Error(`${machine.name}: ${command}: ended with ${status}\n${said()}`);
      return lines;
    },
  };
}
