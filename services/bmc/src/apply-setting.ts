/**
 * Settings that are written once and read back: boot device and virtual media. A BMC that reports success and keeps its old setting
 * gets it again a few times. What it does not report cannot be checked, and the message of the Task says so.
 */
import { describeOperation, type BmcOperation, type BootSetting } from '@tinkerbell/bmc';
import { BmcError, type BmcSession } from '@tinkerbell/engine-bmc';
import { delay, type Clock } from '@tinkerbell/platform-contract';

type Setting = Extract<BmcOperation, { kind: 'boot-device' | 'virtual-media' }>;

/** `differs`: what the BMC reports instead. */
type ReadBack =
  | { readonly kind: 'as-written' }
  | { readonly kind: 'not-reported' }
  | { readonly kind: 'close'; readonly note: string }
  | { readonly kind: 'differs'; readonly reported: string };

const WRITES_MAX = 3;
/** Some BMCs report a new setting a moment after they have accepted it. */
const LOOKS_AFTER_MS = [0, 500, 2000] as const;

/** Undefined: the session cannot do it. Resolves with a note for the Task, which may be empty. */
export function applySetting(
  clock: Clock,
  session: BmcSession,
  operation: Setting,
): Promise<string> | undefined {
  const write = writerOf(session, operation);
  return write === undefined ? undefined : writeAndLook(clock, { session, operation, write });
}

function writerOf(session: BmcSession, operation: Setting): (() => Promise<void>) | undefined {
  if (operation.kind === 'boot-device')
    return session.setBootDevice && (() => session.setBootDevice?.(operation.setting) ?? Promise.resolve());
  return session.setVirtualMedia && (() => session.setVirtualMedia?.(operation.url) ?? Promise.resolve());
}

async function writeAndLook(
  clock: Clock,
  { session, operation, write }: { session: BmcSession; operation: Setting; write: () => Promise<void> },
): Promise<string> {
  let reported = '';
  for (let writes = 0; writes < WRITES_MAX; writes += 1) {
    await write();
    const found = await lookUntilWritten(clock, session, operation);
    if (found.kind === 'as-written') return '';
    if (found.kind === 'close') return found.note;
    if (found.kind === 'not-reported') return 'not verified, because the BMC does not report this setting';
    reported = found.reported;
  }
  throw new BmcError(
    'not-applied',
    `the BMC accepted "${describeOperation(operation)}" ${WRITES_MAX} times, and reports ${reported}`,
  );
}

async function lookUntilWritten(clock: Clock, session: BmcSession, operation: Setting): Promise<ReadBack> {
  let found: ReadBack = { kind: 'not-reported' };
  for (const afterMs of LOOKS_AFTER_MS) {
    if (afterMs > 0) await delay(clock, afterMs);
    found =
      operation.kind === 'boot-device'
        ? bootDeviceRead(await session.bootDevice?.(), operation.setting)
        : mediaRead(await session.virtualMedia?.(), operation.url);
    if (found.kind !== 'differs') return found;
  }
  return found;
}

type ReportedSetting = Awaited<ReturnType<NonNullable<BmcSession['bootDevice']>>>;
type ReportedMedia = Awaited<ReturnType<NonNullable<BmcSession['virtualMedia']>>>;

function bootDeviceRead(reported: ReportedSetting, wanted: BootSetting): ReadBack {
  if (reported === undefined) return { kind: 'not-reported' };
  const mode = reported.efiBoot ? 'UEFI' : 'BIOS';
  if (reported.device !== wanted.device || reported.persistent !== wanted.persistent) {
    const often = reported.persistent ? 'always' : 'once';
    return { kind: 'differs', reported: `boot device ${reported.device} ${often} (${mode})` };
  }
  if (reported.httpBootUri !== wanted.httpBootUri)
    return { kind: 'differs', reported: `boot from ${reported.httpBootUri ?? reported.device}` };
  // Not every BMC can choose the mode, and firmware with only one of them ignores it.
  const note = `the BMC reports the boot mode ${mode}`;
  return reported.efiBoot === wanted.efiBoot ? { kind: 'as-written' } : { kind: 'close', note };
}

function mediaRead(reported: ReportedMedia, wanted: string | undefined): ReadBack {
  if (reported === undefined) return { kind: 'not-reported' };
  if (reported.url === wanted) return { kind: 'as-written' };
  if (reported.url === undefined) return { kind: 'differs', reported: 'an empty virtual CD drive' };
  if (wanted === undefined) return { kind: 'differs', reported: `that ${reported.url} is still inserted` };
  // Some BMCs report a path or a name of their own for the image.
  return { kind: 'close', note: `the BMC reports the image ${reported.url}` };
}
