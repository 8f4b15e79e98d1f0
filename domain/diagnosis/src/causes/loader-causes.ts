/** Causes between the machine's address and the kernel. */
import type { Cause } from './cause.ts';
import { foundIn, settledTroubles, silence, trouble } from './cause.ts';
import type { Facts } from '../facts.ts';
import type { StagedRecord } from '../boot/boot-records.ts';

const LOADER_EVENTS = ['transfer-failed'];

/** Replies whose file name ends the netboot. Their message says why. */
function turnedAway({ boot, nowMs }: Facts): readonly StagedRecord[] {
  const isSent = (record: StagedRecord) =>
    record.event === 'offer-sent' || record.event === 'acknowledge-sent';
  const sent = boot.filter(
    (record) => isSent(record) && record.details?.['client'] !== 'an operating system',
  );
  const last = sent.at(-1);
  if (last === undefined || nowMs - last.atMs < 2_000) return [];
  return isTurnedAway(last) ? sent.filter(isTurnedAway) : [];
}

function isTurnedAway({ details }: StagedRecord): boolean {
  return String(details?.['file'] ?? '').endsWith('/netboot-not-allowed');
}

/** An iPXE gets a script that boots the disk. Without work that is right. */
function sentToDisk({ boot, nowMs, hardware, unfinished }: Facts): readonly StagedRecord[] {
  const script = boot.findLast(({ event }) => event === 'script-served');
  const mayNetboot = hardware?.spec?.interfaces?.some(({ netboot }) => netboot?.allowPXE === true) ?? true;
  if (script?.details?.['outcome'] !== 'local-boot' || mayNetboot || unfinished.length === 0) return [];
  return nowMs - script.atMs < 2_000 ? [] : [script];
}

/** A machine whose workflows have all ended boots its disk, which is right. */
function isWanted({ unfinished, workflows = [] }: Facts): boolean {
  return unfinished.length > 0 || workflows.length === 0;
}

/** The machine has not started since it has work: its workflow is new, or was retried. */
function isBeforeWork({ unfinished, records }: Facts, { sequence, atMs }: StagedRecord): boolean {
  const isNew = unfinished.some(({ metadata }) => Date.parse(metadata.creationTimestamp ?? '') > atMs);
  return isNew || records.some((record) => record.sequence > sequence && record.event === 'state-changed');
}

function afterOperatingSystem({ boot }: Facts, record: StagedRecord): boolean {
  return boot.some(
    ({ sequence, details, source }) =>
      sequence > record.sequence && source === 'dhcp' && details?.['client'] === 'an operating system',
  );
}

