/** Settings of the doctor and its webhooks. */
import { readFileSync } from 'node:fs';
import type { ServerPort } from '@tinkerbell/platform-contract';
import { webhookFormats, type DoctorConfig, type WebhookConfig } from '@tinkerbell/service-doctor';
import type { FlagReader } from './flag-reader.ts';
import { SettingsError } from './settings-error.ts';

/** A shorter secret can be guessed from one signed body. */
const SECRET_BYTES_MIN = 16;

/** Returns undefined if the doctor is disabled. */
export function doctorSettings(flags: FlagReader, serverAddress: string): DoctorConfig | undefined {
  if (!flags.boolean('enable-doctor')) return undefined;
  return {
    serverAddress,
    ports: portsOfMachines(flags),
    webhooks: webhookSettings(flags),
    activeChecks: flags.boolean('doctor-active-checks'),
  };
}

/** The ports to which machines come. A DHCP proxy does not answer the operating systems that would ask. */
function portsOfMachines(flags: FlagReader): readonly ServerPort[] {
  const isBoot = flags.boolean('enable-smee');
  const all = [
    { name: 'HTTP', asks: 'tcp', port: 'http-port', isOn: true },
    { name: 'gRPC', asks: 'tcp', port: 'tink-server-bind-port', isOn: flags.boolean('enable-tink-server') },
    {
      name: 'TFTP',
      asks: 'tftp',
      port: 'tftp-server-bind-port',
      isOn: isBoot && flags.boolean('tftp-server-enabled'),
    },
    {
      name: 'DHCP',
      asks: 'dhcp',
      port: 'dhcp-bind-port',
      isOn: isBoot && flags.boolean('dhcp-enabled') && flags.text('dhcp-mode') === 'reservation',
    },
  ] as const;
  return all
    .filter(({ isOn }) => isOn)
    .map(({ name, asks, port }) => ({ name, asks, port: flags.port(port) }));
}

function webhookSettings(flags: FlagReader): WebhookConfig {
  const file = flags.text('doctor-webhook-secret-file');
  return {
    urls: flags.list('doctor-webhook-url').map(webhookUrl),
    format: flags.oneOf('doctor-webhook-format', webhookFormats),
    ...(file === '' ? {} : { secret: secretIn(file) }),
  };
}

/** The message does not repeat the URL, because its path may be a secret. */
function webhookUrl(text: string, index: number): string {
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol) && url.username === '') return url.href;
  throw new SettingsError(
    `--doctor-webhook-url: URL ${index + 1} must be http://HOST/PATH or https://HOST/PATH, without user and password`,
  );
}

function secretIn(file: string): Uint8Array {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch (cause) {
    throw new SettingsError(`cannot read --doctor-webhook-secret-file ${file}`, { cause });
  }
  const secret = new TextEncoder().encode(text);
  if (secret.length >= SECRET_BYTES_MIN) return secret;
  throw new SettingsError(
    `--doctor-webhook-secret-file ${file} must contain at least ${SECRET_BYTES_MIN} bytes; create one with: openssl rand -hex 32`,
  );
}
