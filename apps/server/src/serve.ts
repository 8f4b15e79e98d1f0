/** `tinkerbell`: reads flags and environment, starts the server, and stops it on a signal. */
import { flushCompileCache } from 'node:module';
import { resolve } from 'node:path';
import { messageOf, PlatformError, type FailedPort, type Log } from '@tinkerbell/platform-contract';
import { runBeforeOtherThreads } from '@tinkerbell/platform-node/thread-priority';
import {
  allowCompilers,
  holderOf,
  keepFreeMemorySmall,
  keepHeapSmall,
  nodeClock,
  nodeUdp,
  openServiceManager,
  setCollectorFlags,
} from '@tinkerbell/platform-node';
import { startServer, type RunningServer } from './compose.ts';
import { configReport } from './settings/config-check.ts';
import { helpText } from './settings/help-text.ts';
import { SettingsError } from './settings/settings-error.ts';
import { flags } from './settings/flags/index.ts';
import { givenFlags } from './settings/given-flags.ts';
import { openLogs } from './settings/log-levels.ts';
import { missingFiles } from './settings/missing-files.ts';
import { settingsFrom, type Settings } from './settings/settings.ts';
import { reportState } from './report-state.ts';
import { stopSignals } from './stop-signals.ts';
import { VERSION } from './version.ts';

async function main(): Promise<number> {
  const { reader, notes } = givenFlags(process.argv.slice(2), process.env);
  if (reader.boolean('help')) {
    process.stdout.write(helpText(flags));
    return 0;
  }
  if (reader.boolean('version')) {
    process.stdout.write(`${VERSION}\n`);
    return 0;
  }
  const settings = settingsFrom(reader, nodeUdp.networkInterfaces());
  const format = reader.text('log-format') || (process.stderr.isTTY ? 'text' : 'json');
  const logs = openLogs(settings.logLevels, format === 'json' ? 'json' : 'text');
  const log = logs.server;
  const stopping = stopSignals();
  setCollectorFlags();
  for (const line of [...notes, ...missingFiles(settings)]) log.warn(line);
  try {
    const server = await startServer(settings, logs, stopping);
    await reportToServiceManager(settings, server, stopping);
    log.info('ready', {
      http: originOf(server, settings),
      data: settings.dataDirectory,
      kubeconfig: server.kubeconfig,
      seconds: Number(process.uptime().toFixed(2)),
    });
    logConsole(server, settings, log);
    warnIfOpen(settings, log);
    // Otherwise Node writes it only at a graceful exit, and a server that is killed always starts slowly.
    flushCompileCache();
    keepHeapSmall();
    await keepFreeMemorySmall();
    runBeforeOtherThreads();
    allowCompilers();
    await server.stopped();
    return 0;
  } catch (thrown) {
    if (thrown instanceof PlatformError) return fail(await withWayOut(thrown, settings));
    throw thrown;
  }
}

/** Does nothing in a process that no service manager has started. */
async function reportToServiceManager(
  settings: Settings,
  server: RunningServer,
  signal: AbortSignal,
): Promise<void> {
  const manager = await openServiceManager(process.env);
  if (manager === undefined) return;
  const readyText = `serving ${originOf(server, settings)}`;
  reportState({ manager, clock: nodeClock, failures: server.failures, readyText, signal });
}

/** `tinkerbell config check` */
function checkConfig(commandLine: readonly string[]): number {
  const given = givenFlags(commandLine, process.env);
  settingsFrom(given.reader, nodeUdp.networkInterfaces());
  process.stdout.write(configReport(given));
  return 0;
}

/** `tinkerbell check` */
async function checkStore(commandLine: readonly string[]): Promise<number> {
  const { reader } = givenFlags(commandLine, process.env);
  const { storeReport } = await import('./stores/store-check.ts');
  const { isIntact, text } = storeReport(resolve(reader.text('data-dir')));
  (isIntact ? process.stdout : process.stderr).write(text);
  return isIntact ? 0 : 1;
}

