import type { Command } from 'commander';
import type { Terminal } from '../output/terminal.ts';
import { addBmc } from './bmc-commands.ts';
import { addConsole } from './console-command.ts';
import { addBootDevice, addMedia, addPower } from './power-commands.ts';

/** The commands that reach a machine through its BMC. */
export function addMachineCommands(program: Command, terminal: Terminal): void {
  addPower(program, terminal);
  addBootDevice(program, terminal);
  addMedia(program, terminal);
  addBmc(program, terminal);
  addConsole(program, terminal);
}
