import type { Command } from 'commander';
import { usageFailure } from '../failure.ts';
import { kindOf, nameOf } from '../client/kind-names.ts';
import type { Terminal } from '../output/terminal.ts';
import { secondsOf } from '../output/time-span.ts';
import { parseCondition } from './wait-condition.ts';
import { waitFor } from './wait-objects.ts';
import { named } from '../client/named.ts';
import { examples, sessionOf, splitName } from '../command-line/command-line.ts';

interface WaitCommandOptions {
  readonly for?: string;
  readonly timeout: string;
  readonly json?: boolean;
}

export function addWait(program: Command, terminal: Terminal): void {
  const command: Command = program
    .command('wait <kind> [names...]')
    .description('wait for a condition; exits 0 when it is met, and 1 with the reason when it is not')
    .option('--for <what>', 'condition=NAME[=STATUS], jsonpath={.path}=VALUE, delete or state=SUCCESS')
    .option('--timeout <time>', 'time limit: 90s, 10m, 1h', '10m')
    .option('--json', 'print one JSON line for each object')
    .addHelpText(
      'after',
      examples(
        'tink wait workflow m1-debian --for state=SUCCESS --timeout 30m',
        'tink wait wf/m1-debian --for condition=TemplateRenderedSuccess',
        "tink wait hw m1 --for jsonpath='{.metadata.labels.rack}'=r7",
        'tink wait workflow m1-debian --for delete',
      ),
    )
    .action(async (kind: string, words: readonly string[], options: WaitCommandOptions) => {
      if (options.for === undefined)
        throw usageFailure('wait needs --for', 'for example --for state=SUCCESS');
      const condition = parseCondition(options.for);
      const timeoutSeconds = secondsOf('--timeout', options.timeout);
      const session = await sessionOf(command, terminal);
      const { kinds, names } = splitName([kind, ...words]);
      if (names.length === 0) throw usageFailure('wait needs the names of objects: wait KIND NAME…');
      const apiKind = await kindOf(kinds, session.client);
      const { namespace } = session;
      const targets = await Promise.all(names.map((name) => named(session, apiKind, name)));
      const verdicts = await waitFor(session, targets, { condition, timeoutSeconds });
      for (const [index, { now }] of verdicts.entries()) {
        const word = targets[index]?.name ?? '';
        const name = nameOf(apiKind, word);
        const line = { kind: apiKind.kind, namespace, name: word, met: true, now };
        terminal.out(options.json ? `${JSON.stringify(line)}\n` : `${name} condition met: ${now}\n`);
      }
    });
}
