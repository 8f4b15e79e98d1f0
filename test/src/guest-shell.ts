/** The shell on the serial port of an installed machine, which logs root in by itself. */
import { EMULATED_KERNEL_ARGUMENTS, type Machine } from '@tinkerbell/sandbox';

/** The shell prints it when it reads commands: what is typed into the port before is lost. */
export const SHELL_READY = 'the shell of root is ready';

/** The serial port is that of somebody who stands before the machine. */
const autologin = `[Service]
ExecStart=
ExecStart=-/sbin/agetty --autologin root --keep-baud 115200 - xterm
`;

/** Network interfaces are eth0, eth1 and so on. */
const bootMenu = `set timeout=0
menuentry 'Debian GNU/Linux' {
  linux /vmlinuz root=LABEL=root ro console=tty0 console=ttyS0,115200 quiet net.ifnames=0 ${EMULATED_KERNEL_ARGUMENTS}
  initrd /initrd.img
}
`;

/** The files of a Debian image that has such a shell. */
export const shellFiles: Readonly<Record<string, string>> = {
  'boot/grub/grub.cfg': bootMenu,
  'etc/systemd/system/serial-getty@ttyS0.service.d/autologin.conf': autologin,
  'etc/profile.d/ready.sh': `echo '${SHELL_READY}'\n`,
};

export interface GuestShell {
  /** Runs a command to its end and returns its lines. @throws Error when it fails: its output is on the console. */
  run(command: string, limitMs?: number): Promise<readonly string[]>;
}

const LINES_KEPT = 200;
const COMMAND_LIMIT_MS = 5 * 60_000;

export function openGuestShell(machine: Machine): GuestShell {
  let lines: string[] = [];
  let count = 0;
  let onEnd: (status: number) => void = () => undefined;
  machine.serial.onLine((line) => {
    const end = /shell-done (\d+) (\d+)$/.exec(line);
    // The echo of the command has no digits there.
    if (end === null && line.includes('shell-done')) return;
    if (end === null) lines = [...lines, line].slice(-LINES_KEPT);
    else if (Number(end[1]) === count) onEnd(Number(end[2]));
  });
  return {
    async run(command, limitMs = COMMAND_LIMIT_MS) {
      lines = [];
      count += 1;
      const { promise, resolve, reject } = Promise.withResolvers<number>();
      onEnd = resolve;
      const limit = setTimeout(
        () => reject(new Error(`${command}: no end after ${limitMs / 1000} s`)),
        limitMs,
      );
      // Carriage returns of an idle line, and no prompt before the output.
      machine.type(Buffer.from(`PS1=; { ${command}; } </dev/null; echo "shell-done ${count} $?"\n`));
      const status = await promise.finally(() => clearTimeout(limit));
      if (status !== 0) throw new Error(`${command}: ended with ${status}`);
      return lines;
    },
  };
}
