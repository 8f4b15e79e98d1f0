/** The common part of ProvisionDevice and CreateJob: one machine, one Template, its parameters. */
import type { TemplateChoice } from './choose-template.ts';
import { refuse, type Result } from './failure.ts';
import type { CreateJobRequest, Parameters, ProvisionDeviceRequest } from './request.ts';

export interface Order {
  readonly device: string;
  readonly choice: TemplateChoice;
  readonly parameters: Readonly<Record<string, string>>;
  readonly replace: boolean;
  readonly idempotencyKey: string | undefined;
}

export function orderOf(request: ProvisionDeviceRequest | CreateJobRequest): Result<Order> {
  const choice = choiceOf(request);
  if (!choice.ok) return choice;
  const parameters = 'config' in request ? request.config : (request as CreateJobRequest).parameters;
  return {
    ok: true,
    value: {
      device: request.device_id,
      choice: choice.value,
      parameters: textsOf(parameters ?? {}),
      replace: request.replace ?? false,
      idempotencyKey: request.idempotency_key,
    },
  };
}

/** `spec.hardwareMap` can contain only text, as in upstream. */
function textsOf(given: Parameters): Order['parameters'] {
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  );
}

function choiceOf(request: {
  readonly os_image?: string;
  readonly template?: string;
}): Result<TemplateChoice> {
  const { os_image: image, template } = request;
  if (image !== undefined && template !== undefined)
    return refuse('invalid-argument', 'template: give either template or os_image', 'template');
  if (image !== undefined) return { ok: true, value: { os_image: image } };
  if (template !== undefined) return { ok: true, value: { template } };
  return refuse('invalid-argument', 'template: give template or os_image', 'template');
}

/** Returns the same text for the same order, whatever the order of its fields. The job stores a digest of it. */
export function textOfOrder({ device, choice, parameters, replace }: Order): string {
  const sorted = Object.entries(parameters).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([device, choice, sorted, replace]);
}
