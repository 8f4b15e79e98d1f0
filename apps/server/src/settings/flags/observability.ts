import { boolean, flagGroup, list, number, text } from '../flag.ts';

const partHelp = (part: string): string => `log level of ${part}; 0 uses --log-level`;

export const observabilityFlags = flagGroup('Logs and traces', {
  'log-level': number('above 0 logs every decision, below 0 logs nothing', { default: '0' }),
  'smee-log-level': number(partHelp('DHCP, TFTP, scripts, binaries and syslog'), { default: '0' }),
  'tootles-log-level': number(partHelp('instance metadata'), { default: '0' }),
  'tink-server-log-level': number(partHelp('the gRPC service for agents'), { default: '0' }),
  'tink-controller-log-level': number(partHelp('the workflow controller'), { default: '0' }),
  'rufio-log-level': number(partHelp('BMC control'), { default: '0' }),
  'secondstar-log-level': number(partHelp('the serial consoles'), { default: '0' }),
  'log-format': text('text or json', { fallback: 'text on a terminal, else json' }),
  'otel-endpoint': text('host:port of a trace collector that speaks OTLP over gRPC', {
    fallback: 'OTEL_EXPORTER_OTLP_ENDPOINT; no traces without either',
  }),
  'otel-insecure': boolean('connect to the trace collector without TLS', { default: 'false' }),
});

export const doctorFlags = flagGroup('Doctor', {
  'enable-doctor': boolean('find out why machines do not boot, and report it', { default: 'true' }),
  'doctor-active-checks': boolean(
    'when a machine stands still, probe its address, read the power and boot device of its BMC, and let one agent in its network try the ports of this server',
    { default: 'false' },
  ),
  'doctor-webhook-url': list(
    'URLs that are notified when a machine stands still or has recovered; never one of this machine',
  ),
  'doctor-webhook-secret-file': text(
    'file with the secret that signs the bodies, at least 16 bytes; line breaks at its ends do not count',
    { fallback: 'bodies are not signed' },
  ),
  'doctor-webhook-format': text('json, or slack for incoming webhooks of Slack and compatible services', {
    default: 'json',
  }),
});
