/** The gateway with what it needs of this machine. */
import { readFile } from 'node:fs/promises';
import type { Clock, HttpClient, Log, Random, Service } from '@tinkerbell/platform-contract';
import { createRemoteKeys, createTokenVerifier, fixedKeys } from '@tinkerbell/platform-jwt';
import { createGatewayService } from '@tinkerbell/service-gateway';
import { ensureCertificate } from './gateway-authority.ts';
import type { GatewaySettings } from './gateway-settings.ts';

interface GatewayParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly httpClient: HttpClient;
}

export function gatewayService(parts: GatewayParts, { authority, ...config }: GatewaySettings): Service {
  const { clock, httpClient } = parts;
  if (authority !== undefined) ensureCertificate(authority.directory, authority.names, clock.nowMs());
  return createGatewayService(
    {
      ...parts,
      readFile: (path) => readFile(path, 'utf8'),
      verifierFor: ({ jwksUrl = '', ...issuer }, jwks) => {
        // The operator named the URL; where it leads to is not for others to say.
        const mayConnect = ({ redirects }: { readonly redirects: number }) => redirects === 0;
        const keys =
          jwks === undefined
            ? createRemoteKeys(jwksUrl, { httpClient, clock, mayConnect })
            : fixedKeys(JSON.parse(jwks));
        return createTokenVerifier([{ ...issuer, keys }], clock);
      },
    },
    config,
  );
}
