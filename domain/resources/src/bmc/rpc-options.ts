/** Settings of the driver that sends operations to a web service (bmclib's `rpc` provider). */
import { Type } from '../schema.ts';
import { described, mapOf, optional } from '../schema-builders.ts';

const request = Type.Object({
  httpContentType: optional('Content type of requests. Default: `application/json`.', Type.String()),
  httpMethod: optional('HTTP method of requests. Default: `POST`.', Type.String()),
  staticHeaders: optional(
    'Headers to add to every request, each with a list of values.',
    mapOf(Type.Array(Type.String())),
  ),
  timestampFormat: optional("Format of the timestamp, as a layout of Go's time package.", Type.String()),
  timestampHeader: optional(
    'Header that carries the time of the request, for example `X-BMCLIB-Timestamp`.',
    Type.String(),
  ),
});

const signature = Type.Object({
  appendAlgoToHeaderDisabled: optional(
    'Omits the algorithm from the name of the signature header. Default: false.',
    Type.Boolean(),
  ),
  headerName: optional('Header that carries the signature, for example `X-BMCLIB-Signature`.', Type.String()),
  includedPayloadHeaders: optional(
    'Headers whose values are signed together with the body.',
    Type.Array(Type.String()),
  ),
});

const secretReference = Type.Object(
  {
    name: optional('Name of the Secret.', Type.String()),
    namespace: optional('Namespace of the Secret.', Type.String()),
  },
  { 'x-kubernetes-map-type': 'atomic' },
);

const hmac = Type.Object({
  prefixSigDisabled: optional(
    'Omits the algorithm and `=` from the start of the signature. Default: false.',
    Type.Boolean(),
  ),
  secrets: optional(
    'Secrets for signing requests, by algorithm: `sha256` or `sha512`.',
    mapOf(Type.Array(secretReference)),
  ),
});

const experimental = Type.Object({
  customRequestPayload: optional('JSON document to send as the body of requests.', Type.String()),
  dotPath: optional(
    'Path in that document where the operation is inserted, for example `object.data.body`.',
    Type.String(),
  ),
});

export const RpcOptions = Type.Object({
  consumerURL: described('URL of the service that receives the operations.', Type.String()),
  experimental: optional('Settings that may change without notice.', experimental),
  hmac: optional('Keys and form of the HMAC signature.', hmac),
  logNotificationsDisabled: optional(
    'Disables logging of requests and responses. Default: false.',
    Type.Boolean(),
  ),
  request: optional('Form of the HTTP request.', request),
  signature: optional('How the signature is added to the request.', signature),
});
