import { Type, type Static } from '../schema.ts';
import { int32, integer, mapOf, oneOf } from '../schema-builders.ts';

export const ProviderOptions = Type.Object({
  homeassistant: Type.Optional(
    Type.Object({
      powerOperationDelaySeconds: Type.Optional(int32()),
      switchEntityID: Type.String(),
    }),
  ),
  intelAMT: Type.Optional(
    Type.Object({
      hostScheme: Type.Optional(oneOf(['http', 'https'], { default: 'http' })),
      port: Type.Optional(integer()),
    }),
  ),
  ipmitool: Type.Optional(
    Type.Object({
      cipherSuite: Type.Optional(Type.String()),
      port: Type.Optional(integer()),
    }),
  ),
  preferredOrder: Type.Optional(
    Type.Array(
      Type.String({ pattern: '(?i)^(ipmitool|asrockrack|gofish|IntelAMT|dell|supermicro|openbmc)$' }),
    ),
  ),
  redfish: Type.Optional(
    Type.Object({
      port: Type.Optional(integer()),
      systemName: Type.Optional(Type.String()),
      useBasicAuth: Type.Optional(Type.Boolean()),
    }),
  ),
  rpc: Type.Optional(
    Type.Object({
      consumerURL: Type.String(),
      experimental: Type.Optional(
        Type.Object({
          customRequestPayload: Type.Optional(Type.String()),
          dotPath: Type.Optional(Type.String()),
        }),
      ),
      hmac: Type.Optional(
        Type.Object({
          prefixSigDisabled: Type.Optional(Type.Boolean()),
          secrets: Type.Optional(
            mapOf(
              Type.Array(
                Type.Object(
                  {
                    name: Type.Optional(Type.String()),
                    namespace: Type.Optional(Type.String()),
                  },
                  { 'x-kubernetes-map-type': 'atomic' },
                ),
              ),
            ),
          ),
        }),
      ),
      logNotificationsDisabled: Type.Optional(Type.Boolean()),
      request: Type.Optional(
        Type.Object({
          httpContentType: Type.Optional(Type.String()),
          httpMethod: Type.Optional(Type.String()),
          staticHeaders: Type.Optional(mapOf(Type.Array(Type.String()))),
          timestampFormat: Type.Optional(Type.String()),
          timestampHeader: Type.Optional(Type.String()),
        }),
      ),
      signature: Type.Optional(
        Type.Object({
          appendAlgoToHeaderDisabled: Type.Optional(Type.Boolean()),
          headerName: Type.Optional(Type.String()),
          includedPayloadHeaders: Type.Optional(Type.Array(Type.String())),
        }),
      ),
    }),
  ),
});
export type ProviderOptions = Static<typeof ProviderOptions>;

export const Connection = Type.Object({
  authSecretRef: Type.Optional(
    Type.Object(
      {
        name: Type.Optional(Type.String()),
        namespace: Type.Optional(Type.String()),
      },
      { 'x-kubernetes-map-type': 'atomic' },
    ),
  ),
  host: Type.String({ minLength: 1 }),
  insecureTLS: Type.Boolean(),
  port: Type.Optional(integer({ default: 623 })),
  providerOptions: Type.Optional(ProviderOptions),
});
export type Connection = Static<typeof Connection>;
