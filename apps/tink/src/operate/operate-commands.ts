/** `tink workflow pause` and the other operator commands. */
import type { Command } from 'commander';
import type { Workflow } from '@tinkerbell/resources';
import { wordsOf, editFields, type EditOptions } from './action-edit.ts';
import { actionNamed, operate, type OperateOptions, type Wish } from './operate.ts';
import type { Terminal } from '../output/terminal.ts';
import { collected, examples, sessionOf } from '../command-line/command-line.ts';

export function addOperations(group: Command, terminal: Terminal): void {
  addWhole(group, terminal);
  addRetry(group, terminal);
  addOfActions(group, terminal);
  addEdit(group, terminal);
}

function withOperateOptions(command: Command): Command {
  return command
    .option('--why <text>', 'reason, stored with the workflow and its timeline')
    .option('--dry-run', 'run the server’s checks without changing anything')
    .option('--json', 'print the changed workflow as JSON');
}

async function run(terminal: Terminal, command: Command, wish: Wish): Promise<void> {
  await operate(await sessionOf(command, terminal), wish);
}

const whole = [
  {
    verb: 'pause',
    done: 'paused',
    text: 'stop assigning actions; a running action may finish. Paused time does not count towards the global timeout',
    example: 'tink workflow pause m1-debian --why "the switch is being replaced"',
  },
  {
    verb: 'resume',
    done: 'resumed',
    text: 'resume a workflow after a pause, a breakpoint or an interruption',
    example: 'tink workflow resume m1-debian',
  },
  {
    verb: 'cancel',
    done: 'cancelled',
    text: 'end a workflow as FAILED, and stop its running action',
    example: 'tink workflow cancel m1-debian --why "wrong machine"',
  },
] as const;

function addWhole(group: Command, terminal: Terminal): void {
  for (const { verb, done, text, example } of whole) {
    withOperateOptions(group.command(`${verb} <name>`))
      .description(text)
      .addHelpText('after', examples(example))
      .action((name: string, options: OperateOptions, command: Command) =>
        run(terminal, command, { verb, name, done, options }),
      );
  }
}

type RetryOptions = OperateOptions & { readonly from: string };

function addRetry(group: Command, terminal: Terminal): void {
  withOperateOptions(group.command('retry <name>'))
    .description('run an ended workflow again: from where it stopped, from its start, or from an action')
    .option('--from <where>', 'failed, start, ACTION or TASK/ACTION', 'failed')
    .addHelpText(
      'after',
      examples(
        'tink workflow retry m1-debian                      from the failed action',
        'tink workflow retry m1-debian --from start         from the start; the machine boots again',
        'tink workflow retry m1-debian --from "stream image" --why "the mirror is back"',
        'tink workflow retry m1-debian --from install/grub  if two tasks have a "grub"',
        'tink workflow rerun m1-debian                      as a new workflow, with the current template',
      ),
    )
    .action((name: string, options: RetryOptions, command: Command) =>
      run(terminal, command, {
        verb: 'retry',
        name,
        done: 'retried',
        options,
        fields: (workflow) => ({ from: whereToBegin(workflow, options.from) }),
      }),
    );
}

function whereToBegin(workflow: Workflow, word: string): string | object {
  return ['failed', 'start'].includes(word) ? word : actionNamed(workflow, word);
}

type BreakpointOptions = OperateOptions & { readonly remove?: boolean };

function addOfActions(group: Command, terminal: Terminal): void {
  const skip: Command = withOperateOptions(group.command('skip <name> <action>'))
    .description('mark an action as succeeded without running it; a failed workflow resumes after it')
    .addHelpText(
      'after',
      examples('tink workflow skip m1-debian "check disk"', 'tink workflow skip m1-debian install/grub'),
    )
    .action((name: string, action: string, options: OperateOptions) =>
      run(terminal, skip, {
        verb: 'skip',
        name,
        done: `${action} skipped`,
        options,
        fields: (workflow) => actionNamed(workflow, action),
      }),
    );
  const breakpoint: Command = withOperateOptions(group.command('breakpoint <name> <action>'))
    .description('pause a workflow before an action; tink workflow resume continues it')
    .option('--remove', 'remove the breakpoint')
    .addHelpText(
      'after',
      examples(
        'tink workflow breakpoint m1-debian reboot',
        'tink workflow breakpoint m1-debian reboot --remove',
      ),
    )
    .action((name: string, action: string, options: BreakpointOptions) =>
      run(terminal, breakpoint, {
        verb: 'breakpoint',
        name,
        done: options.remove === true ? `breakpoint at ${action} removed` : `breakpoint set at ${action}`,
        options,
        fields: (workflow) => ({ ...actionNamed(workflow, action), set: options.remove !== true }),
      }),
    );
}

function addEdit(group: Command, terminal: Terminal): void {
  const edit: Command = withOperateOptions(group.command('edit <name> <action>'))
    .description('change an action that is not running: a later one, or a failed one before its retry')
    .option('--image <reference>', 'new image')
    .option('--command <words>', 'new command: words separated by spaces, or a JSON list', wordsOf)
    .option('--env <name=value>', 'set a variable and keep the others; may be repeated', collected)
    .option('--unset-env <name>', 'remove a variable; may be repeated', collected)
    .option('--volume <source:target>', 'replace the volumes; may be repeated', collected)
    .option('--timeout <duration>', 'seconds, or 90s, 10m, 1h; 0 for no timeout')
    .option('--pid <namespace>', '"host" shares the agent’s process ids')
    .addHelpText(
      'after',
      examples(
        'tink workflow edit m1-debian "stream image" --env IMG_URL=http://192.168.56.4:7080/images/debian.raw.zst',
        'tink workflow edit m1-debian "check disk" --command \'["test", "-b", "/dev/vda"]\'',
        'tink workflow edit m1-debian install/grub --image grub:v2 --timeout 10m',
        'tink workflow retry m1-debian       then run it',
      ),
    )
    .action((name: string, action: string, options: OperateOptions & EditOptions) =>
      run(terminal, edit, {
        verb: 'edit',
        name,
        done: `${action} edited`,
        options,
        fields: (workflow) => {
          const named = actionNamed(workflow, action);
          return { ...named, ...editFields(workflow, named, options) };
        },
      }),
    );
}
