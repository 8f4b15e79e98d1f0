/** Trust on first use: the certificate of a BMC at the first contact is pinned, by an annotation of its Machine. */
import { CERTIFICATE_ANNOTATION } from '@tinkerbell/bmc';
import type { BmcMachine } from '@tinkerbell/resources';
import type { NamespacedName } from '@tinkerbell/store-contract';
import { machineCollection } from './collections.ts';
import type { Reconciling } from './config.ts';
import { recordForMachine } from './timeline.ts';

/** Does nothing for a connection without TLS, with a pin, or with `insecureTLS`. */
export async function pinFirstCertificate(
  deps: Reconciling,
  place: NamespacedName,
  certificateSha256: string | undefined,
): Promise<void> {
  if (!deps.config.pinsFirstCertificate || certificateSha256 === undefined) return;
  const updated = await machineCollection.update<'no-pin'>(deps.store, place, (machine) =>
    takesPin(machine) ? { object: withPin(machine, certificateSha256) } : { refusal: 'no-pin' },
  );
  if (!updated.ok && updated.kind === 'unavailable') throw new Error(updated.message);
  if (!updated.ok) return;
  const message = `the certificate of the BMC with the SHA-256 ${certificateSha256} is accepted from now on, and no other one`;
  recordForMachine(deps, place, { event: 'bmc-certificate-pinned', message });
}

function takesPin({ metadata, spec }: BmcMachine): boolean {
  return (
    spec?.connection.insecureTLS !== true && metadata.annotations?.[CERTIFICATE_ANNOTATION] === undefined
  );
}

function withPin(machine: BmcMachine, sha256: string): BmcMachine {
  const annotations = { ...machine.metadata.annotations, [CERTIFICATE_ANNOTATION]: sha256 };
  return { ...machine, metadata: { ...machine.metadata, annotations } };
}
