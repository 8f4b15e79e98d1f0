/** Creates the gateway with its dependencies. */
import { readFile } from 'node:fs/promises';
import type { Clock, HttpClient, Log, Random, Service } from '@tinkerbell/platform-contract';
import { createRemoteKeys, createTokenVerifier, fixedKeys } from '@tinkerbell/platform-jwt';
import { createGatewayService } from '@tinkerbell/service-gateway';
import { keepCertificates } from './certificates.ts';
import type { GatewaySettings } from './settings.ts';

interface GatewayParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly httpClient: HttpClient;
}

export function gatewayService(
  parts: GatewayParts,
  { authority, refuseForward, ...config }: GatewaySettings,
): Service {
  const { clock, httpClient } = parts;
  const service = createGatewayService(
    {
      ...parts,
      readFile: (path) => readFile(path, 'utf8'),
      refuseForward,
      verifierFor: ({ jwksUrl = '', ...issuer }, jwks) => {
        // The operator configured the URL. Do not follow its redirects.
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
  if (authority === undefined) return service;
  return {
    ...service,
    async start(signal) {
      keepCertificates({ ...parts, ...authority }, signal);
      await service.start(signal);
    },
  };
}
