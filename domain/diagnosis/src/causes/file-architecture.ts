/** Recognizes a file that the processor or the firmware of the machine cannot run. */
import type { Facts } from '../facts.ts';
import type { TimelineRecord } from '../timeline-record.ts';

type Family = 'BIOS' | 'x86-64 UEFI' | '32-bit UEFI' | 'ARM64' | '32-bit ARM';

/** Numbers of option 93, from IANA's registry "Processor Architecture Types". */
const byNumber: Readonly<Record<number, Family>> = {
  0: 'BIOS',
  6: '32-bit UEFI',
  7: 'x86-64 UEFI',
  9: 'x86-64 UEFI',
  10: '32-bit ARM',
  11: 'ARM64',
  15: '32-bit UEFI',
  16: 'x86-64 UEFI',
  18: '32-bit ARM',
  19: 'ARM64',
};

/** The names of iPXE's builds, of distributions, and of the in-memory OS. The first match decides. */
const byName: readonly (readonly [pattern: RegExp, families: readonly Family[]])[] = [
  [/arm64|aarch64|aa64/i, ['ARM64']],
  [/arm32|armv7|armhf/i, ['32-bit ARM']],
  [/i386.*\.efi|ia32/i, ['32-bit UEFI']],
  [/\.k?k?pxe$|\.0$/i, ['BIOS']],
  [/x86_64|amd64|x64.*\.efi/i, ['x86-64 UEFI', 'BIOS']],
  [/^(.*\/)?(ipxe|snponly|snp)\.efi$/i, ['x86-64 UEFI']],
];

const LOADED: readonly string[] = ['file-sent', 'binary-sent', 'transfer-completed'];

/** Returns the record of the last file of the boot, if it is such a file, and a sentence about it. */
export function wrongFileOf({
  boot,
}: Pick<Facts, 'boot'>): { record: TimelineRecord; text: string } | undefined {
  const own = familyOf(boot);
  const record = boot.findLast(({ event }) => LOADED.includes(event));
  if (own === undefined || record === undefined) return undefined;
  const file = String(record.details?.['file'] ?? record.details?.['path'] ?? '');
  const families = byName.find(([pattern]) => pattern.test(file))?.[1] ?? [own];
  if (families.includes(own)) return undefined;
  return { record, text: `${file} is for ${families.join(' or ')}, and the machine is ${own}` };
}

function familyOf(boot: Facts['boot']): Family | undefined {
  const reported = boot
    .map(({ details }) => details?.['architecture'])
    .find((number) => number !== undefined);
  return byNumber[Number(reported)];
}
