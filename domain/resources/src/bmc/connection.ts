import { Type, type Static } from '../schema.ts';
import { described, integer, optional } from '../schema-builders.ts';
import { ProviderOptions } from './provider-options.ts';

export const Connection = Type.Object({
  authSecretRef: optional(
    'Secret with the keys `username` and `password`. The `rpc` provider does not need it.',
    Type.Object(
      {
        name: optional('Name of the Secret.', Type.String()),
        namespace: optional('Namespace of the Secret.', Type.String()),
      },
      { 'x-kubernetes-map-type': 'atomic' },
    ),
  ),
  host: described('Address or DNS name of the BMC, for example `10.0.0.21`.', Type.String({ minLength: 1 })),
  insecureTLS: described(
    "Accepts any TLS certificate of the BMC. Upstream's BMC controller ignores it.",
    Type.Boolean(),
  ),
  port: optional(
    'Informational: no driver reads it. To set the port of a protocol, use `providerOptions`.',
    integer({ default: 623 }),
  ),
  providerOptions: optional('Settings of individual drivers (providers), and their order.', ProviderOptions),
});
export type Connection = Static<typeof Connection>;
