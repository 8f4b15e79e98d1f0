/** `tink workflow pause` and the other verbs of operators. */
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
    .option('--why <text>', 'kept with the workflow and its timeline, for others to read')
    .option('--dry-run', 'ask the server what would happen, without doing it')
    .option('--json', 'print the workflow as it is afterwards');
}

async function run(terminal: Terminal, command: Command, wish: Wish): Promise<void> {
  await operate(await sessionOf(command, terminal), wish);
}

const whole = [
  {
    verb: 'pause',
    done: 'paused',
    text: 'hand out no further action; one that runs may finish. The pause does not count for the global timeout',
    example: 'tink workflow pause m1-debian --why "the switch is being replaced"',
  },
  {
    verb: 'resume',
    done: 'resumed',
    text: 'go on after a pause, a breakpoint or an interruption',
    example: 'tink workflow resume m1-debian',
  },
  {
    verb: 'cancel',
    done: 'cancelled',
    text: 'end a workflow as FAILED; an action that runs is stopped',
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
    .description('run a workflow that has ended again: where it stopped, from its start, or from an action')
    .option('--from <where>', 'failed, start, ACTION or TASK/ACTION', 'failed')
    .addHelpText(
      'after',
      examples(
        'tink workflow retry m1-debian                      the action that failed, and those after it',
        'tink workflow retry m1-debian --from start         all of them; the machine is booted again',
        'tink workflow retry m1-debian --from "stream image" --why "the mirror is back"',
        'tink workflow retry m1-debian --from install/grub  where two tasks have a "grub"',
        'tink workflow rerun m1-debian                      a new workflow, with the template as it is now',
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
  withOperateOptions(group.command('skip <name> <action>'))
    .description('count an action as succeeded without running it; of a failed workflow, it goes on after it')
    .addHelpText(
      'after',
      examples('tink workflow skip m1-debian "check disk"', 'tink workflow skip m1-debian install/grub'),
    )
    .action((name: string, action: string, options: OperateOptions, command: Command) =>
      run(terminal, command, {
        verb: 'skip',
        name,
        done: `${action} skipped`,
        options,
        fields: (workflow) => actionNamed(workflow, action),
      }),
    );
  withOperateOptions(group.command('breakpoint <name> <action>'))
    .description('pause a workflow before an action; tink workflow resume passes it')
    .option('--remove', 'take the breakpoint away')
    .addHelpText(
      'after',
      examples(
        'tink workflow breakpoint m1-debian reboot',
        'tink workflow breakpoint m1-debian reboot --remove',
      ),
    )
    .action((name: string, action: string, options: BreakpointOptions, command: Command) =>
      run(terminal, command, {
        verb: 'breakpoint',
        name,
        done: options.remove === true ? `breakpoint at ${action} removed` : `breakpoint set at ${action}`,
        options,
        fields: (workflow) => ({ ...actionNamed(workflow, action), set: options.remove !== true }),
      }),
    );
}

function addEdit(group: Command, terminal: Terminal): void {
  withOperateOptions(group.command('edit <name> <action>'))
    .description('change an action that no agent has: one that is ahead, or a failed one before its retry')
    .option('--image <reference>', 'another image')
    .option('--command <words>', 'another command: words between spaces, or a JSON list', wordsOf)
    .option('--env <name=value>', 'set a variable; others stay; may be repeated', collected)
    .option('--unset-env <name>', 'take a variable away; may be repeated', collected)
    .option('--volume <source:target>', 'volumes instead of those it has; may be repeated', collected)
    .option('--timeout <duration>', 'seconds, or 90s, 10m, 1h; 0 for none')
    .option('--pid <namespace>', 'host, to share the agent’s process ids')
    .addHelpText(
      'after',
      examples(
        'tink workflow edit m1-debian "stream image" --env IMG_URL=http://192.168.56.4:7080/images/debian.raw.zst',
        'tink workflow edit m1-debian "check disk" --command \'["test", "-b", "/dev/vda"]\'',
        'tink workflow edit m1-debian install/grub --image grub:v2 --timeout 10m',
        'tink workflow retry m1-debian       and then run it',
      ),
    )
    .action((name: string, action: string, options: OperateOptions & EditOptions, command: Command) =>
      run(terminal, command, {
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
