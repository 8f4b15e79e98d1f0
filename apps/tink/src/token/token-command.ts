/** `tink token` and `tink auth`: tokens for programs, and the user's permissions. */
import type { Command } from 'commander';
import { builtInKinds } from '@tinkerbell/resources';
import { accountsMade, makeToken, revokeTokens } from './account-tokens.ts';
import { accessReviewIn, subjectReviewIn } from '../client/answers.ts';
import { createNamespace } from '../client/create-namespaces.ts';
import { TinkFailure } from '../failure.ts';
import { alignedText } from '../output/table-text.ts';
import type { Terminal } from '../output/terminal.ts';
import { secondsOf } from '../output/time-span.ts';
import { examples, sessionOf } from '../command-line/command-line.ts';

interface CreateOptions {
  readonly role: string;
  readonly duration: string;
  readonly json?: boolean;
  readonly createNamespace?: boolean;
}

export function addToken(program: Command, terminal: Terminal): void {
  const group = program.command('token').description('manage API tokens for programs');
  group
    .command('create <name>')
    .description(
      'create an account with a role, and print a token for it; with -n, the role applies only in that namespace',
    )
    .option(
      '--role <name>',
      'view, edit, admin, provisioner, relay, cluster-admin, or your own ClusterRole',
      'view',
    )
    .option('--duration <time>', 'lifetime of the token: 10m to 366d', '30d')
    .option('--json', 'print the token and its expiry as JSON')
    .option('--create-namespace', 'create the namespace of -n if it is missing')
    .addHelpText(
      'after',
      examples(
        'tink token create ci --role edit > ci.token',
        'tink token create shop --role provisioner -n lab --duration 365d',
      ),
    )
    .action(async (name: string, options: CreateOptions, command: Command) => {
      const { role, duration, json } = options;
      const seconds = secondsOf('--duration', duration);
      const session = await sessionOf(command, terminal);
      if (options.createNamespace === true && (await createNamespace(session.namespace, session.client)))
        terminal.err(`namespace/${session.namespace} created\n`);
      const made = await makeToken(session, { name, role, seconds });
      if (json === true) return terminal.out(`${JSON.stringify({ name, role, ...made })}\n`);
      terminal.out(`${made.token}\n`);
      terminal.err(`${name} has the role ${role}; this token expires ${made.expires}\n`);
    });
  group
    .command('list')
    .description('list the accounts that tink token created')
    .option('--json', 'print them as JSON')
    .addHelpText('after', examples('tink token list'))
    .action(async ({ json }: { readonly json?: boolean }, command: Command) => {
      const accounts = await accountsMade(await sessionOf(command, terminal));
      if (json === true) return terminal.out(`${JSON.stringify(accounts, undefined, 2)}\n`);
      const rows = accounts.map((one) => [
        one.namespace,
        one.name,
        one.role,
        one.within || '(all)',
        one.created,
      ]);
      terminal.out(alignedText([['NAMESPACE', 'NAME', 'ROLE', 'WITHIN', 'CREATED'], ...rows]));
    });
  group
    .command('revoke <name>')
    .description('delete an account and revoke all its tokens immediately')
    .addHelpText('after', examples('tink token revoke ci'))
    .action(async (name: string, _options: unknown, command: Command) => {
      await revokeTokens(await sessionOf(command, terminal), name);
      terminal.out(`${name} deleted; its tokens are revoked\n`);
    });
}

export function addAuth(program: Command, terminal: Terminal): void {
  const group = program.command('auth').description('show your identity and permissions on the server');
  group
    .command('whoami')
    .description('show your user and groups')
    .addHelpText('after', examples('tink auth whoami'))
    .action(async (_options: unknown, command: Command) => {
      const { client } = await sessionOf(command, terminal);
      const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
      const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
      const { username, groups } = subjectReviewIn(await client.ask(path, review)).status.userInfo;
      terminal.out(alignedText([['user', username], ...groups.map((group) => ['group', group])]));
    });
  const canI: Command = group
    .command('can-i <verb> <resource>')
    .description('check whether you may do something; exits with 1 if not')
    .addHelpText(
      'after',
      examples('tink auth can-i delete hardware', 'tink auth can-i create workflows/pause -n lab'),
    )
    .action(async (verb: string, resource: string) => {
      const { client, namespace } = await sessionOf(canI, terminal);
      const [full = '', subresource] = resource.split('/');
      const [plural = '', ...group] = full.split('.');
      const asked = {
        verb,
        group: group.length > 0 ? group.join('.') : (groupOf(plural) ?? ''),
        resource: plural,
        namespace,
        ...(subresource === undefined ? {} : { subresource }),
      };
      const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
      const { status } = accessReviewIn(await client.ask(path, { spec: { resourceAttributes: asked } }));
      if (!status.allowed) throw new TinkFailure(`no: ${status.reason ?? 'no role allows it'}`);
      terminal.out('yes\n');
    });
}

function groupOf(plural: string): string | undefined {
  return builtInKinds.find((kind) => kind.plural === plural)?.group;
}
