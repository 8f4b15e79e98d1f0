/** Causes between power-on and the machine's address. */
import type { Cause } from './cause.ts';
import { foundIn, saidLike, settledTroubles, silence, trouble, SETTLE_MS } from './cause.ts';
import type { StagedRecord } from '../boot/boot-records.ts';
import { adviceOn } from '../boot/reason-advice.ts';
import { isSent, type Facts } from '../facts.ts';
import { addressOf, isInNetwork } from '../networks.ts';

/** So often a machine gets the address again that it has declined. */
const AGAIN = 3;

/**
 * The machine declines its address each time it gets it, and is heard of by nothing else. Not each decline is recorded, so one is enough if the
 * machine got its address again several times.
 */
function declinedAgain({ boot, nowMs }: Facts): readonly StagedRecord[] {
  const at = boot.findIndex(({ event }) => event === 'address-declined');
  const [first, ...after] = at === -1 ? [] : boot.slice(at);
  if (first === undefined || nowMs - first.atMs < SETTLE_MS) return [];
  const hasContinued = after.some((record) => record.source !== 'dhcp' && isSent(record));
  const assigned = after.filter(({ event }) => event === 'acknowledge-sent');
  const declined = after.filter(({ event }) => event === 'address-declined');
  if (hasContinued || (declined.length === 0 && assigned.length < AGAIN)) return [];
  return [first, ...declined];
}

/** Returns a sentence if the last relay of the boot is in another network than the address of the machine. */
function relayElsewhere({ boot, hardware }: Facts): string | undefined {
  const relay = boot.findLast(({ details }) => typeof details?.['relay'] === 'string')?.details?.['relay'];
  const ip = addressOf(hardware);
  if (typeof relay !== 'string' || ip === undefined || isInNetwork(relay, ip)) return undefined;
  return `its requests come through the relay ${relay}, and its address is ${ip.address} with the netmask ${ip.netmask}`;
}

const CHECK_FIELD = 'Correct the field that the evidence names with tink apply.';

