import { line, renderScript, word, type ScriptProblem } from '@tinkerbell/ipxe';
import { hookScript } from './hook-script.ts';
import type { Reservation } from '../dhcp/reservation.ts';
import type { HookScriptSettings } from '../settings.ts';
import { staticScript } from './static-script.ts';

export interface ScriptInput {
  readonly reservation: Reservation;
  /** Decided by the caller, who knows the workflows. */
  readonly machineState: { readonly hasWorkToDo: boolean };
  readonly settings: { readonly hook: HookScriptSettings; readonly bootLocalWhenIdle: boolean };
}

type ScriptName = 'hook' | 'static' | 'custom' | 'local-boot';

export type ScriptDecision =
  | { readonly kind: 'script'; readonly name: ScriptName; readonly text: string }
  | { readonly kind: 'refused'; readonly reason: 'netboot-not-allowed' }
  | {
      readonly kind: 'invalid';
      readonly reason: 'script-value-invalid' | 'ipxe-url-invalid';
      readonly message: string;
    };

/**
 * The iPXE script of a machine. One that may not netboot boots its disk (or is refused, as upstream does, when
 * `bootLocalWhenIdle` is false); so does one whose workflows are all finished, which would else install itself again. A
 * custom script is its author's business and is served whether or not there is work.
 */
export function scriptFor({ reservation, machineState, settings }: ScriptInput): ScriptDecision {
  if (!reservation.mayNetboot) {
    return settings.bootLocalWhenIdle ? localBoot() : { kind: 'refused', reason: 'netboot-not-allowed' };
  }
  if ((reservation.ipxe.url ?? '') !== '') return chainScript(reservation);
  if ((reservation.ipxe.contents ?? '') !== '') return contentsScript(reservation);
  if (!machineState.hasWorkToDo && settings.bootLocalWhenIdle) return localBoot();
  return decisionOf('hook', renderScript(hookScript(reservation, settings.hook)));
}

/** The iPXE script of a machine that `bootsUnknownMachine`; like a known one it boots its disk when its work is done. */
export function staticScriptFor({
  machineState,
  settings,
}: Omit<ScriptInput, 'reservation'>): ScriptDecision {
  if (!machineState.hasWorkToDo && settings.bootLocalWhenIdle) return localBoot();
  return decisionOf('static', renderScript(staticScript(settings.hook)));
}

/**
 * Boots the first disk. `sanboot` works on BIOS and UEFI and is fast; where it fails, `exit 1` makes the firmware go on to
 * its next boot option. `exit 0` would drop some UEFI firmware into its setup menu.
 */
function localBoot(): ScriptDecision {
  const lines = [
    line`echo Booting from the local disk...`,
    line`sanboot --no-describe --drive 0x80 || exit 1`,
  ];
  return decisionOf('local-boot', renderScript(lines));
}

/**
 * What an iPXE binary of ours does first on UEFI, the same for all machines: ask DHCP, load what it names. What that is
 * was decided by MAC in the reply, so a machine that may not netboot goes on to its next boot option here. The plain
 * `dhcp` command would also wait four seconds for an IPv6 router.
 */
export const AUTOEXEC_SCRIPT =
  '#!ipxe\nifconf --configurator dhcp && chain --autofree ${filename} || exit 1\n';

const CUSTOM_LINES = [line``, line`echo Loading custom Tinkerbell iPXE script...`];

function chainScript({ ipxe, path }: Reservation): ScriptDecision {
  const url = ipxe.url ?? '';
  const field = `${path}.netboot.ipxe.url`;
  if (!/^https?:\/\//i.test(url)) {
    return {
      kind: 'invalid',
      reason: 'ipxe-url-invalid',
      message: `${field} must begin with http:// or https://`,
    };
  }
  return decisionOf('custom', renderScript([...CUSTOM_LINES, line`chain --autofree ${word(field, url)}`]));
}

/** The contents are a script, so they are the one value that is not checked: who may write Hardware may write scripts. */
function contentsScript({ ipxe }: Reservation): ScriptDecision {
  const head = renderScript(CUSTOM_LINES);
  return decisionOf('custom', head.ok ? { ok: true, text: `${head.text}${ipxe.contents ?? ''}\n` } : head);
}

function decisionOf(
  name: ScriptName,
  rendered:
    | { readonly ok: true; readonly text: string }
    | { readonly ok: false; readonly error: ScriptProblem },
): ScriptDecision {
  return rendered.ok
    ? { kind: 'script', name, text: rendered.text }
    : { kind: 'invalid', reason: 'script-value-invalid', message: rendered.error.message };
}
