/**
 * The messages of the Provisioning API as JSON schemas (draft 2020-12, which OpenAPI 3.1 uses). They validate requests, and the
 * OpenAPI document contains them. Names are those of api/proto/tinkerbell/hardware/v1.
 */

/** Longer keys are invalid. */
const KEY_CHARACTERS_MAX = 255;
/** The limit of an object's name. A MAC, an agent's name and an instance's id are shorter. */
const NAME_CHARACTERS_MAX = 253;
export const PAGE_SIZE_MAX = 500;
export const PAGE_SIZE_DEFAULT = 50;
/** Clouds limit user data to 64 KiB. Here it may contain the complete answers of an installer. */
const USER_DATA_CHARACTERS_MAX = 512 * 1024;

export const jobStates = [
  'ACCEPTED',
  'PREPARING',
  'RUNNING',
  'SUCCEEDED',
  'FAILED',
  'TIMED_OUT',
  'CANCELLED',
] as const;
export type JobState = (typeof jobStates)[number];

export const jobActionStates = ['PENDING', 'RUNNING', 'SUCCESS', 'FAILED', 'TIMEOUT'] as const;

export const JOB_ID_PATTERN = '^[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{25}$';
export const HOST_NAME_PATTERN =
  '^[A-Za-z0-9]([-A-Za-z0-9]{0,61}[A-Za-z0-9])?(\\.[A-Za-z0-9]([-A-Za-z0-9]{0,61}[A-Za-z0-9])?)*$';

const time = { type: 'string', format: 'date-time' } as const;
const name = { type: 'string', minLength: 1, maxLength: NAME_CHARACTERS_MAX } as const;
const parameters = {
  type: 'object',
  additionalProperties: { type: ['string', 'number', 'boolean', 'object', 'array'] },
  description:
    'Names that the Template uses, as in {{ .disk }}: letters, digits and "_". A value that is not text is its JSON there, as in {{ (fromJson .network).address }}. device_1, unless given, is the first MAC of the machine.',
} as const;
const orderOptions = {
  replace: {
    type: 'boolean',
    description: 'Cancel an unfinished job of the device first. Otherwise the request is refused.',
  },
  idempotency_key: {
    type: 'string',
    minLength: 1,
    maxLength: KEY_CHARACTERS_MAX,
    description:
      'Repeating a request with the same key creates no second job. Also read from idempotency-key of the call.',
  },
} as const;
const device = {
  ...name,
  description:
    'A Hardware: its name, its metadata.instance.id, a MAC, or its agentID. The first match counts.',
} as const;
const osImage = {
  ...name,
  description:
    'Selects the Template whose label tinkerbell.org/os-image has this value, or the Template of this name.',
} as const;

export const ProvisionDeviceRequest = {
  type: 'object',
  additionalProperties: false,
  required: ['device_id', 'os_image'],
  properties: { device_id: device, os_image: osImage, config: parameters, ...orderOptions },
} as const;

export const CreateJobRequest = {
  type: 'object',
  additionalProperties: false,
  required: ['device_id'],
  properties: {
    device_id: device,
    template: { ...name, description: 'The name of a Template. Set either this or os_image.' },
    os_image: osImage,
    parameters,
    ...orderOptions,
  },
} as const;

export const JobRequest = {
  type: 'object',
  additionalProperties: false,
  required: ['job_id'],
  properties: {
    job_id: {
      type: 'string',
      pattern: JOB_ID_PATTERN,
      description: 'A ULID.',
    },
  },
} as const;

export const ChangeJobRequest = {
  ...JobRequest,
  properties: {
    ...JobRequest.properties,
    reason: { type: 'string', maxLength: 1024, description: 'Stored with the job.' },
  },
} as const;

export const ListJobsRequest = {
  type: 'object',
  additionalProperties: false,
  properties: {
    device_id: device,
    state: { type: 'string', enum: jobStates },
    user: { type: 'string', minLength: 1, maxLength: NAME_CHARACTERS_MAX },
    page_size: { type: 'integer', minimum: 0, maximum: PAGE_SIZE_MAX, description: '0 means 50.' },
    page_token: { type: 'string', description: 'The next_page_token of the previous page.' },
  },
} as const;

export const Configuration = {
  type: 'object',
  additionalProperties: false,
  minProperties: 1,
  description: 'Absent values stay unchanged. null removes a value.',
  properties: {
    user_data: { type: ['string', 'null'], maxLength: USER_DATA_CHARACTERS_MAX },
    vendor_data: { type: ['string', 'null'], maxLength: USER_DATA_CHARACTERS_MAX },
    hostname: {
      type: ['string', 'null'],
      maxLength: NAME_CHARACTERS_MAX,
      pattern: HOST_NAME_PATTERN,
      description: 'Set in the metadata of the instance and in DHCP.',
    },
    allow_pxe: { type: ['boolean', 'null'], description: 'Whether the machine may boot from the network.' },
    allow_workflow: {
      type: ['boolean', 'null'],
      description: 'Whether the machine gets the in-memory OS when it boots from the network.',
    },
  },
} as const;

export const ApplyConfigurationRequest = {
  type: 'object',
  additionalProperties: false,
  required: ['device_id', 'config'],
  properties: { device_id: device, config: Configuration },
} as const;

const JobAction = {
  type: 'object',
  required: ['task', 'name', 'state'],
  properties: {
    task: { type: 'string' },
    name: { type: 'string' },
    state: { type: 'string', enum: jobActionStates },
    seconds: { type: 'number', description: 'How long it took. Absent until it has ended.' },
    message: { type: 'string' },
    attempt: { type: 'integer', description: 'How often it was assigned to an agent.' },
  },
} as const;

export const Job = {
  type: 'object',
  required: ['job_id', 'state', 'device_id', 'percent', 'workflow'],
  properties: {
    job_id: { type: 'string' },
    state: { type: 'string', enum: jobStates },
    device_id: { type: 'string', description: 'The name of the Hardware.' },
    user: { type: 'string' },
    os_image: { type: 'string' },
    template: { type: 'string' },
    workflow: { type: 'string', description: '<namespace>/<name> of the Workflow that is this job.' },
    percent: {
      type: 'integer',
      minimum: 0,
      maximum: 100,
      description: 'How many of the actions succeeded.',
    },
    current_task: { type: 'string' },
    current_action: { type: 'string' },
    actions: { type: 'array', items: JobAction },
    message: { type: 'string', description: 'Why it failed, or what it waits for.' },
    created: time,
    started: time,
    finished: time,
  },
} as const;

export const ProvisionDeviceResponse = {
  type: 'object',
  required: ['job_id', 'status', 'message'],
  properties: {
    job_id: { type: 'string' },
    status: { type: 'string', enum: ['ACCEPTED'] },
    message: { type: 'string' },
  },
} as const;

export const ListJobsResponse = {
  type: 'object',
  required: ['jobs'],
  properties: {
    jobs: { type: 'array', items: { $ref: '#/components/schemas/Job' } },
    next_page_token: { type: 'string', description: 'Absent on the last page.' },
  },
} as const;

export const ApplyConfigurationResponse = {
  type: 'object',
  required: ['device_id', 'config'],
  properties: {
    device_id: { type: 'string', description: 'The name of the Hardware.' },
    config: { ...Configuration, description: 'The current values.' },
  },
} as const;

/** RFC 9457. */
export const Problem = {
  type: 'object',
  required: ['type', 'title', 'status', 'detail'],
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    field: { type: 'string', description: 'The invalid field of the request.' },
  },
} as const;