/** `tinkerbell crds apply` */
async function giveCrds(commandLine: readonly string[]): Promise<number> {
  const kubeconfig = givenFlags(commandLine, process.env).reader.text('kubeconfig');
  const { applyCrds } = await import('./stores/crds-apply.ts');
  try {
    await applyCrds(kubeconfig, (line) => void process.stdout.write(`${line}\n`));
    return 0;
  } catch (thrown) {
    return fail(messageOf(thrown));
  }
}

/** `tinkerbell gateway check FILE`, `tinkerbell cert init|issue NAME...|show` */
async function gatewayVerb(): Promise<number> {
  const { gatewayCommand } = await import('./gateway/commands.ts');
  try {
    const output = gatewayCommand(process.argv.slice(2), process.env);
    process.stdout.write(output ?? '');
    return output === undefined
      ? fail('usage: tinkerbell gateway check FILE, or cert init|issue NAME...|show')
      : 0;
  } catch (thrown) {
    return fail(messageOf(thrown));
  }
}

/**
 * Whoever has the link is an administrator, as with the kubeconfig. It is shown to a person at a terminal, and not to systems that
 * collect logs.
 */
function logConsole(server: RunningServer, settings: Settings, log: Log): void {
  const { webConsole, logsConsoleLink } = settings;
  if (!webConsole) return;
  const url = `${originOf(server, settings)}/console/`;
  const isShown = process.stderr.isTTY || logsConsoleLink;
  const link = isShown ? server.newConsoleLink() : undefined;
  if (link === undefined) log.info('console', { url });
  else log.info('console', { url: url + link, valid: 'once, within 15 minutes' });
}

/** With the address that the port listens on, or with the public one if it listens on all. */
function originOf({ http: { address, port } }: RunningServer, { publicIpv4 }: Settings): string {
  const isAll = address === '0.0.0.0' || address === '::';
  const host = address.includes(':') ? `[${address}]` : address;
  return `http://${isAll ? publicIpv4 : host}:${port}`;
}

function warnIfOpen(settings: Settings, log: Log): void {
  if (settings.apiAnonymous !== 'everyone') return;
  log.warn('the API answers everyone without authentication', { flag: '--api-anonymous=everyone' });
}

/** Explains a port that cannot be opened: the program that holds it, unless the platform has named it, and the flag that changes it. */
async function withWayOut({ code, message, port }: PlatformError, settings: Settings): Promise<string> {
  if (port === undefined) return message;
  const isHeld = code === 'address-in-use' && port.hasHolder !== true;
  const holder = isHeld ? await holderOf(port.protocol, port.number) : '';
  const flag = flagOfPort(port, settings);
  return `${message}${holder}${flag === undefined ? '' : `; choose another with ${flag}`}`;
}

function flagOfPort(
  { protocol, number }: FailedPort,
  { http, workflows, boot }: Settings,
): string | undefined {
  return new Map([
    [`tcp ${http.port}`, '--http-port'],
    [`tcp ${workflows?.port}`, '--tink-server-bind-port'],
    [`udp ${boot?.dhcp?.port}`, '--dhcp-bind-interface, or disable DHCP with --dhcp-enabled=false'],
    [`udp ${boot?.tftp?.port}`, '--tftp-server-bind-port'],
    [`udp ${boot?.syslog?.port}`, '--syslog-bind-port, or disable it with --syslog-enabled=false'],
  ]).get(`${protocol} ${number}`);
}

function fail(message: string): number {
  process.stderr.write(`tinkerbell: ${message}\n`);
  return 1;
}

try {
  const [first, second, ...others] = process.argv.slice(2);
  const verb = `${first} ${second}`;
  const isCommand = first !== undefined && !first.startsWith('-');
  if (isCommand) allowCompilers();
  if (verb === 'crds apply') process.exitCode = await giveCrds(others);
  else if (verb === 'config check') process.exitCode = checkConfig(others);
  else if (first === 'check') process.exitCode = await checkStore(process.argv.slice(3));
  else if (first === 'gateway' || first === 'cert') process.exitCode = await gatewayVerb();
  else process.exitCode = await main();
} catch (thrown) {
  if (!(thrown instanceof SettingsError)) throw thrown;
  process.exitCode = fail(thrown.message);
}
