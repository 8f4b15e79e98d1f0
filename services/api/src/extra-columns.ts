/** Columns of `get` beyond those of the CRDs, which are upstream's. */
import {
  bmcJobKind,
  bmcMachineKind,
  bmcTaskKind,
  hardwareKind,
  isOfKind,
  workflowKind,
  type BmcJob,
  type BmcMachine,
  type BmcTask,
  type Hardware,
  type Kind,
  type KindOf,
  type Resource,
  type Workflow,
} from '@tinkerbell/resources';

interface Column<Object> {
  readonly column: ReturnType<typeof wideColumn>;
  readonly cellOf: (object: Object) => string;
}

const extras: ReadonlyMap<Kind, readonly Column<Resource>[]> = new Map([
  columnsFor(workflowKind, workflowColumns()),
  columnsFor(hardwareKind, hardwareColumns()),
  columnsFor(bmcMachineKind, machineColumns()),
  columnsFor(bmcJobKind, jobColumns()),
  columnsFor(bmcTaskKind, taskColumns()),
]);

export function extraColumnsOf(kind: Kind): readonly Column<Resource>[] {
  return extras.get(kind) ?? [];
}

function columnsFor<Object extends Resource>(
  kind: KindOf<Object>,
  columns: readonly Column<Object>[],
): readonly [Kind, readonly Column<Resource>[]] {
  const typed = columns.map(({ column, cellOf }) => ({
    column,
    cellOf: (resource: Resource) => (isOfKind(resource, kind) ? cellOf(resource) : ''),
  }));
  return [kind, typed];
}

function workflowColumns(): readonly Column<Workflow>[] {
  return [
    {
      column: wideColumn('Attempts', 'Number of assigned attempts of all actions'),
      cellOf: ({ status }) =>
        String(actionsOf(status).reduce((sum, { attempt = 0 }) => sum + attempt, 0) || ''),
    },
    {
      column: wideColumn('Not-Before', 'End of the backoff of an action that failed'),
      cellOf: ({ status }) => actionsOf(status).find((one) => one.notBefore)?.notBefore ?? '',
    },
    {
      column: wideColumn('Breakpoints', 'Actions before which the workflow pauses'),
      cellOf: ({ status }) =>
        actionsOf(status)
          .filter((one) => one.breakpoint)
          .map((one) => one.name ?? one.id)
          .join(','),
    },
    {
      column: wideColumn('Last-Operation', 'Last operation of an operator'),
      cellOf: ({ status }) => {
        const last = status?.operations?.at(-1);
        return last === undefined ? '' : `${last.verb} by ${last.who}`;
      },
    },
  ];
}

/** They identify a machine. */
function hardwareColumns(): readonly Column<Hardware>[] {
  return [
    {
      column: { ...wideColumn('MAC', 'MACs of its network interfaces'), priority: 0 },
      cellOf: ({ spec }) => textOf((spec?.interfaces ?? []).map(({ dhcp }) => dhcp?.mac)),
    },
    {
      column: { ...wideColumn('Address', 'Addresses of its network interfaces'), priority: 0 },
      cellOf: ({ spec }) => textOf((spec?.interfaces ?? []).map(({ dhcp }) => dhcp?.ip?.address)),
    },
  ];
}

function machineColumns(): readonly Column<BmcMachine>[] {
  return [
    { column: column('Host', 'Address of the BMC'), cellOf: ({ spec }) => spec?.connection.host ?? '' },
    {
      column: column('Power', 'Power state at the last check'),
      cellOf: ({ status }) => status?.powerState ?? '',
    },
    {
      column: column('Contactable', 'Whether the last login succeeded, or why not'),
      cellOf: ({ status }) => {
        const found = status?.conditions?.find(({ type }) => type === 'Contactable');
        return found?.status === 'False' ? firstPart(found.message) : (found?.status ?? '');
      },
    },
  ];
}

function jobColumns(): readonly Column<BmcJob>[] {
  return [
    { column: column('Machine', 'Machine of its BMC'), cellOf: ({ spec }) => spec?.machineRef.name ?? '' },
    { column: column('Progress', 'How far it is'), cellOf: ({ status }) => progressOf(status) },
  ];
}

function taskColumns(): readonly Column<BmcTask>[] {
  return [
    {
      column: column('Operation', 'What the BMC does'),
      cellOf: ({ spec }) => Object.keys(spec?.task ?? {})[0] ?? '',
    },
    { column: column('Progress', 'How far it is'), cellOf: ({ status }) => progressOf(status) },
  ];
}

/** `unreachable` of `unreachable: no answer`. */
function firstPart(message = ''): string {
  return message.split(':')[0] ?? '';
}

function progressOf(status: BmcJob['status']): string {
  const holds = (type: string): boolean =>
    (status?.conditions ?? []).some((one) => one.type === type && one.status === 'True');
  for (const type of ['Failed', 'Completed']) if (holds(type)) return type;
  return status?.startTime === undefined ? 'Waiting' : 'Running';
}

function column(name: string, description: string) {
  return { ...wideColumn(name, description), priority: 0 };
}

function textOf(values: readonly (string | undefined)[]): string {
  return values.filter(Boolean).join(',');
}

function wideColumn(name: string, description: string) {
  return { name, type: 'string', format: '', description, priority: 1 };
}

function actionsOf(status: Workflow['status']) {
  return (status?.tasks ?? []).flatMap((task) => task.actions);
}
