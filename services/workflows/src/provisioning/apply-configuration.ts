/** ApplyConfiguration: updates the Hardware with the caller's values, by compare-and-swap. */
import { isDeepStrictEqual } from 'node:util';
import {
  configurationOf,
  configured,
  findDevice,
  type ApplyConfigurationRequest,
  type Configuration,
} from '@tinkerbell/provisioning';
import { formatProblem, primaryMacOf, validateResource, type Hardware } from '@tinkerbell/resources';
import { hardwareCollection, type Decision } from '@tinkerbell/store-contract';
import { RpcError } from '../grpc/rpc-error.ts';
import type { Identity } from './access.ts';
import { hardwareIn, permit, type ProvisioningDeps } from './job-store.ts';
import { valueOf } from './refused-request.ts';

export interface AppliedConfiguration {
  readonly device_id: string;
  readonly config: Configuration;
}

/** Durable when the promise resolves. An unchanged Hardware is not written. */
export async function applyConfiguration(
  deps: ProvisioningDeps,
  { device_id: device, config }: ApplyConfigurationRequest,
  identity: Identity,
): Promise<AppliedConfiguration> {
  const { metadata } = valueOf(findDevice(device, hardwareIn(deps)));
  const updated = await hardwareCollection.update(deps.store, metadata, (current) => {
    permit(deps, identity, current);
    return decide(current, config);
  });
  if (updated.ok) {
    record(deps, updated.after, { config, identity });
    return shown(updated.after);
  }
  if (updated.kind === 'refused') {
    if (updated.refusal === '') return shown(updated.object);
    throw new RpcError('invalid-argument', updated.refusal);
  }
  throw new RpcError(updated.kind, updated.message);
}

function shown(hardware: Hardware): AppliedConfiguration {
  return { device_id: hardware.metadata.name, config: configurationOf(hardware) };
}

/** The refusal states why the Hardware would be invalid. The result is empty when nothing would change. */
function decide(current: Hardware, config: Configuration): Decision<string, Hardware> {
  const changed = configured(current, config);
  if (isDeepStrictEqual(changed.spec, current.spec)) return { refusal: '' };
  const validated = validateResource(changed);
  if (!validated.ok) return { refusal: validated.problems.map(formatProblem).join('; ') };
  const generation = (current.metadata.generation ?? 0) + 1;
  return { object: { ...changed, metadata: { ...changed.metadata, generation } } };
}

function record(
  { journal }: ProvisioningDeps,
  hardware: Hardware,
  { config, identity }: { readonly config: Configuration; readonly identity: Identity },
): void {
  const machine = primaryMacOf(hardware);
  const fields = Object.keys(config).join(', ');
  journal.append({
    source: 'server',
    ...(machine === undefined ? {} : { machine }),
    event: 'configuration-applied',
    message: `${fields} of ${hardware.metadata.name} set by ${identity.user}`,
  });
}
