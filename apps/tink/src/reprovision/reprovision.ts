/** Provisions one machine again with a new Workflow like its last one. */
import { isRecord, type Hardware, type Workflow } from '@tinkerbell/resources';
import { createWorkflow, findHardware } from '../workflow/create-workflow.ts';
import { refuseUnfinished, workflowsOf } from '../workflow/machine-workflows.ts';
import { TinkFailure, usageFailure } from '../failure.ts';
import type { Session } from '../client/session.ts';

type BootOptions = NonNullable<NonNullable<Workflow['spec']>['bootOptions']>;

/** An annotation on a Hardware that forbids provisioning the machine again. The value may be a reason; `false` counts as unset. */
export const PROTECTED_ANNOTATION = 'tinkerbell.org/protected';

export interface ReprovisionWish {
  /** A Hardware's name or a MAC. */
  readonly machine: string;
  /** Default: that of the machine's last workflow. */
  readonly template: string | undefined;
  /** Default: the boot options of the last workflow. */
  readonly bootMode: string | undefined;
  readonly isoUrl: string | undefined;
  readonly name: string | undefined;
  readonly pairs: Readonly<Record<string, string>>;
  readonly dryRun: boolean;
}

export interface Reprovisioned {
  readonly hardware: Hardware;
  readonly workflow: Workflow;
}

const BOOT_MODES = ['netboot', 'isoboot', 'customboot'] as const;

/** Throws a TinkFailure with advice for a protected machine and for one with an unfinished workflow. */
export async function reprovision(session: Session, wish: ReprovisionWish): Promise<Reprovisioned> {
  const hardware = await findHardware(session, wish.machine);
  refuseProtected(hardware);
  const workflows = await workflowsOf(session, hardware);
  refuseUnfinished(workflows);
  const last = workflows[0]?.spec;
  const template = wish.template ?? last?.templateRef;
  if (template === undefined)
    throw new TinkFailure(`hardware/${hardware.metadata.name} has no previous workflow`, {
      advice: 'select a template: --template NAME; "tink get templates" lists them',
    });
  const workflow = await createWorkflow(session, {
    template,
    hardware: hardware.metadata.name,
    name: wish.name,
    pairs: { ...valuesOf(last?.hardwareMap), ...wish.pairs },
    bootOptions: bootOptionsFor(hardware, last?.bootOptions, wish),
    dryRun: wish.dryRun,
  });
  return { hardware, workflow };
}

function refuseProtected({ metadata: { name, annotations } }: Hardware): void {
  const mark = annotations?.[PROTECTED_ANNOTATION];
  if (mark === undefined || mark === 'false') return;
  const why = mark === '' || mark === 'true' ? '' : `: ${mark}`;
  throw new TinkFailure(`hardware/${name} is protected by its annotation ${PROTECTED_ANNOTATION}${why}`, {
    advice: `if its disks may be overwritten, remove the annotation: tink annotate hardware ${name} ${PROTECTED_ANNOTATION}-`,
  });
}

/** Returns the values of the last workflow except the agent, because the machine may have been replaced. */
function valuesOf(hardwareMap: unknown): Readonly<Record<string, string>> {
  if (!isRecord(hardwareMap)) return {};
  const texts = Object.entries(hardwareMap).filter(
    (pair): pair is [string, string] => typeof pair[1] === 'string',
  );
  return Object.fromEntries(texts.filter(([name]) => name !== 'device_1'));
}

function bootOptionsFor(
  hardware: Hardware,
  last: BootOptions | undefined,
  { bootMode, isoUrl }: ReprovisionWish,
): BootOptions {
  const isoURL = isoUrl ?? last?.isoURL;
  const own = bootMode === undefined ? last : { bootMode: bootModeOf(bootMode, { last, isoURL }) };
  return { ...own, ...optionsOfMode(own?.bootMode, { hardware, last, isoURL }) };
}

/** Returns the boot options that the boot mode requires. */
function optionsOfMode(
  mode: BootOptions['bootMode'],
  {
    hardware,
    last,
    isoURL,
  }: {
    readonly hardware: Hardware;
    readonly last: BootOptions | undefined;
    readonly isoURL: string | undefined;
  },
): BootOptions {
  switch (mode) {
    case 'isoboot':
    case 'iso':
      return isoURL === undefined ? {} : { isoURL };
    case 'customboot':
      return last?.custombootConfig === undefined ? {} : { custombootConfig: last.custombootConfig };
    default:
      return mayNetboot(hardware) ? {} : { toggleAllowNetboot: true };
  }
}

function bootModeOf(
  text: string,
  { last, isoURL }: { readonly last: BootOptions | undefined; readonly isoURL: string | undefined },
): NonNullable<BootOptions['bootMode']> {
  const mode = BOOT_MODES.find((one) => one === text);
  if (mode === undefined)
    throw usageFailure(`--boot-mode must be ${BOOT_MODES.join(', ')}, not ${JSON.stringify(text)}`);
  if (mode === 'isoboot' && isoURL === undefined)
    throw usageFailure('--boot-mode isoboot needs --iso-url URL, because the last workflow has none');
  if (mode === 'customboot' && last?.custombootConfig === undefined)
    throw usageFailure('--boot-mode customboot needs a last workflow with spec.bootOptions.custombootConfig');
  return mode;
}

function mayNetboot({ spec }: Hardware): boolean {
  return spec?.interfaces?.some(({ netboot }) => netboot?.allowPXE === true) === true;
}