export const loaderCauses: readonly Cause[] = [
  {
    id: 'netboot-not-allowed',
    sentence: 'The Hardware does not allow netboot.',
    shows:
      'The machine asked for a boot file and got none because allowPXE is not true, while a workflow waits for it or it has none. Or its iPXE was sent to the disk while a workflow waits.',
    against:
      'All workflows of the machine have ended, or an operating system started from its disk: then it need not netboot.',
    advice: [
      'Set spec.interfaces[].netboot.allowPXE to true with tink apply.',
      'Or let the workflow do it: spec.bootOptions.toggleAllowNetboot.',
      'Then restart the machine.',
    ],
    certainty: 'certain',
    find: (facts) => {
      if (!isWanted(facts)) return undefined;
      const refused = settledTroubles(facts).filter(
        ({ details }) => (details?.['reason'] ?? details?.['outcome']) === 'netboot-not-allowed',
      );
      const turned = turnedAway(facts).filter(({ message }) => /allowPXE is not true/.test(message));
      const away = [...turned, ...sentToDisk(facts)];
      const last = away.at(-1);
      if (last !== undefined && isBeforeWork(facts, last)) return undefined;
      const isDisk = facts.unfinished.length === 0 && last !== undefined && afterOperatingSystem(facts, last);
      return isDisk ? undefined : foundIn([...away, ...refused]);
    },
  },
  {
    id: 'no-boot-file',
    sentence: 'The server has no boot file for the architecture of the machine.',
    shows:
      'The machine asked for a boot file, and none is configured for its architecture, or the file is not on the server.',
    against: 'The machine loaded a file.',
    advice: [
      'Configure one for the architecture in the evidence: --ipxe-override-arch-mapping=ARCHITECTURE=FILE.',
      'Or put the file into --ipxe-binary-dir. The log of the server lists what it serves.',
    ],
    certainty: 'certain',
    find: (facts) =>
      trouble({ events: ['request-ignored'], reasons: ['no-binary'] })(facts) ??
      foundIn(turnedAway(facts).filter(({ message }) => /no boot file/.test(message))),
  },
  {
    id: 'boot-file-missing',
    sentence: 'The machine asks for a boot file that the server does not have.',
    shows:
      'A file was not found, and the machine loaded no other one afterwards. It may be the file of another architecture.',
    against: 'The machine continued with another file. Boot loaders try several names.',
    advice: [
      'Correct spec.interfaces[].netboot.ipxe.binary of the Hardware, or remove it to use the default of the architecture.',
      'Or put the file into --tftp-asset-dir.',
    ],
    certainty: 'certain',
    find: (facts) =>
      foundIn(
        settledTroubles(facts).filter(
          ({ event, details }) =>
            event === 'file-not-found' && !String(details?.['file']).endsWith('netboot-not-allowed'),
        ),
      ),
  },
  {
    id: 'tftp-timeout',
    sentence: 'The transfer of the boot file timed out.',
    shows: 'The machine asked for a file by TFTP, and the packets or its acknowledgements were lost.',
    against: 'A later transfer was complete.',
    advice: [
      'Let smaller blocks through: --tftp-block-size=512, or raise the MTU of every switch on the way.',
      'Check the cable and the errors of the switch port.',
      'A firewall must know that TFTP answers belong to the request (nf_conntrack_tftp).',
    ],
    certainty: 'certain',
    find: trouble({ events: LOADER_EVENTS, message: /timed-out/ }),
  },
  {
    id: 'loader-transfer-failed',
    sentence: 'The transfer of the boot file broke off.',
    shows: 'The machine or the server ended a transfer before the file was complete.',
    against: 'A later transfer was complete.',
    advice: [
      'Check the console of the machine: it may have too little memory for the file, or was reset.',
      'Check the cable and the errors of the switch port.',
    ],
    certainty: 'certain',
    find: (facts) =>
      foundIn(
        settledTroubles(facts).filter(
          ({ event, source }) => event === 'transfer-failed' && source !== 'image',
        ),
      ),
  },
  {
    id: 'script-refused',
    sentence: 'The machine got no script.',
    shows: 'The request for the script was refused. The evidence names the reason.',
    against: 'A later request was answered.',
    advice: [
      'Correct what the evidence names.',
      'If it names no Hardware, compare the MAC in the URL with the Hardware.',
    ],
    certainty: 'certain',
    find: trouble({ events: ['script-refused', 'iso-refused'] }),
  },
  {
    id: 'tftp-blocked',
    sentence: 'The machine has its address, but its request for the boot file does not arrive.',
    shows: 'An address and a boot file were assigned, and no file was asked for within the usual time.',
    against: 'The machine loaded a file, or a transfer failed: then the request did arrive.',
    advice: [
      'Let UDP port 69 through from the machine to this server, on firewalls and in the ACLs of switches and routers.',
      'Check that the next server (siaddr) in the reply is an address of this server that the machine can reach: --public-ipv4.',
      'For UEFI HTTP boot, let TCP port 7080 through instead.',
    ],
    certainty: 'likely',
    find: (facts) => (isFileUrl(facts) ? undefined : silence('loader')(facts)),
  },
  {
    id: 'secure-boot-refused',
    sentence: 'The UEFI firmware loaded the boot loader, but did not start it.',
    shows:
      'An iPXE was sent completely to UEFI firmware of its architecture, and it has not asked for an address. Secure Boot refuses files without a signature that the firmware knows.',
    against: 'The boot loader asked for an address, as each iPXE does when it starts.',
    advice: [
      'Switch Secure Boot off in the firmware: tink console MACHINE shows it, and some BMCs can change it.',
      'Or use a signed boot loader: put it into --tftp-asset-dir and its name into spec.interfaces[].netboot.ipxe.binary.',
      'The console shows “Access Denied” or “Security Violation” if it is Secure Boot. If not, try snponly.efi: a driver in ipxe.efi may hang.',
    ],
    certainty: 'likely',
    find: (facts) => (isRefusedLoader(facts) ? silence('script')(facts) : undefined),
  },
  {
    id: 'http-blocked',
    sentence: 'The boot loader runs, but its request for the script does not arrive.',
    shows:
      'A boot loader was sent, or it has its address, and no script was asked for within the usual time.',
    against: 'The script was served.',
    advice: [
      'Let TCP port 7080 through from the machine to this server.',
      'Check that the machine can reach the address in the URL of the script: --public-ipv4, --dhcp-ipxe-http-script-host.',
      'iPXE prints its error on the console. An old iPXE may lack the driver of the network card: try snponly.efi.',
    ],
    certainty: 'likely',
    find: (facts) => silence('script')(facts) ?? (hasNoScript(facts) ? silence('loader')(facts) : undefined),
  },
  {
    id: 'http-boot-blocked',
    sentence: 'The machine has its address, but its HTTP request for the boot file does not arrive.',
    shows:
      'An address and the URL of a boot file were assigned, and the file was not asked for within the usual time.',
    against: 'The machine loaded a file.',
    advice: [
      'Let the TCP port of the URL in the evidence through from the machine to this server.',
      'For an https URL, the firmware must trust the authority of the certificate.',
    ],
    certainty: 'likely',
    find: (facts) => (isFileUrl(facts) ? silence('loader')(facts) : undefined),
  },
];

/** The names under which iPXE is served. Other boot loaders keep the address of the firmware. */
const IPXE_FILE = /(^|\/)(ipxe|snp|snponly)[^/]*\.efi$/i;
/** Option 93 of UEFI firmware: for PXE and, from 15 on, for HTTP. */
const UEFI_NUMBERS: readonly number[] = [6, 7, 9, 10, 11, 15, 16, 18, 19];

function isRefusedLoader({ boot }: Facts): boolean {
  const at = boot.findLastIndex(({ event }) => event === 'file-sent' || event === 'binary-sent');
  const isIpxe = IPXE_FILE.test(String(boot[at]?.details?.['file'] ?? ''));
  const isUefi = boot.some(({ details }) => UEFI_NUMBERS.includes(Number(details?.['architecture'])));
  const hasStarted = boot.some(({ details }) => String(details?.['client']).startsWith('iPXE'));
  return isIpxe && isUefi && !hasStarted;
}

/** The boot loader was sent to its script, gave up, and the firmware tries its next device. */
function hasNoScript({ boot }: Facts): boolean {
  const isSent = boot.some(({ details }) => String(details?.['file'] ?? '').endsWith('/auto.ipxe'));
  return isSent && !boot.some(({ event }) => event === 'script-served' || event === 'script-refused');
}

function isFileUrl({ wait }: Facts): boolean {
  return /^https?:/.test(String(wait?.record.details?.['file'] ?? ''));
}
