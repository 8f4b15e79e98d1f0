/** The Workflow that is a job. */
import {
  apiVersionOf,
  workflowKind,
  type Hardware,
  type Template,
  type Workflow,
} from '@tinkerbell/resources';
import type { TemplateChoice } from './choose-template.ts';
import {
  DEVICE_LABEL,
  JOB_LABEL,
  labelValueOf,
  OS_IMAGE_ANNOTATION,
  REQUEST_ANNOTATION,
  USER_ANNOTATION,
  USER_LABEL,
  workflowNameOf,
} from './job-name.ts';

export interface JobInput {
  readonly jobId: string;
  readonly hardware: Hardware;
  readonly template: Template;
  readonly choice: TemplateChoice;
  readonly user: string;
  readonly hardwareMap: Readonly<Record<string, string>>;
  /** The digest of the order, when it has an idempotency key. */
  readonly requestDigest?: string | undefined;
}

/**
 * Returns the Workflow in the namespace of the Hardware, without the identity fields that the store's writer
 * sets.
 */
export function workflowFor(input: JobInput): Workflow {
  const { jobId, hardware, template, choice, user, requestDigest } = input;
  const userLabel = labelValueOf(user);
  const annotations = {
    ...('os_image' in choice ? { [OS_IMAGE_ANNOTATION]: choice.os_image } : {}),
    ...(requestDigest === undefined ? {} : { [REQUEST_ANNOTATION]: requestDigest }),
    ...(userLabel === user ? {} : { [USER_ANNOTATION]: user }),
  };
  return {
    apiVersion: apiVersionOf(workflowKind),
    kind: workflowKind.kind,
    metadata: {
      name: workflowNameOf(jobId),
      namespace: hardware.metadata.namespace,
      labels: {
        [JOB_LABEL]: jobId,
        [DEVICE_LABEL]: labelValueOf(hardware.metadata.name),
        [USER_LABEL]: userLabel,
      },
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    },
    spec: {
      templateRef: template.metadata.name,
      hardwareRef: hardware.metadata.name,
      hardwareMap: { ...input.hardwareMap },
    },
  };
}

export function jobIdOf({ metadata }: Workflow): string | undefined {
  return metadata.labels?.[JOB_LABEL];
}

export function userOf({ metadata }: Workflow): string {
  return metadata.annotations?.[USER_ANNOTATION] ?? metadata.labels?.[USER_LABEL] ?? '';
}
