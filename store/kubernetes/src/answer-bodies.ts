/**
 * The answers of the Kubernetes API as types. The API server answers with objects that fit their definitions, so their fields are
 * not validated again.
 */
import type { Resource } from '@tinkerbell/resources';
import type { Rule } from './required-rules.ts';

export interface ListBody {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
  readonly items: readonly Resource[];
}

/** One line of a watch. The object is a Status when the type is ERROR. */
export interface WatchEvent {
  readonly type: string;
  readonly object: Resource;
}

/** A Status of Kubernetes: why a request failed. */
interface Status {
  readonly code?: number;
  readonly reason?: string;
}

interface RulesReview {
  readonly status?: { readonly incomplete?: boolean; readonly resourceRules?: readonly Rule[] };
}

interface Namespace {
  readonly status?: { readonly phase?: string };
}

interface Definition {
  readonly spec?: {
    readonly versions?: readonly {
      readonly name?: string;
      readonly schema?: { readonly openAPIV3Schema?: unknown };
    }[];
  };
}

export function objectIn(body: unknown): Resource {
  return body as Resource;
}

export function listIn(body: unknown): ListBody {
  return body as ListBody;
}

export function statusIn(body: unknown): Status {
  return body as Status;
}

/** Throws a SyntaxError for text that is not JSON. */
export function watchEventIn(line: string): WatchEvent {
  return JSON.parse(line) as WatchEvent;
}

/** Returns the rules that a SelfSubjectRulesReview lists, or undefined when it could not list all. */
export function rulesIn(review: unknown): readonly Rule[] | undefined {
  const { status } = review as RulesReview;
  return status?.incomplete === true ? undefined : (status?.resourceRules ?? []);
}

export function namespacePhaseIn(body: unknown): string | undefined {
  return (body as Namespace).status?.phase;
}

/** Returns the schema of a version of a CustomResourceDefinition. */
export function schemaIn(definition: unknown, version: string): unknown {
  const versions = (definition as Definition).spec?.versions ?? [];
  return versions.find(({ name }) => name === version)?.schema?.openAPIV3Schema;
}
