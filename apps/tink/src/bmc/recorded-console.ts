/** `tink console --recorded`: what the server has recorded of a serial console. */
import { hardwareKind, type Hardware } from '@tinkerbell/resources';
import { followed } from '../client/followed.ts';
import type { Session } from '../client/session.ts';
import { timestampOf } from '../events/event-line.ts';
import { printableWithTabs } from '../output/printable.ts';

export async function printRecorded(
  session: Session,
  { metadata }: Hardware,
  { follow = false, timestamps = false }: { readonly follow?: boolean; readonly timestamps?: boolean },
): Promise<void> {
  const { client, terminal } = session;
  const target = { kind: hardwareKind, name: metadata.name, namespace: metadata.namespace };
  let last = 0;
  let count = 0;
  const open = () => client.log(target, { after: last, follow });
  for await (const { sequence, atMs, message } of follow ? followed(session, open) : await open()) {
    last = sequence;
    count += 1;
    const time = timestamps ? `${timestampOf(atMs)}  ` : '';
    terminal.out(`${time}${printableWithTabs(message)}\n`);
  }
  if (count === 0)
    terminal.err(
      `nothing is recorded; set the annotation tinkerbell.org/record-console=true on hardware/${metadata.name}, or start the server with --secondstar-record\n`,
    );
}
