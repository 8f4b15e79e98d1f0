/** Causes between the script and the first action. */
import type { Cause } from './cause.ts';
import { evidenceOf, foundIn, saidLike, settledTroubles, silence, trouble, SETTLE_MS } from './cause.ts';
import { wrongFileOf } from './file-architecture.ts';
import type { Facts } from '../facts.ts';

/** A machine that has printed it does nothing more, so the whole usual time need not pass. */
function printedLike(pattern: RegExp): Cause['find'] {
  return ({ wait, lastPrinted, boots, nowMs }) => {
    const isLooping = boots.length >= LOOP_BOOTS;
    if (wait === undefined && !isLooping) return undefined;
    if (wait !== undefined && !['kernel', 'transfer', 'system', 'agent'].includes(wait.step))
      return undefined;
    const found = foundIn(lastPrinted.filter(({ message }) => pattern.test(message)));
    if (found === undefined || nowMs - found.sinceMs < SETTLE_MS) return undefined;
    return found;
  };
}

/** A machine is in a loop if it started this often within the window and its agent never connected. */
const LOOP_BOOTS = 4;
const LOOP_WINDOW_MS = 900_000;

function loopOf({ boots, nowMs }: Facts) {
  const recent = boots.filter((boot) => nowMs - (boot[0]?.atMs ?? 0) < LOOP_WINDOW_MS);
  const hasArrived = recent.some((boot) =>
    boot.some(
      ({ source, event, stage }) =>
        source === 'agent' || event === 'machine-ready' || stage === 'workflow actions',
    ),
  );
  if (recent.length < LOOP_BOOTS || hasArrived) return undefined;
  const starts = recent.flatMap(([first]) => (first === undefined ? [] : [first]));
  const minutes = Math.max(1, Math.round((nowMs - (starts[0]?.atMs ?? nowMs)) / 60_000));
  return foundIn(starts, `${starts.length} starts in ${minutes} minutes`);
}

