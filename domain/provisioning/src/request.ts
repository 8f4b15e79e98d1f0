/** The requests of the Provisioning API, as in the schemas of the same names. */

/** A value that is not text reaches the Template as JSON. */
export type Parameters = Readonly<Record<string, string | number | boolean | object>>;

export interface OrderOptions {
  readonly replace?: boolean;
  readonly idempotency_key?: string;
}

export interface ProvisionDeviceRequest extends OrderOptions {
  readonly device_id: string;
  readonly os_image: string;
  readonly config?: Parameters;
}

export interface CreateJobRequest extends OrderOptions {
  readonly device_id: string;
  readonly template?: string;
  readonly os_image?: string;
  readonly parameters?: Parameters;
}

export interface ChangeJobRequest {
  readonly job_id: string;
  readonly reason?: string;
}

export type JobRequest = Pick<ChangeJobRequest, 'job_id'>;

export interface ListJobsRequest {
  readonly device_id?: string;
  readonly state?: string;
  readonly user?: string;
  readonly page_size?: number;
  readonly page_token?: string;
}

/** Null removes a value. */
export interface Configuration {
  readonly user_data?: string | null;
  readonly vendor_data?: string | null;
  readonly hostname?: string | null;
  readonly allow_pxe?: boolean | null;
  readonly allow_workflow?: boolean | null;
}

export interface ApplyConfigurationRequest {
  readonly device_id: string;
  readonly config: Configuration;
}
