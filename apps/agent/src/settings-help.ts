/** The text of `--help`. */
import { DEFAULTS } from './settings.ts';

/** Descriptions by flag, in the printed order. */
const MEANINGS: Readonly<Record<string, string>> = {
  'grpc-server': 'host:port of the server',
  id: 'agent id (default: MAC of the first network interface)',
  'grpc-tls': 'use TLS',
  'grpc-insecure-tls': 'accept any server certificate',
  'boot-token': 'token that the agent exchanges for a session',
  'attribute-detection': 'send the hardware attributes of the machine',
  'backoff-max-interval': 'longest pause between retries',
  'spool-directory': 'directory for unacknowledged reports',
  'allow-reboot': 'let actions restart this machine',
  runtime: 'auto, builtin, crun or docker; auto is crun if it is installed',
  'built-in-actions': 'auto, or never to run every image as a container',
  'registry-name': 'registry that gets the user and the password',
  'registry-user': 'user of that registry',
  'registry-pass': 'password of that registry',
  'registry-mirrors': 'registry=URL pairs, separated by commas, to ask first',
  'registry-plain-http': 'registries without TLS, separated by commas',
  'registry-ca-file': 'certificates of private authorities in PEM',
  'container-directory': 'directory of images that run (default: containers in the spool directory)',
  crun: 'name or path of the program crun',
  'docker-socket': 'socket of Docker',
  'log-level': '0 logs decisions, 1 also logs details',
};

export function agentHelp(): string {
  const lines = Object.entries(MEANINGS).map(([flag, what]) => {
    const standard = DEFAULTS[flag] ?? '';
    const meaning = `${what}${standard === '' ? '' : ` (default: ${standard})`}`;
    return `  --${flag.padEnd(22)}${meaning}\n`;
  });
  return `The agent: requests actions for this machine from a server, and runs them.

  agent --grpc-server HOST:PORT [flags]

${lines.join('')}
You can also set each flag in the environment: AGENT_GRPC_SERVER for --grpc-server. In the in-memory OS, the agent reads
these kernel arguments: grpc_authority, worker_id, tinkerbell_tls, tinkerbell_insecure_tls, tinkerbell_boot_token.
`;
}

/** Accepts `-help` too, like Go's flag package. */
export function asksForHelp(args: readonly string[]): boolean {
  return args.some((argument) => ['-h', '-help', '--help'].includes(argument));
}
