import type { Command } from 'commander';
import { openApiOf, type Kind } from '@tinkerbell/resources';
import { groupVersionOf, type ApiKind } from '../client/api-kind.ts';
import { ownKinds } from '../client/discovery.ts';
import { explainText, schemaAt, schemaIn, type SchemaNode } from './explain-schema.ts';
import { TinkFailure } from '../failure.ts';
import { kindOf } from '../client/kind-names.ts';
import type { Session } from '../client/session.ts';
import { UnreachableFailure } from '../client/server-failure.ts';
import type { Terminal } from '../output/terminal.ts';
import { examples, sessionOf } from '../command-line/command-line.ts';

interface ExplainOptions {
  readonly recursive?: boolean;
  readonly json?: boolean;
}

export function addExplain(program: Command, terminal: Terminal): void {
  program
    .command('explain <path>')
    .description(
      'show the documentation of a field: type, default, values and subfields; works without a server',
    )
    .option('--recursive', 'include all nested fields')
    .option('--json', 'print the schema as JSON')
    .addHelpText(
      'after',
      examples(
        'tink explain hardware',
        'tink explain hardware.spec.interfaces',
        'tink explain wf.status.tasks --recursive',
      ),
    )
    .action(async (path: string, { recursive = false, json }: ExplainOptions, command: Command) => {
      const session = await sessionOf(command, terminal);
      const [word = '', ...fields] = path
        .replace(/\[[^\]]*\]/g, '')
        .split('.')
        .filter((part) => part !== '');
      const kind = await kindOf(word, session.client);
      const explained = schemaAt(kind.singular, fields, await schemaOf(session, kind));
      terminal.out(
        json ? `${JSON.stringify(explained.schema, null, 2)}\n` : explainText(explained, recursive),
      );
    });
}

/** Returns the server's schema, which matches its version, else the built-in one. */
async function schemaOf({ client, terminal }: Session, kind: ApiKind): Promise<SchemaNode> {
  const root = kind.group === '' ? 'api' : 'apis';
  const own = ownKinds.find((one) => one === kind);
  try {
    const found = schemaIn(await client.document(`/openapi/v3/${root}/${groupVersionOf(kind)}`), kind);
    if (found !== undefined) return found;
  } catch (thrown) {
    if (!(thrown instanceof TinkFailure) || own === undefined) throw thrown;
    if (thrown instanceof UnreachableFailure)
      terminal.err('the server is unreachable; using the built-in schema\n');
  }
  if (own === undefined) throw new TinkFailure(`the OpenAPI document of the server has no ${kind.kind}`);
  return builtIn(own);
}

function builtIn({ description, spec, status }: Kind): SchemaNode {
  const properties = {
    apiVersion: { type: 'string' },
    kind: { type: 'string' },
    metadata: { type: 'object' },
    ...(spec === undefined ? {} : { spec: openApiOf(spec) }),
    ...(status === undefined ? {} : { status: openApiOf(status) }),
  };
  return { description, type: 'object', properties };
}
