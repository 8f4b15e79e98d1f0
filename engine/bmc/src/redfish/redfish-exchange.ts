/** Requests to a Redfish service and their answers. */
import type { RedfishObject } from '@tinkerbell/redfish';

export interface Reply {
  readonly status: number;
  /** Empty when the answer has no body, or when a refusal is not JSON. */
  readonly body: RedfishObject;
  readonly etag: string | undefined;
  /** The path of the header Location. */
  readonly location: string | undefined;
  readonly token: string | undefined;
}

export interface Send {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: object;
  readonly ifMatch?: string;
}

export interface Resource {
  readonly path: string;
  readonly fields: RedfishObject;
  readonly etag: string | undefined;
}
