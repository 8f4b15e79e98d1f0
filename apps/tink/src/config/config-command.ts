import type { Command } from 'commander';
import { movedTo, serverFault, type Config, type Context } from '../client/config-file.ts';
import { usageFailure } from '../failure.ts';
import { resolveSettings, type GlobalOptions } from '../client/session.ts';
import { alignedText } from '../output/table-text.ts';
import type { Terminal } from '../output/terminal.ts';
import { examples } from '../command-line/command-line.ts';
import { addContexts, change } from './context-commands.ts';

export function addConfig(program: Command, terminal: Terminal): void {
  const group = program
    .command('config')
    .description('manage contexts: servers with namespace and credentials');
  group
    .command('view')
    .description('show the current settings and their sources')
    .addHelpText('after', examples('tink config view'))
    .action(async (_options: unknown, command: Command) => {
      const settings = await resolveSettings(command.optsWithGlobals<GlobalOptions>(), terminal);
      const rows = [
        ['server', settings.server.value, `from ${settings.server.origin}`],
        ...(settings.context === undefined
          ? []
          : [['context', settings.context.value, `from ${settings.context.origin}`]]),
        ['namespace', settings.namespace.value, `from ${settings.namespace.origin}`],
        ['file', settings.configPath],
      ];
      terminal.out(alignedText(rows));
    });
  group
    .command('set-server <url>')
    .description('set the default server')
    .addHelpText('after', examples('tink config set-server http://192.168.56.4:7080'))
    .action(async (url: string) => {
      const fault = serverFault(url);
      if (fault !== undefined) throw usageFailure(fault);
      await change(terminal, (config) => withOwn(config, (own) => movedTo(url, own)));
    });
  group
    .command('set-namespace <name>')
    .description('set the default namespace')
    .addHelpText('after', examples('tink config set-namespace lab'))
    .action(async (name: string) => {
      if (!/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(name))
        throw usageFailure(
          `${JSON.stringify(name)} is not a valid namespace: use lower-case letters, digits and "-"`,
        );
      await change(terminal, (config) => withOwn(config, (own) => ({ ...own, namespace: name })));
    });
  addContexts(group, terminal);
}

/** Writes to the context in use, else to the file's top-level fields. */
function withOwn(config: Config, changed: (own: Context) => Context): Config {
  const { currentContext: name, contexts } = config;
  if (name === undefined) {
    const { server, namespace } = config;
    const own = {
      ...(server === undefined ? {} : { server }),
      ...(namespace === undefined ? {} : { namespace }),
    };
    return { ...config, ...changed(own) };
  }
  return { ...config, contexts: { ...contexts, [name]: changed(contexts?.[name] ?? {}) } };
}
