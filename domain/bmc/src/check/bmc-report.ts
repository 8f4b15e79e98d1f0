/** What of a BMC works, what it reports wrongly, and what to set: from its Machine and the Tasks that ran on it. */
import type { BmcMachine, BmcTask, Hardware } from '@tinkerbell/resources';
import { pinnedConnection } from '../pinned-connection.ts';
import { INVENTORY_CONDITION } from './inventory-condition.ts';

export interface BmcFinding {
  readonly check: 'contact' | 'certificate' | 'power' | 'inventory' | 'operations';
  readonly state: 'ok' | 'warning' | 'failed';
  readonly message: string;
}

export interface BmcReport {
  readonly machine: string;
  readonly host: string;
  readonly findings: readonly BmcFinding[];
}

export interface BmcObjects {
  readonly machine: BmcMachine;
  /** The Hardware whose `bmcRef` names the Machine, if there is one. */
  readonly hardware: Hardware | undefined;
  /** Tasks of the namespace. Those of other BMCs are ignored. */
  readonly tasks: readonly BmcTask[];
}

/** How the failure of an operation that the BMC accepted and did not carry out begins: the code of the error in engine/bmc. */
const LIE = 'not-applied: ';
const LIES_SHOWN = 3;

export function bmcReport({ machine, hardware, tasks }: BmcObjects): BmcReport {
  const { name, namespace } = machine.metadata;
  const host = machine.spec?.connection.host ?? '';
  const findings = [contact(machine), certificate(machine), power(machine), inventory(machine, hardware)];
  return { machine: `${namespace}/${name}`, host, findings: [...findings, operations(host, tasks)] };
}

function conditionOf({ status }: BmcMachine, type: string) {
  return status?.conditions?.find((one) => one.type === type);
}

function contact(machine: BmcMachine): BmcFinding {
  const condition = conditionOf(machine, 'Contactable');
  const check = 'contact';
  if (condition === undefined) {
    const message = 'not checked yet; is a server running with --enable-rufio-controller?';
    return { check, state: 'warning', message };
  }
  return condition.status === 'True'
    ? { check, state: 'ok', message: 'the server can log in' }
    : { check, state: 'failed', message: condition.message ?? 'the server cannot log in' };
}

function certificate(machine: BmcMachine): BmcFinding {
  const connection = pinnedConnection(machine);
  const check = 'certificate';
  if (connection?.certificateSha256 !== undefined)
    return { check, state: 'ok', message: `pinned: SHA-256 ${connection.certificateSha256}` };
  if (connection?.insecureTLS !== true)
    return { check, state: 'ok', message: 'verified by authority, where the protocol has TLS' };
  const message =
    'not verified (insecureTLS); pin it with the annotation tinkerbell.org/bmc-certificate-sha256';
  return { check, state: 'warning', message };
}

function power({ status }: BmcMachine): BmcFinding {
  const state = status?.powerState ?? 'unknown';
  return state === 'unknown'
    ? { check: 'power', state: 'warning', message: 'the BMC reports neither on nor off' }
    : { check: 'power', state: 'ok', message: `the power is ${state}` };
}

function inventory(machine: BmcMachine, hardware: Hardware | undefined): BmcFinding {
  const check = 'inventory';
  const { name } = machine.metadata;
  if (hardware === undefined) {
    const message = `no Hardware uses this BMC; set spec.bmcRef.name of its Hardware to ${name}`;
    return { check, state: 'warning', message };
  }
  const condition = conditionOf(machine, INVENTORY_CONDITION);
  if (condition?.status === 'False')
    return { check, state: 'warning', message: condition.message ?? 'the BMC does not report its parts' };
  const parts = hardware.status?.attributes?.outOfBand;
  if (parts?.lastUpdated === undefined) return { check, state: 'warning', message: 'not read yet' };
  const by = parts.collectionMethod ? ` by ${parts.collectionMethod}` : '';
  return { check, state: 'ok', message: `read at ${parts.lastUpdated}${by}` };
}

/** Tasks are kept with failed Jobs, so every lie that is not cleaned up is found. */
function operations(host: string, tasks: readonly BmcTask[]): BmcFinding {
  const lies = tasks.filter((task) => task.spec?.connection?.host === host).flatMap(lieOf);
  const check = 'operations';
  if (lies.length === 0)
    return { check, state: 'ok', message: 'no kept Task was accepted and not carried out' };
  const shown = lies.slice(0, LIES_SHOWN).join('; ');
  const more = lies.length > LIES_SHOWN ? ` and ${lies.length - LIES_SHOWN} more` : '';
  return { check, state: 'failed', message: `accepted and not carried out: ${shown}${more}` };
}

function lieOf({ metadata, status }: BmcTask): readonly string[] {
  const message = status?.conditions?.find(({ type }) => type === 'Failed')?.message ?? '';
  return message.startsWith(LIE) ? [`task/${metadata.name}: ${message}`] : [];
}
