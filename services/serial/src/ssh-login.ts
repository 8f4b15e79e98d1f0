/** Authentication of SSH clients: public keys only, each a key of the Hardware that the user name names. */
import { timingSafeEqual } from 'node:crypto';
import type { Hardware } from '@tinkerbell/resources';
import ssh2, { type AuthContext, type Connection } from 'ssh2';
import { admissionOf } from './admission.ts';
import type { SerialDeps } from './config.ts';
import type { SerialMetrics } from './metrics.ts';

/** An agent may offer several keys. OpenSSH's server allows six. */
const TRIES_MAX = 6;
const LOGIN_MS_MAX = 20_000;

/** Calls back once, when the client has proven that it has a key of the Hardware. */
export function followLogin(
  { view, log, clock }: Pick<SerialDeps, 'view' | 'log' | 'clock'>,
  { client, metrics }: { readonly client: Connection; readonly metrics: SerialMetrics },
  admitted: (hardware: Hardware) => void,
): void {
  let tries = 0;
  const cancel = clock.schedule(LOGIN_MS_MAX, () => client.end());
  client.on('close', cancel);
  client.on('authentication', (context) => {
    const reject = (outcome: string): void => {
      metrics.logins.add({ outcome });
      log.info('serial console: login refused', { user: context.username, reason: outcome });
      if (tries >= TRIES_MAX) client.end();
      else context.reject(['publickey']);
    };
    // A client asks first which methods there are.
    if (context.method === 'none') return context.reject(['publickey']);
    tries += 1;
    if (context.method !== 'publickey') return reject('no-public-key');
    const admission = admissionOf(view, context.username, {
      algorithm: context.key.algo,
      blob: context.key.data,
    });
    if (!admission.ok) return reject(admission.reason);
    // Without a signature the client only asks whether the key would do.
    if (context.signature === undefined) return context.accept();
    if (!isSignedByKey(context)) return reject('wrong-signature');
    cancel();
    metrics.logins.add({ outcome: 'admitted' });
    context.accept();
    admitted(admission.hardware);
  });
}

function isSignedByKey(context: Extract<AuthContext, { method: 'publickey' }>): boolean {
  const parsed = ssh2.utils.parseKey(context.key.data);
  if (parsed instanceof Error || Array.isArray(parsed)) return false;
  const [{ blob, signature }, offered] = [context, context.key.data];
  if (blob === undefined || signature === undefined) return false;
  const own = parsed.getPublicSSH();
  if (own.length !== offered.length || !timingSafeEqual(own, offered)) return false;
  // Of an unknown algorithm it returns an Error, which its types do not name.
  const result: unknown = parsed.verify(blob, signature, context.hashAlgo);
  return result === true;
}
