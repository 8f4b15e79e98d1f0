/** Names by which a job and what belongs to it are found. */
export const JOB_LABEL = 'tinkerbell.org/job-id';
export const DEVICE_LABEL = 'tinkerbell.org/device';
export const USER_LABEL = 'tinkerbell.org/user';
/** On a Template: which `os_image` it installs. */
export const OS_IMAGE_LABEL = 'tinkerbell.org/os-image';
/** On a job: the user, where the label cannot hold the exact name. */
export const USER_ANNOTATION = 'tinkerbell.org/user';
/** On a job: a digest of the request, which distinguishes a repeat from another request with the same key. */
export const REQUEST_ANNOTATION = 'tinkerbell.org/request-digest';
export const OS_IMAGE_ANNOTATION = 'tinkerbell.org/os-image';
/** On a Hardware: its last job. It is written together with the job, so that one of two concurrent requests is refused. */
export const LAST_JOB_ANNOTATION = 'tinkerbell.org/last-job';

/** Crockford's base 32, as ULIDs are written. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const ID_CHARACTERS = 26;
/** 26 characters hold 130 bits and a ULID 128. */
const FIRST_CHARACTER_LIMIT = 8;

/** Returns an id in the form of a ULID from a digest of at least 26 bytes. The same digest gives the same id. */
export function jobIdFromDigest(digest: Uint8Array): string {
  return Array.from(digest.subarray(0, ID_CHARACTERS), (byte, index) =>
    alphabet.charAt(byte % (index === 0 ? FIRST_CHARACTER_LIMIT : alphabet.length)),
  ).join('');
}

/** Returns the name of the Workflow that is the job. Ids in lower case are accepted. */
export function workflowNameOf(jobId: string): string {
  return `job-${jobId.toLowerCase()}`;
}

const LABEL_CHARACTERS_MAX = 63;

/** Converts any text to the value of a label. Invalid characters become `_`, and different texts may become the same. */
export function labelValueOf(text: string): string {
  return text
    .replace(/[^A-Za-z0-9._-]/gu, '_')
    .slice(0, LABEL_CHARACTERS_MAX)
    .replace(/^[._-]+|[._-]+$/g, '');
}