export const addressCauses: readonly Cause[] = [
  {
    id: 'duplicate-mac',
    sentence: 'Several Hardware have the MAC of the machine.',
    shows: 'Another Hardware names the MAC, or a request was ignored because several do.',
    against: 'Only one Hardware names the MAC.',
    advice: [
      'Delete all but one of them: tink delete hardware NAME.',
      'Or correct the MAC of the wrong one.',
    ],
    certainty: 'certain',
    find: (facts) => {
      const { rivals = [], hardware, nowMs } = facts;
      const asked = trouble({ events: ['request-ignored'], reasons: ['several-hardware'] })(facts);
      if (rivals.length === 0 || hardware === undefined) return asked;
      const text = `${rivals.join(', ')} and ${hardware.metadata.namespace}/${hardware.metadata.name} have the MAC ${facts.macs.join(', ')}`;
      return {
        evidence: [{ atMs: nowMs, text }],
        sinceMs: asked?.sinceMs ?? nowMs,
        detail: rivals.join(', '),
      };
    },
  },
  {
    id: 'mac-typo',
    sentence: 'A machine with a similar MAC asks to boot, and no Hardware has its MAC.',
    shows:
      'A machine without Hardware asks to boot. Its MAC differs from the one in this Hardware by one digit or by two swapped digits, and the machine of this Hardware has never been seen.',
    against: 'A machine with the MAC of the Hardware has been seen.',
    advice: [
      'Compare the MAC in the evidence with the label of the machine.',
      'If it is a typing error, correct spec.interfaces[].dhcp.mac with tink apply.',
      'If it is another network port of the machine, add an interface for it, or disable netboot on that port.',
    ],
    certainty: 'likely',
    find: ({ near = [], records, macs }) => {
      const [first] = near;
      if (
        first === undefined ||
        records.some(({ source }) => !['workflow', 'bmc', 'server'].includes(source))
      )
        return undefined;
      return foundIn(
        near.map(({ record }) => record),
        `${first.mac} asks, and the Hardware has ${macs.join(', ')}`,
      );
    },
  },
  {
    id: 'another-dhcp-server',
    sentence: 'Another DHCP server answers the machine, and the machine chose it.',
    shows: 'The machine requested its address from another server although this one had offered one.',
    against: 'This server is a DHCP proxy: then the other server must assign the address.',
    advice: [
      'Run tink preflight, which names the other server.',
      'Switch the other server off in this network, or run this one beside it: --dhcp-mode=proxy.',
    ],
    certainty: 'certain',
    find: (facts) => {
      const offers = facts.boot.filter(({ event }) => event === 'offer-sent');
      if (offers.length > 0 && offers.every(({ details }) => details?.['address'] === '0.0.0.0'))
        return undefined;
      const chosen = trouble({ events: ['request-ignored'], reasons: ['other-server-selected'] })(facts);
      if (chosen === undefined) return undefined;
      const foreign = facts.boot.filter(({ event }) => event === 'foreign-offer-seen');
      return { ...chosen, evidence: [...(foundIn(foreign)?.evidence ?? []), ...chosen.evidence] };
    },
  },
  {
    id: 'address-refused',
    sentence: 'The server rejected the address that the machine asked for (NAK).',
    shows: 'A refusal was sent, and the machine has not got an address since.',
    against:
      'The machine got an address afterwards. A machine that moved to another network is refused once.',
    advice: [
      'Compare the address in the evidence with spec.interfaces[].dhcp.ip of its Hardware.',
      'If it is right there, check that the machine is connected to the network of that address.',
    ],
    certainty: 'certain',
    find: trouble({ events: ['refusal-sent'] }),
  },
  {
    id: 'duplicate-address',
    sentence: 'Another host uses the address of the machine.',
    shows:
      'The machine declined its address because another host answered for it, or a probe of the address was answered.',
    against: 'The machine uses its address afterwards.',
    advice: [
      'Find the host that has the address: ip neigh, or the tables of the switch.',
      'Or change spec.interfaces[].dhcp.ip.address with tink apply.',
    ],
    certainty: 'certain',
    find: (facts) =>
      trouble({ events: ['address-declined', 'address-in-use'] })(facts) ?? foundIn(declinedAgain(facts)),
  },
  {
    id: 'server-disk-full',
    sentence: 'The server cannot write to its disk.',
    shows:
      'A lease could not be stored, or the server reported to the agent or in the timeline that no space is left.',
    against: 'The server stores records and leases.',
    advice: [
      'Free space under --data-dir: df -h shows how much is left.',
      'The log of the server has the exact error.',
    ],
    certainty: 'certain',
    find: (facts) =>
      trouble({ events: ['request-ignored'], reasons: ['lease-not-written'] })(facts) ??
      saidLike(/the store could not write: .*full/)(facts) ??
      foundIn(
        settledTroubles(facts).filter(
          ({ source, message }) => source !== 'agent' && /ENOSPC|no space left/i.test(message),
        ),
      ),
  },
  {
    id: 'relay-wrong',
    sentence: 'The request came through a relay, or from a network, that the server does not accept.',
    shows:
      'A request was ignored because of the address of its relay, its number of hops, or an unknown network.',
    against: 'A later request through the same relay was answered.',
    advice: [
      'Compare the address of the relay (giaddr) in the evidence with the network of the machine.',
      'In proxy mode, add the network to --dhcp-proxy-allow-subnet.',
      'A pool answers only networks that it serves: see --dhcp-pool.',
    ],
    certainty: 'certain',
    find: trouble({
      events: ['request-ignored'],
      reasons: ['relay-address-invalid', 'too-many-hops', 'link-unknown', 'subnet-not-allowed'],
    }),
  },
  {
    id: 'network-wrong',
    sentence: 'The machine is connected to another network than that of its address.',
    shows:
      'Its requests come through a relay of another network than that of the address in its Hardware, and it does nothing with that address.',
    against: 'The machine loads its files with that address: one segment can carry several networks.',
    advice: [
      'Compare the address of the relay (giaddr) in the evidence with spec.interfaces[].dhcp.ip of the Hardware.',
      'If the address is right, correct the VLAN of the switch port of the machine.',
      'If the machine was moved, give it an address of the network in which it is.',
    ],
    certainty: 'likely',
    find: (facts) => {
      const through = relayElsewhere(facts);
      const waits = silence('address', 'loader', 'script')(facts);
      return through === undefined || waits === undefined ? undefined : { ...waits, detail: through };
    },
  },
  {
    id: 'hardware-invalid',
    sentence: 'The Hardware of the machine is incomplete or has an invalid value.',
    shows:
      'A request, a script or a file was refused because of a field of the Hardware. The evidence names the field.',
    against: 'The machine was served after the Hardware had changed.',
    advice: [CHECK_FIELD, 'tink apply --dry-run reports what else is wrong.'],
    certainty: 'certain',
    find: (facts) =>
      foundIn(
        settledTroubles(facts).filter(({ event, details }) => {
          const reason = String(details?.['reason'] ?? details?.['outcome'] ?? '');
          if (event === 'file-refused') return true;
          return (
            /^(no-netboot-data|dhcp-disabled|.*-invalid|address-not-ipv4)$/.test(reason) &&
            !/relay|client/.test(reason)
          );
        }),
      ),
  },
  {
    id: 'offer-not-accepted',
    sentence: 'The machine does not accept the offers of this server.',
    shows:
      'Offers were sent, and no request followed within the usual time. Replies are lost on the way, or another server was faster.',
    against: 'The machine requested an address, from this server or from another.',
    advice: [
      'Run tink preflight --interface NAME: it finds other DHCP servers and a wrong relay.',
      'Check that the switch does not drop our replies (DHCP snooping needs this port as a trusted one).',
      'Behind a relay, check that the relay’s address (giaddr) can be reached from the server: ping it.',
    ],
    certainty: 'likely',
    find: silence('address'),
  },
  {
    id: 'request-ignored',
    sentence: 'The server ignores the requests of the machine.',
    shows:
      'Requests were ignored for a reason that no other cause of this page covers. The evidence names it.',
    against: 'A later request was answered.',
    advice: ['Follow the advice that tink boot prints for the reason.'],
    certainty: 'certain',
    find: (facts) => {
      const found = settledTroubles(facts).filter(
        ({ event, details }) =>
          event === 'request-ignored' &&
          !['other-server-selected', 'no-binary', 'netboot-not-allowed'].includes(
            String(details?.['reason']),
          ) &&
          !(details?.['reason'] === 'no-hardware' && facts.hardware !== undefined),
      );
      return foundIn(found, adviceOn(found.at(-1)?.details?.['reason'])?.meaning);
    },
  },
];
