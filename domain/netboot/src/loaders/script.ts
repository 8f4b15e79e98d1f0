import { line, renderScript, word, type ScriptProblem } from '@tinkerbell/ipxe';
import { hookScript } from './hook-script.ts';
import type { Reservation } from '../dhcp/reservation.ts';
import type { HookScriptSettings } from '../settings.ts';
import { staticScript } from './static-script.ts';

export interface ScriptInput {
  readonly reservation: Reservation;
  /** The caller, which knows the workflows, decides this. */
  readonly machineState: { readonly hasWorkToDo: boolean };
  readonly settings: { readonly hook: HookScriptSettings; readonly bootLocalWhenIdle: boolean };
}

type ScriptName = 'hook' | 'rescue' | 'static' | 'custom' | 'local-boot';

export type ScriptDecision =
  | { readonly kind: 'script'; readonly name: ScriptName; readonly text: string }
  | { readonly kind: 'refused'; readonly reason: 'netboot-not-allowed' }
  | {
      readonly kind: 'invalid';
      readonly reason: 'script-value-invalid' | 'ipxe-url-invalid';
      readonly message: string;
    };

/**
 * Returns the iPXE script of a machine. A machine that may not netboot boots its disk, or is refused, as in upstream, when
 * `bootLocalWhenIdle` is false. The same holds for a machine whose workflows are all finished, which would otherwise install
 * itself again. A machine that is repaired always boots the in-memory OS. A custom script is its author's responsibility and is
 * served whether or not there is work.
 */
export function scriptFor({ reservation, machineState, settings }: ScriptInput): ScriptDecision {
  if (!reservation.mayNetboot) {
    return settings.bootLocalWhenIdle ? localBoot() : { kind: 'refused', reason: 'netboot-not-allowed' };
  }
  if (reservation.isRescue) return decisionOf('rescue', renderScript(hookScript(reservation, settings.hook)));
  if ((reservation.ipxe.url ?? '') !== '') return chainScript(reservation);
  if ((reservation.ipxe.contents ?? '') !== '') return contentsScript(reservation);
  if (!machineState.hasWorkToDo && settings.bootLocalWhenIdle) return localBoot();
  return decisionOf('hook', renderScript(hookScript(reservation, settings.hook)));
}

/**
 * Returns the iPXE script of a machine that `bootsUnknownMachine`. Like a known machine, it boots its disk when its work is done.
 */
export function staticScriptFor({
  machineState,
  settings,
}: Omit<ScriptInput, 'reservation'>): ScriptDecision {
  if (!machineState.hasWorkToDo && settings.bootLocalWhenIdle) return localBoot();
  return decisionOf('static', renderScript(staticScript(settings.hook)));
}

/**
 * Boots the first disk. `sanboot` works on BIOS and UEFI and is fast. Where it fails, `exit 1` makes the firmware continue with
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
 * Returns the first script of the server's iPXE binaries on UEFI, which is the same for all machines: run DHCP and load the file
 * that the reply names. The reply depends on the MAC, so a machine that may not netboot continues with its next boot option here.
 * The plain `dhcp` command would also wait four seconds for an IPv6 router.
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

/** The contents are a script, so they are the only value that is not checked. A user who may write Hardware may write scripts. */
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
