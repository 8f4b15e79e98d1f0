/** Finds the Hardware with a given name or MAC. */
import { hardwareKind, type Resource } from '@tinkerbell/resources';
import type { ApiKind } from './api-kind.ts';
import type { ObjectName } from './client.ts';
import { TinkFailure } from '../failure.ts';
import { hardwareWithMac, macIn } from '../workflow/hardware-map.ts';
import { withCloseNames } from './name-advice.ts';
import type { Session } from './session.ts';
import { named } from './named.ts';

export async function machineNamed(session: Session, machine: string): Promise<ObjectName> {
  const mac = macIn(machine);
  if (mac === undefined) return existing(session, { kind: hardwareKind, name: machine });
  const { items } = await session.client.list(hardwareKind, {});
  const found = hardwareWithMac(mac, items);
  if (found === undefined) {
    throw new TinkFailure(`no hardware has the MAC ${mac}`, {
      advice:
        '"tink get unknown" lists machines that asked to boot and are not registered; "tink get hardware -A" shows all MACs',
    });
  }
  return { kind: hardwareKind, name: found.metadata.name, namespace: found.metadata.namespace };
}

export async function existing<Object extends Resource>(
  session: Session,
  { kind, name }: { readonly kind: ApiKind<Object>; readonly name: string },
): Promise<ObjectName<Object>> {
  const { client } = session;
  const target = await named(session, kind, name);
  await withCloseNames(client, target, () => client.get(target));
  return target;
}
