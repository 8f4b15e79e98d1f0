/** Settings of the drivers that upstream's BMC controller (Rufio, by way of bmclib) knows. */
import { Type, type Static } from '../schema.ts';
import { described, int32, integer, oneOf, optional } from '../schema-builders.ts';
import { RpcOptions } from './rpc-options.ts';

const PROVIDER = '(?i)^(ipmitool|asrockrack|gofish|IntelAMT|dell|supermicro|openbmc)$';

export const ProviderOptions = Type.Object({
  homeassistant: optional(
    'Home Assistant: a smart plug that switches the power of the machine.',
    Type.Object({
      powerOperationDelaySeconds: optional('Seconds to wait after switching the power. Default: 0.', int32()),
      switchEntityID: described(
        'Entity ID of the switch in Home Assistant, for example `switch.rack1_plug3`.',
        Type.String(),
      ),
    }),
  ),
  intelAMT: optional(
    'Intel AMT, the management engine of business PCs.',
    Type.Object({
      hostScheme: optional('Protocol of AMT requests.', oneOf(['http', 'https'], { default: 'http' })),
      port: optional('TCP port of AMT, usually 16992 for http and 16993 for https.', integer()),
    }),
  ),
  ipmitool: optional(
    'IPMI, through the program `ipmitool`.',
    Type.Object({
      cipherSuite: optional('Number of the IPMI cipher suite, for example `3` or `17`.', Type.String()),
      port: optional('UDP port of IPMI, usually 623.', integer()),
      version: optional(
        'Version of IPMI: `2.0` or `1.5`. `1.5` is for BMCs that have nothing better: it encrypts nothing, and has no serial console. Default: 2.0.',
        oneOf(['2.0', '1.5']),
      ),
    }),
  ),
  preferredOrder: optional(
    'Drivers to try first, in this order. The others follow in their default order. Case does not matter. `gofish` is Redfish.',
    Type.Array(Type.String({ pattern: PROVIDER })),
  ),
  redfish: optional(
    'Redfish, the HTTPS API of current BMCs.',
    Type.Object({
      port: optional('TCP port of Redfish, usually 443.', integer()),
      systemName: optional(
        'Name of the system to control, for a BMC that manages more than one.',
        Type.String(),
      ),
      useBasicAuth: optional(
        'Sends user name and password with each request instead of opening a session. Default: false.',
        Type.Boolean(),
      ),
    }),
  ),
  rpc: optional('Webhook: sends each operation to your own HTTP service.', RpcOptions),
});
export type ProviderOptions = Static<typeof ProviderOptions>;