export const systemCauses: readonly Cause[] = [
  {
    id: 'kernel-panic',
    sentence: 'The kernel of the in-memory OS panicked.',
    shows: 'The serial console shows a kernel panic, or that the kernel found no init.',
    against: 'The agent asks for an action in the same boot.',
    advice: [
      'Read the console: tink boot MACHINE shows its last lines.',
      'If it names the root file system or init, build the in-memory OS again: npm run hook.',
      'Check that kernel and initramfs are of the same version and architecture.',
    ],
    certainty: 'certain',
    find: printedLike(/Kernel panic|No working init|Unable to mount root fs/i),
  },
  {
    id: 'out-of-memory',
    sentence: 'The machine has too little memory for the in-memory OS.',
    shows: 'The serial console shows that memory ran out.',
    against: 'The agent asks for an action in the same boot.',
    advice: ['Give the machine at least 1 GiB of memory.', 'Or use a smaller in-memory OS.'],
    certainty: 'certain',
    find: printedLike(
      /Out of memory|not enough memory|Cannot allocate memory|invoked oom-killer|write error: No space left/i,
    ),
  },
  {
    id: 'no-network-driver',
    sentence: 'The in-memory OS has no driver for the network card.',
    shows: 'The serial console shows that the in-memory OS found no network interface.',
    against: 'The in-memory OS asked for an address.',
    advice: [
      'Find the model of the card: tink bmc check MACHINE lists it, or its PCI number is on the console of another system.',
      'Add its module to hook/src/kernel-modules.ts and build the in-memory OS again: npm run hook.',
      'Or connect the machine with another port.',
    ],
    certainty: 'certain',
    find: printedLike(/hook: .*no network interface/i),
  },
  {
    id: 'wrong-architecture',
    sentence: 'The machine got a file of another architecture.',
    shows:
      'The name of the last file does not fit the architecture that the firmware reported, and the machine did nothing with it.',
    against: 'The machine continued after it had loaded the file.',
    advice: [
      'Correct or remove spec.interfaces[].netboot.ipxe.binary of the Hardware.',
      'For a kernel, correct spec.interfaces[].dhcp.arch.',
      'Or correct --ipxe-override-arch-mapping.',
    ],
    certainty: 'certain',
    find: (facts) => {
      const { wait, nowMs } = facts;
      if (wait === undefined || !['script', 'system', 'address', 'loader'].includes(wait.step))
        return undefined;
      const wrong = wrongFileOf(facts);
      if (wrong === undefined || nowMs - wrong.record.atMs < SETTLE_MS) return undefined;
      return { evidence: evidenceOf([wrong.record]), sinceMs: wrong.record.atMs, detail: wrong.text };
    },
  },
  {
    id: 'kernel-missing',
    sentence: 'The machine asks for a file that the server does not have.',
    shows: 'A kernel, initramfs or image was asked for and not found.',
    against: 'The file was sent afterwards.',
    advice: [
      'Put the file into the folder of --hook-dir or --images-dir. npm run hook builds the in-memory OS.',
      'Or correct spec.interfaces[].netboot.osie of the Hardware.',
    ],
    certainty: 'certain',
    find: (facts) =>
      foundIn(
        settledTroubles(facts).filter(
          ({ event, stage }) => event === 'file-missing' && stage !== 'workflow actions',
        ),
      ),
  },
  {
    id: 'transfer-broken-off',
    sentence: 'The transfer of the kernel or the initramfs broke off.',
    shows: 'The connection ended before the file was complete, and the machine did not ask for it again.',
    against: 'The file was sent completely afterwards.',
    advice: [
      'Check the console of the machine: iPXE prints why it gave up. Too little memory is the usual reason.',
      'Check the cable and the errors of the switch port.',
    ],
    certainty: 'certain',
    find: (facts) =>
      foundIn(
        settledTroubles(facts).filter(
          ({ event, source, stage }) =>
            stage !== 'workflow actions' &&
            (event === 'transfer-broken-off' || (event === 'transfer-failed' && source === 'image')),
        ),
      ),
  },
  {
    id: 'clock-wrong',
    sentence: 'The clock of the machine is wrong, so it does not accept certificates.',
    shows: 'The in-memory OS reports a certificate that is not valid yet or has expired.',
    against: 'The agent connects.',
    advice: [
      'Set the clock of the machine in its firmware, or its time servers: spec.interfaces[].dhcp.time_servers.',
      'Check that the certificate of the server is valid today.',
    ],
    certainty: 'certain',
    find: (facts) => {
      const pattern =
        /not (yet|valid) (valid|yet)|CERT_NOT_YET_VALID|CERT_HAS_EXPIRED|certificate (has|is) expired/i;
      return saidLike(pattern)(facts) ?? trouble({ events: ['action-failed'], message: pattern })(facts);
    },
  },
  {
    id: 'server-not-trusted',
    sentence: 'The agent does not trust the certificate of the server.',
    shows: 'The in-memory OS reports an unknown authority, or a certificate for another name.',
    against: 'The agent connects.',
    advice: [
      'Give the in-memory OS the authority of the server’s certificate.',
      'Check that the certificate contains the name or address that agents use.',
      'For a test, set --ipxe-script-tink-server-insecure-tls=true.',
    ],
    certainty: 'certain',
    find: saidLike(
      /self.signed|unable to (verify|get local issuer)|unknown authority|ALTNAME_INVALID|certificate.*(not trusted|verify failed)/i,
    ),
  },
  {
    id: 'agent-refused',
    sentence: 'The server rejected the agent of the machine.',
    shows: 'A call for the machine was refused because the agent could not prove its identity.',
    against: 'The agent got an action afterwards.',
    advice: [
      'Restart the machine, so that its agent gets a new boot token.',
      'docs/guides/agent-identity.md explains each reason.',
    ],
    certainty: 'certain',
    find: trouble({ events: ['agent-refused'] }),
  },
  {
    id: 'enrollment-refused',
    sentence: 'The machine runs the in-memory OS, but got no workflow or no Hardware automatically.',
    shows:
      'Discovery or enrollment was refused. The evidence names the reason: a limit, no rule that matches, or a missing approval.',
    against: 'A workflow or a Hardware was created for it afterwards.',
    advice: [
      'If it waits for approval: tink hardware approve MACHINE.',
      'If no rule matches, compare the attributes in the evidence with your WorkflowRuleSets.',
    ],
    certainty: 'certain',
    find: trouble({ events: ['enrollment-refused', 'discovery-refused'] }),
  },
  {
    id: 'metadata-refused',
    sentence: 'The machine got no metadata.',
    shows: 'A request for metadata was refused, and the machine made no progress afterwards.',
    against: 'A later request was answered.',
    advice: ['Compare the source address in the evidence with the address in its Hardware.'],
    certainty: 'possible',
    find: trouble({ events: ['metadata-refused'] }),
  },
  {
    id: 'agent-cannot-connect',
    sentence: 'The agent cannot reach the server.',
    shows: 'The in-memory OS reports that it cannot connect, or that its connection timed out.',
    against: 'The agent asked for an action.',
    advice: [
      'Let TCP port 42113 (gRPC) through from the machine to this server.',
      'Check the address that the script gives to agents: --ipxe-script-tink-server-addr-port.',
    ],
    certainty: 'certain',
    find: (facts) =>
      facts.wait?.isOverdue === true
        ? saidLike(
            /ECONNREFUSED|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|unavailable|DEADLINE_EXCEEDED|connect.* failed/i,
          )(facts)
        : undefined,
  },
  {
    id: 'reboot-loop',
    sentence: 'The machine restarts again and again.',
    shows: `It started at least ${LOOP_BOOTS} times within ${LOOP_WINDOW_MS / 60_000} minutes, and no agent connected.`,
    against: 'An agent connected, or the installed system reported that it is ready.',
    advice: [
      'Read the console: tink boot MACHINE shows its last lines. A kernel panic restarts a machine.',
      'Check the watchdog of the BMC, and the order of its boot devices.',
    ],
    certainty: 'certain',
    find: loopOf,
  },
  {
    id: 'kernel-not-requested',
    sentence: 'The machine got its script, but does not load a kernel.',
    shows: 'The script was served, and no file of it was asked for within the usual time.',
    against:
      'A file was asked for, or the in-memory OS reported. A kernel on another server is not seen here. If the Hardware has no address, files are not seen either, so the time of all steps up to the agent must pass.',
    advice: [
      'Check that the machine can reach the URL in the script: --ipxe-http-script-osie-url, or netboot.osie.baseURL of the Hardware.',
      'iPXE prints its error on the console.',
    ],
    certainty: 'likely',
    find: silence('kernel'),
  },
  {
    id: 'transfer-stalled',
    sentence: 'The transfer of a file stands still.',
    shows: 'A transfer has begun, and no more of the file was sent for longer than usual.',
    against: 'The transfer continued.',
    advice: [
      'Check the cable, the switch port and the MTU.',
      'Check the console: the machine may have been reset.',
    ],
    certainty: 'likely',
    find: silence('transfer'),
  },
  {
    id: 'system-silent',
    sentence: 'The machine loaded its operating system, and has been silent since.',
    shows:
      'Kernel and initramfs were sent, and neither DHCP, syslog nor the agent followed within the usual time.',
    against: 'The operating system was heard of again.',
    advice: [
      'Read the console: tink boot MACHINE shows its last lines, if it is recorded.',
      'The kernel may lack the driver of the network card, the machine may lack memory, or the kernel panicked.',
      'Set the console of the kernel: spec.interfaces[].netboot.osie.kernelParams.',
    ],
    certainty: 'likely',
    find: silence('system'),
  },
];
