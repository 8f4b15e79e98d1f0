/** Settings of agent authentication. */
import type { AgentAuthMode } from '@tinkerbell/agent-identity';
import type { Clock, Log, Random } from '@tinkerbell/platform-contract';
import { nodeHmac } from '@tinkerbell/platform-node';
import type { WorkflowsConfig } from '@tinkerbell/service-workflows';
import { createAgentSessions, identityKeyPlace, openIdentityKey } from '@tinkerbell/engine-agent-sessions';
import type { ObjectKey, Store, View } from '@tinkerbell/store-contract';
import { ipNetworkContains, parseIpAddress } from '@tinkerbell/wire';
import type { FlagReader } from './flag-reader.ts';
import { SettingsError } from './settings-error.ts';
import { trustedProxies } from './setting-values.ts';

export const AUTH_MODES = ['off', 'optional', 'required'] as const;

export function agentAuthMode(flags: FlagReader): AgentAuthMode {
  return flags.oneOf('agent-auth', AUTH_MODES);
}

/** Throws a SettingsError. */
export function metadataAuthMode(flags: FlagReader): AgentAuthMode {
  const mode = flags.oneOf('metadata-auth', AUTH_MODES);
  if (mode === 'required' && agentAuthMode(flags) === 'off')
    throw new SettingsError(
      '--metadata-auth=required needs agent sessions, which --agent-auth=off disables; use --agent-auth=optional',
    );
  return mode;
}

/** Settings of the workflow service. `origins` are the URLs of our own HTTP ports. */
export function agentAuthConfig(
  flags: FlagReader,
  origins: readonly string[],
): Pick<WorkflowsConfig, 'agentClaim' | 'httpOrigins'> {
  const httpOrigins = origins.filter((origin) => !origin.endsWith(':0'));
  if (flags.text('agent-claim') === '') return { httpOrigins };
  const proxies = trustedProxies(flags);
  if (proxies.length === 0)
    throw new SettingsError(
      '--agent-claim needs --trusted-proxies with the networks of the proxies that verify tokens, such as 127.0.0.1/32 for our own gateway',
    );
  const isTrusted = (text: string): boolean => {
    const address = parseIpAddress(text);
    return address !== undefined && proxies.some((network) => ipNetworkContains(network, address));
  };
  return { httpOrigins, agentClaim: { isTrusted } };
}

interface IdentityDeps {
  readonly store: Store;
  readonly view: View;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly hidden: readonly ObjectKey[];
}

/** Dependencies for agent authentication. Rejects if there is no key but agents must authenticate. */
export async function openAgentIdentity(mode: AgentAuthMode, deps: IdentityDeps) {
  const hidden = [...deps.hidden, identityKeyPlace];
  if (mode === 'off') return { hidden };
  try {
    const key = await openIdentityKey({ ...deps, hmac: nodeHmac });
    const sessions = createAgentSessions({ ...deps, key }, mode);
    return { hidden, agentGate: sessions, bootTokens: sessions, agentSessions: sessions };
  } catch (thrown) {
    if (mode === 'required') throw thrown;
    deps.log.warn('agent sessions are disabled: the signing key is unavailable', {
      error: String(thrown),
    });
    return { hidden };
  }
}
