/** What `--help` prints. */
import { DEFAULTS } from './settings.ts';

/** By flag, in the order in which they are listed. */
const MEANINGS: Readonly<Record<string, string>> = {
  'grpc-server': 'host:port of the server',
  id: 'of this agent (the MAC of its first network interface)',
  'grpc-tls': 'the server speaks TLS',
  'grpc-insecure-tls': 'its certificate is not checked',
  'boot-token': 'exchanged for a session',
  'attribute-detection': 'tells the server what hardware this is',
  'backoff-max-interval': 'longest wait between two tries to reach the server',
  'spool-directory': 'keeps what was done until the server knows',
  'allow-reboot': 'actions may restart this machine',
  'log-level': '0 tells decisions, 1 details',
};

export function agentHelp(): string {
  const lines = Object.entries(MEANINGS).map(([flag, what]) => {
    const standard = DEFAULTS[flag] ?? '';
    const meaning = `${what}${standard === '' ? '' : ` (${standard})`}`;
    return `  --${flag.padEnd(22)}${meaning}\n`;
  });
  return `The agent: asks a server for the workflows of this machine and runs their actions.

  agent --grpc-server HOST:PORT [flags]

${lines.join('')}
Each also by the environment: AGENT_GRPC_SERVER for --grpc-server. The in-memory OS reads them from the kernel's
command line: grpc_authority, worker_id, tinkerbell_tls, tinkerbell_insecure_tls, tinkerbell_boot_token.
`;
}

/** `-help` as Go's flag package has it. */
export function asksForHelp(args: readonly string[]): boolean {
  return args.some((argument) => ['-h', '-help', '--help'].includes(argument));
}
