/** What the server says about a machine: its verdict, and its Hardware. */
import type { ApiObject, RunningServer } from '@tinkerbell/sandbox';

export interface FoundDiagnosis {
  readonly state: string;
  readonly cause?: string;
  readonly text: string;
  readonly since?: string;
  readonly evidence: readonly { readonly text: string }[];
}

/** Returns undefined until the machine was checked for the first time. */
export async function diagnosisOf(
  server: RunningServer,
  hardware: ApiObject,
): Promise<FoundDiagnosis | undefined> {
  const response = await server.request(`${server.url}${pathOf(hardware)}/diagnosis`);
  return response.ok ? ((await response.json()) as FoundDiagnosis) : undefined;
}

export async function hardwareNow(server: RunningServer, hardware: ApiObject): Promise<ApiObject> {
  return (await (await server.request(`${server.url}${pathOf(hardware)}`)).json()) as ApiObject;
}

function pathOf({ metadata }: ApiObject): string {
  return `/apis/tinkerbell.org/v1alpha1/namespaces/default/hardware/${metadata.name}`;
}
