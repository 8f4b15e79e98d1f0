import type { Command } from 'commander';
import {
  bmcJobKind,
  bmcMachineKind,
  bmcTaskKind,
  hardwareKind,
  templateKind,
  workflowKind,
  workflowRuleSetKind,
  type KindOf,
  type Resource,
} from '@tinkerbell/resources';
import { usageFailure } from '../failure.ts';
import { kindOf } from '../client/kind-names.ts';
import { withCloseNames } from '../client/name-advice.ts';
import { hardwareTree, treeText, workflowNode, type TreeNode, type TreeObjects } from './object-tree.ts';
import type { Session } from '../client/session.ts';
import type { Terminal } from '../output/terminal.ts';
import { examples, sessionOf, splitName } from '../command-line/command-line.ts';
import { named } from '../client/named.ts';

export function addTree(program: Command, terminal: Terminal): void {
  const command: Command = program
    .command('tree <kind> [name]')
    .description(
      'show the objects of a machine or a workflow: BMC, jobs, templates, tasks, actions, rule sets',
    )
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      examples('tink tree hardware/m1', 'tink tree workflow m1-debian', 'tink tree hw m1 --json'),
    )
    .action(async (kind: string, name: string | undefined, { json }: { json?: boolean }) => {
      const session = await sessionOf(command, terminal);
      const { kinds, names } = splitName(name === undefined ? [kind] : [kind, name]);
      const tree = await treeOf(session, kinds, names[0]);
      terminal.out(json ? `${JSON.stringify(tree, null, 2)}\n` : treeText(tree));
    });
}

async function treeOf(session: Session, word: string, name: string | undefined): Promise<TreeNode> {
  const { client } = session;
  const kind = await kindOf(word, client);
  if ((kind !== hardwareKind && kind !== workflowKind) || name === undefined)
    throw usageFailure('tree needs one hardware or workflow', 'for example: tink tree hardware/m1');
  const rootOf = async <Object extends Resource>(wanted: KindOf<Object>): Promise<Object> => {
    const target = await named(session, wanted, name);
    return withCloseNames(client, target, () => client.get(target));
  };
  if (kind === hardwareKind) return hardwareTree(await rootOf(hardwareKind), await allObjects(session));
  return workflowNode(await rootOf(workflowKind), await allObjects(session));
}

async function allObjects({ client }: Session): Promise<TreeObjects> {
  const list = async <Object extends Resource>(kind: KindOf<Object>): Promise<readonly Object[]> =>
    (await client.list(kind, {})).items;
  const [hardware, templates, workflows, ruleSets, machines, jobs, tasks] = await Promise.all([
    list(hardwareKind),
    list(templateKind),
    list(workflowKind),
    list(workflowRuleSetKind),
    list(bmcMachineKind),
    list(bmcJobKind),
    list(bmcTaskKind),
  ]);
  return { hardware, templates, workflows, ruleSets, machines, jobs, tasks };
}
