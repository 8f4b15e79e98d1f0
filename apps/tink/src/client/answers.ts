/** The types of the server's answers. The server has validated its objects, so tink does not check their fields again. */
import type { Check, ShownVerdict } from '@tinkerbell/diagnosis';
import type { UnknownMachine as Sighted } from '@tinkerbell/enrollment';
import type { Resource } from '@tinkerbell/resources';
import type { JournalRecord } from '@tinkerbell/store-contract';
import type { Table } from '../output/table-text.ts';
import type { ApiKind } from './api-kind.ts';

export interface ListAnswer<Object extends Resource> {
  readonly items: readonly Object[];
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
}

export interface WatchEvent<Value> {
  readonly type: string;
  readonly object: Value;
}

export interface UnknownMachine extends Omit<Sighted, 'firstSeenMs' | 'lastSeenMs'> {
  /** RFC 3339. */
  readonly firstSeen: string;
  readonly lastSeen: string;
}

/** A verdict of the doctor, with the machine that it is about. */
export interface Diagnosed extends ShownVerdict {
  readonly namespace: string;
  readonly machine: string;
}

/** The identity provider that the server names. */
interface LoginSettings {
  readonly issuer?: string;
  readonly clientId?: string;
  readonly scopes?: readonly string[];
}

interface TokenRequest {
  readonly status: { readonly token: string; readonly expirationTimestamp: string };
}

interface SubjectReview {
  readonly status: {
    readonly userInfo: { readonly username: string; readonly groups: readonly string[] };
  };
}

interface AccessReview {
  readonly status: { readonly allowed: boolean; readonly reason?: string };
}

/** `kind` is the kind that was requested, and so that of the answer. */
export function objectIn<Object extends Resource>(answer: unknown, _kind: ApiKind<Object>): Object {
  return answer as Object;
}

export function listIn<Object extends Resource>(answer: unknown, _kind: ApiKind<Object>): ListAnswer<Object> {
  return answer as ListAnswer<Object>;
}

export function tableIn(answer: unknown): Table {
  return answer as Table;
}

/** A line of a journal. */
export function recordIn(line: unknown): JournalRecord {
  return line as JournalRecord;
}

export function objectEventIn(line: unknown): WatchEvent<Resource> {
  return line as WatchEvent<Resource>;
}

export function tableEventIn(line: unknown): WatchEvent<Table> {
  return line as WatchEvent<Table>;
}

export function unknownMachinesIn(answer: unknown): readonly UnknownMachine[] {
  return (answer as { readonly items: readonly UnknownMachine[] }).items;
}

export function loginSettingsIn(answer: unknown): LoginSettings {
  return answer as LoginSettings;
}

export function tokenRequestIn(answer: unknown): TokenRequest {
  return answer as TokenRequest;
}

export function subjectReviewIn(answer: unknown): SubjectReview {
  return answer as SubjectReview;
}

export function accessReviewIn(answer: unknown): AccessReview {
  return answer as AccessReview;
}

export function checksIn(answer: unknown): readonly Check[] {
  return (answer as { readonly checks: readonly Check[] }).checks;
}

export function diagnosisIn(answer: unknown): Diagnosed {
  return answer as Diagnosed;
}
