/** The stage, the effect and the description of each timeline event. */
export const stages = [
  'firmware',
  'boot loader',
  'script',
  'kernel and initramfs',
  'in-memory OS',
  'workflow actions',
] as const;
export type Stage = (typeof stages)[number];

export interface EventMeaning {
  /** The stage that the event starts. If absent, the machine stays in its stage. */
  readonly stage?: Stage;
  /** The last problem without later progress is why the boot stopped. */
  readonly kind: 'progress' | 'trouble' | 'aside';
  /** The end of a sentence about the machine. */
  readonly meaning: string;
}

const progress = (meaning: string, stage?: Stage): EventMeaning => entry('progress', meaning, stage);
const trouble = (meaning: string, stage?: Stage): EventMeaning => entry('trouble', meaning, stage);
const aside = (meaning: string, stage?: Stage): EventMeaning => entry('aside', meaning, stage);

function entry(kind: EventMeaning['kind'], meaning: string, stage: Stage | undefined): EventMeaning {
  return { kind, meaning, ...(stage === undefined ? {} : { stage }) };
}

export const eventTable: Readonly<Record<string, EventMeaning>> = {
  'bmc-task-completed': progress('its BMC performed an operation'),
  'bmc-job-completed': progress('its BMC completed a Job'),
  'bmc-job-failed': trouble('its BMC failed a Job'),
  'bmc-failed': trouble('its BMC does not work'),
  'bmc-power-reported': aside('its BMC reported its power state'),
  'bmc-password-rotated': aside('its BMC has a new password'),
  'bmc-rotation-failed': aside('its BMC has no new password'),
  'bmc-certificate-pinned': aside('the certificate of its BMC is pinned'),
  'bmc-inventory-failed': aside('its BMC does not report its parts'),
  'bmc-events-subscribed': aside('its BMC sends its events to the server'),
  'bmc-events-unavailable': aside('its BMC sends no events'),
  'bmc-media-served': aside('the server put the image into its virtual drive again'),
  'bmc-media-failed': trouble('the server cannot put the image into its virtual drive'),
  'bmc-event': aside('its BMC reported an event'),
  'bmc-alert': aside('its BMC reported a warning or a failure'),
  'console-opened': aside('its serial console was opened'),
  'console-closed': aside('its serial console was closed'),
  'console-lost': aside('its serial console is not recorded'),
  'console-printed': aside('a line that it printed on its serial console'),
  'offer-sent': progress('it was offered an address or a boot file'),
  'acknowledge-sent': progress('it got its address or boot file'),
  'refusal-sent': trouble('the server rejected its address, and it must request another'),
  'advertise-sent': progress('it was offered an IPv6 configuration'),
  'reply-sent': progress('it got its IPv6 configuration'),
  'machine-unknown': trouble('it is not registered'),
  'request-ignored': trouble('its request was ignored'),
  'address-declined': trouble('it found another host with its address'),
  'address-released': aside('it released its address'),
  'address-in-use': trouble('the address for it is already in use'),
  'foreign-offer-seen': aside('another server made it an offer'),
  'file-sent': progress('it loaded a file', 'boot loader'),
  'file-moved': progress('it is loading a file', 'boot loader'),
  'file-not-found': trouble('it requested a file that does not exist', 'boot loader'),
  'file-refused': trouble('the server could not create a file for it', 'boot loader'),
  'binary-sent': progress('it loaded a boot loader', 'boot loader'),
  'transfer-failed': trouble('a transfer to it failed', 'boot loader'),
  'script-served': progress('it got its script', 'script'),
  'script-refused': trouble('it got no script', 'script'),
  'iso-started': progress('it started to read an ISO image', 'kernel and initramfs'),
  'iso-progressed': progress('it is reading an ISO image', 'kernel and initramfs'),
  'iso-sent': progress('it read an ISO image', 'kernel and initramfs'),
  'iso-ended': progress('it stopped reading an ISO image', 'kernel and initramfs'),
  'iso-refused': trouble('it got no ISO image', 'kernel and initramfs'),
  'transfer-started': progress('it started to load a file', 'kernel and initramfs'),
  'transfer-moved': progress('it is loading a file', 'kernel and initramfs'),
  'transfer-completed': progress('it loaded a file', 'kernel and initramfs'),
  'transfer-broken-off': trouble('it aborted a transfer', 'kernel and initramfs'),
  'file-missing': trouble('it requested a file that the server does not have', 'kernel and initramfs'),
  'message-received': progress('its operating system is running and logs', 'in-memory OS'),
  'messages-dropped': aside('it sends too many log messages'),
  'metadata-served': progress('its operating system read its metadata', 'in-memory OS'),
  'metadata-refused': trouble('its operating system got no metadata', 'in-memory OS'),
  'machine-ready': progress('its installed operating system reported that it is ready'),
  'action-served': progress('its agent got an action', 'workflow actions'),
  'action-served-again': progress('its agent got an action again', 'workflow actions'),
  'action-started': progress('its agent started an action', 'workflow actions'),
  'action-progressed': progress('an action is running', 'workflow actions'),
  'action-succeeded': progress('an action succeeded', 'workflow actions'),
  'action-failed': trouble('an action failed', 'workflow actions'),
  'action-timed-out': trouble('an action timed out', 'workflow actions'),
  'action-retried': progress('an action failed and is retried', 'workflow actions'),
  'agent-refused': trouble('a request for its agent was not authorized', 'workflow actions'),
  'agent-silent': trouble('its agent has not contacted the server for too long', 'workflow actions'),
  'machine-discovered': progress('a Hardware was created for it', 'in-memory OS'),
  'discovery-refused': trouble('no Hardware was created for it', 'in-memory OS'),
  'machine-enrolled': progress('a workflow was created for it', 'in-memory OS'),
  'enrollment-refused': trouble('no workflow was created for it', 'in-memory OS'),
  'job-accepted': aside('a job was created for it'),
  'configuration-applied': aside('its configuration was changed'),
  'operator-pause': aside('an operator paused its workflow'),
  'operator-resume': aside('an operator resumed its workflow'),
  'operator-cancel': aside('an operator cancelled its workflow'),
  'operator-retry': aside('an operator retried its workflow'),
  'operator-skip': aside('an operator skipped an action'),
  'operator-breakpoint': aside('an operator changed a breakpoint'),
  'operator-edit': aside('an operator changed an action'),
  'report-refused': aside('a report of its agent came too late'),
  'state-changed': aside('its workflow changed its state'),
  'hardware-deleted': aside('its Hardware was deleted before its workflow ended'),
  'rendering-failed': trouble('its workflow cannot be rendered'),
  'boot-stopped': aside('the server found out why it stands still'),
  'boot-recovered': aside('it no longer stands still'),
  'webhook-delivered': aside('a webhook was notified'),
  'server-restarted': aside('the server restarted'),
  'loss-accepted': aside('the server started with the intact part of a damaged database'),
  started: aside('the server started'),
};

export function meaningOf(event: string): EventMeaning {
  return eventTable[event] ?? { kind: 'aside', meaning: event };
}
