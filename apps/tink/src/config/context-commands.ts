/** `tink config get-contexts` and the other verbs of contexts. */
import type { Command } from 'commander';
import {
  configPath,
  movedTo,
  readConfig,
  serverFault,
  writeConfig,
  type Config,
  type Context,
} from '../client/config-file.ts';
import { TinkFailure, usageFailure } from '../failure.ts';
import { contextNamed, resolveSettings, type GlobalOptions } from '../client/session.ts';
import { alignedText } from '../output/table-text.ts';
import type { Terminal } from '../output/terminal.ts';
import { examples } from '../command-line/command-line.ts';

export async function change(terminal: Terminal, changed: (config: Config) => Config): Promise<void> {
  const path = configPath(terminal);
  await writeConfig(path, changed(await readConfig(path)));
  terminal.out(`${path} written\n`);
}

export function addContexts(group: Command, terminal: Terminal): void {
  group
    .command('get-contexts')
    .description('list the contexts: servers with namespace and credentials')
    .option('--json', 'print JSON, without tokens')
    .addHelpText('after', examples('tink config get-contexts'))
    .action(({ json }: { readonly json?: boolean }) => showContexts(terminal, json === true));
  group
    .command('current-context')
    .description('print the name of the context in use')
    .addHelpText('after', examples('tink config current-context'))
    .action(async (_options: unknown, command: Command) => {
      const { context } = await resolveSettings(command.optsWithGlobals<GlobalOptions>(), terminal);
      if (context !== undefined) return terminal.out(`${context.value}\n`);
      throw new TinkFailure('no context is in use', { advice: 'tink config use-context NAME chooses one' });
    });
  group
    .command('use-context <name>')
    .description('use this context from now on')
    .addHelpText('after', examples('tink config use-context lab'))
    .action((name: string) =>
      change(terminal, (config) => {
        contextNamed(name, config, 'use-context');
        return { ...config, currentContext: name };
      }),
    );
  group
    .command('delete-context <name>')
    .description('forget a context and its credentials')
    .addHelpText('after', examples('tink config delete-context lab'))
    .action((name: string) => change(terminal, (config) => without(config, name)));
  addSetContext(group, terminal);
}

function addSetContext(group: Command, terminal: Terminal): void {
  group
    .command('set-context <name>')
    .description('make a context, or change what is said and leave the rest')
    .option('--url <url>', 'the server’s API; needed for a new one')
    .option('--namespace-name <name>', 'namespace of its objects')
    .option('--token <text>', 'who asks; --token-file keeps it out of the history of the shell')
    .option('--token-file <path>', 'file with the token, read at each command')
    .option('--client-certificate <path>', 'PEM file')
    .option('--client-key <path>', 'PEM file')
    .option('--certificate-authority <path>', 'PEM file that the server’s certificate is checked with')
    .option('--insecure', 'take any certificate: anybody in between can read and change all')
    .option('--no-insecure', 'check the certificate again')
    .addHelpText(
      'after',
      examples(
        'tink config set-context lab --url http://192.168.56.4:7080',
        'tink config set-context site --url https://tink.example.org --certificate-authority ca.pem --token-file token',
        'tink config use-context site',
      ),
    )
    .action(async (name: string, options: SetOptions) => {
      if (!/^[\w.@-]{1,100}$/.test(name))
        throw usageFailure(`${JSON.stringify(name)}: a context is named by letters, digits and . _ @ -`);
      await change(terminal, (config) => withContext(config, name, options));
    });
}

interface SetOptions extends Omit<Context, 'server' | 'namespace' | 'login'> {
  readonly url?: string;
  readonly namespaceName?: string;
}

function withContext(
  config: Config,
  name: string,
  { url, namespaceName, ...credentials }: SetOptions,
): Config {
  const before = config.contexts?.[name];
  const fault = url === undefined ? undefined : serverFault(url);
  if (fault !== undefined) throw usageFailure(fault);
  if (before === undefined && url === undefined)
    throw usageFailure(`context ${name} is new and needs a server`, 'add --url http://192.168.56.4:7080');
  const context: Context = {
    ...(url === undefined ? before : movedTo(url, before)),
    ...(namespaceName === undefined ? {} : { namespace: namespaceName }),
    ...credentials,
  };
  return { ...config, contexts: { ...config.contexts, [name]: context } };
}

function without(config: Config, name: string): Config {
  contextNamed(name, config, 'delete-context');
  const { currentContext, ...rest } = config;
  const contexts = Object.fromEntries(Object.entries(config.contexts ?? {}).filter(([one]) => one !== name));
  return {
    ...rest,
    ...(currentContext === name || currentContext === undefined ? {} : { currentContext }),
    contexts,
  };
}

function credentialsOf({ login, token, tokenFile, clientCertificate }: Context): string {
  if (login !== undefined) return 'login';
  if (token !== undefined) return 'token';
  if (tokenFile !== undefined) return 'token file';
  return clientCertificate === undefined ? 'none' : 'certificate';
}

async function showContexts(terminal: Terminal, json: boolean): Promise<void> {
  const { contexts = {}, currentContext } = await readConfig(configPath(terminal));
  const rows = Object.entries(contexts).map(([name, context]) => ({
    name,
    current: name === currentContext,
    server: context.server,
    namespace: context.namespace,
    credentials: credentialsOf(context),
  }));
  if (json) return terminal.out(`${JSON.stringify(rows, null, 2)}\n`);
  if (rows.length === 0)
    return terminal.err('there are no contexts; "tink config set-context NAME --url URL" makes one\n');
  const lines = rows.map((row) => [
    row.current ? '*' : '',
    row.name,
    row.server ?? '',
    row.namespace ?? '',
    row.credentials,
  ]);
  terminal.out(alignedText([['CURRENT', 'NAME', 'SERVER', 'NAMESPACE', 'CREDENTIALS'], ...lines]));
}
