/** A gateway on loopback with certificates, for tests. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '@tinkerbell/platform-contract';
import { createTokenVerifier, fixedKeys } from '@tinkerbell/platform-jwt';
import { createNodeLog, nodeClock, nodeRandom } from '@tinkerbell/platform-node';
import { certify, ecdsaKey, rsaKey } from '@tinkerbell/platform-x509';
import type { GatewayDeps } from '../gateway-deps.ts';
import { createGatewayService, type GatewayService } from '../index.ts';

export interface GatewayBench extends AsyncDisposable {
  readonly gateway: GatewayService;
  readonly folder: string;
  readonly ca: string;
  /** Writes the route file and reloads it. */
  use(text: string): Promise<void>;
}

export function issue(
  dnsNames: readonly string[],
  authority?: { certificate: string; key: string },
  kind: 'ec' | 'rsa' = 'ec',
) {
  const request = {
    commonName: dnsNames[0] ?? 'authority',
    ips: [],
    dnsNames,
    daysValid: 1,
    isAuthority: authority === undefined,
    key: kind === 'rsa' ? rsaKey(2048) : ecdsaKey('P-384'),
    ...(authority === undefined ? {} : { authority }),
  };
  const made = certify(request, nodeClock.nowMs());
  if (!made.ok) throw new Error(made.error);
  return made;
}

/** Time that passes a hundred times as fast for code that waits for it. */
export const hurriedClock: Clock = {
  ...nodeClock,
  schedule: (delayMs, task) => nodeClock.schedule(delayMs / 100, task),
};

export async function startGateway(
  text: string,
  clock: Clock = nodeClock,
  limits: Partial<Pick<GatewayDeps, 'heldBytesMax' | 'log'>> = {},
): Promise<GatewayBench> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-'));
  const authority = issue([]);
  const leaf = issue(['*.example.org'], authority);
  writeFileSync(join(folder, 'ca.pem'), authority.certificate);
  writeFileSync(join(folder, 'ca.key'), authority.key);
  writeFileSync(join(folder, 'a.pem'), leaf.certificate);
  writeFileSync(join(folder, 'a.key'), leaf.key);
  const routeFile = join(folder, 'routes.yaml');
  const write = (content: string) => writeFileSync(routeFile, content.replaceAll('FOLDER', folder));
  write(text);
  const gateway = createGatewayService(
    {
      clock,
      random: nodeRandom,
      log: createNodeLog({ level: 'silent', format: 'json' }),
      ...limits,
      readFile: (path) => readFile(path, 'utf8'),
      verifierFor: (settings, jwks) =>
        createTokenVerifier([{ ...settings, keys: fixedKeys(JSON.parse(jwks ?? '')) }], nodeClock),
    },
    { fixed: { listeners: [], routes: [], forwards: [], trustedProxies: [] }, routeFile },
  );
  const stopping = new AbortController();
  await gateway.start(stopping.signal);
  return {
    gateway,
    folder,
    ca: authority.certificate,
    use(content) {
      write(content);
      return gateway.reload();
    },
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await gateway.stopped();
      rmSync(folder, { recursive: true });
    },
  };
}
