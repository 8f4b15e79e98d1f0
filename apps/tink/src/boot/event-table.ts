/** What each event of a timeline is to a boot. */
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
  /** Absent: of whatever stage the machine is in. */
  readonly stage?: Stage;
  /** Trouble that nothing follows is why the boot stopped. */
  readonly kind: 'progress' | 'trouble' | 'aside';
  /** What it says about the machine, as half a sentence. */
  readonly meaning: string;
}

const progress = (meaning: string, stage?: Stage): EventMeaning => entry('progress', meaning, stage);
const trouble = (meaning: string, stage?: Stage): EventMeaning => entry('trouble', meaning, stage);
const aside = (meaning: string, stage?: Stage): EventMeaning => entry('aside', meaning, stage);

function entry(kind: EventMeaning['kind'], meaning: string, stage: Stage | undefined): EventMeaning {
  return { kind, meaning, ...(stage === undefined ? {} : { stage }) };
}

export const eventTable: Readonly<Record<string, EventMeaning>> = {
  'offer-sent': progress('it was offered an address or a boot file'),
  'acknowledge-sent': progress('it got its address or boot file'),
  'refusal-sent': trouble('it was refused the address it wanted, and has to ask anew'),
  'advertise-sent': progress('it was offered an IPv6 configuration'),
  'reply-sent': progress('it got its IPv6 configuration'),
  'machine-unknown': trouble('it is not registered'),
  'request-ignored': trouble('it asked and got no answer'),
  'address-declined': trouble('it found another host with its address'),
  'address-released': aside('it gave its address back'),
  'address-in-use': trouble('an address that it would have got is in use'),
  'foreign-offer-seen': aside('another server made it an offer'),
  'file-sent': progress('it loaded a file', 'boot loader'),
  'file-not-found': trouble('it asked for a file that is not there', 'boot loader'),
  'file-refused': trouble('a file could not be made for it', 'boot loader'),
  'binary-sent': progress('it loaded a boot loader', 'boot loader'),
  'transfer-failed': trouble('a transfer to it broke off', 'boot loader'),
  'script-served': progress('it got its script', 'script'),
  'script-refused': trouble('it got no script', 'script'),
  'iso-started': progress('it began to read an ISO image', 'kernel and initramfs'),
  'iso-progressed': progress('it reads an ISO image', 'kernel and initramfs'),
  'iso-sent': progress('it read an ISO image', 'kernel and initramfs'),
  'iso-ended': progress('it stopped reading an ISO image', 'kernel and initramfs'),
  'iso-refused': trouble('it got no ISO image', 'kernel and initramfs'),
  'transfer-started': progress('it began to load a file', 'kernel and initramfs'),
  'transfer-moved': progress('it loads a file', 'kernel and initramfs'),
  'transfer-completed': progress('it loaded a file', 'kernel and initramfs'),
  'transfer-broken-off': trouble('it broke off loading a file', 'kernel and initramfs'),
  'file-missing': trouble('it asked for a file that the server does not have', 'kernel and initramfs'),
  'message-received': progress('its operating system runs and logs', 'in-memory OS'),
  'messages-dropped': aside('it logs too fast'),
  'metadata-served': progress('its operating system read its metadata', 'in-memory OS'),
  'metadata-refused': trouble('its operating system got no metadata', 'in-memory OS'),
  'machine-ready': progress('its installed operating system says that it is ready'),
  'action-served': progress('its agent got an action', 'workflow actions'),
  'action-served-again': progress('its agent got an action again', 'workflow actions'),
  'action-started': progress('its agent began an action', 'workflow actions'),
  'action-progressed': progress('an action goes on', 'workflow actions'),
  'action-succeeded': progress('an action succeeded', 'workflow actions'),
  'action-failed': trouble('an action failed', 'workflow actions'),
  'action-timed-out': trouble('an action took too long', 'workflow actions'),
  'action-retried': progress('an action failed and is tried again', 'workflow actions'),
  'agent-refused': trouble('somebody who is not its agent, or no longer, spoke for it', 'workflow actions'),
  'agent-silent': trouble('its agent was silent for long', 'workflow actions'),
  'machine-discovered': progress('a Hardware was made for it', 'in-memory OS'),
  'discovery-refused': trouble('no Hardware was made for it', 'in-memory OS'),
  'machine-enrolled': progress('a workflow was made for it', 'in-memory OS'),
  'enrollment-refused': trouble('no workflow was made for it', 'in-memory OS'),
  'job-accepted': aside('a job was made for it'),
  'configuration-applied': aside('its configuration was changed'),
  'operator-pause': aside('an operator paused its workflow'),
  'operator-resume': aside('an operator had its workflow go on'),
  'operator-cancel': aside('an operator ended its workflow'),
  'operator-retry': aside('an operator had its workflow tried again'),
  'operator-skip': aside('an operator skipped an action'),
  'operator-breakpoint': aside('an operator changed a breakpoint'),
  'operator-edit': aside('an operator changed an action'),
  'report-refused': aside('a report of its agent came too late'),
  'state-changed': aside('its workflow came to another state'),
  'hardware-deleted': aside('its Hardware was deleted before its workflow ended'),
  'rendering-failed': trouble('its workflow cannot be rendered'),
  'server-restarted': aside('the server was started again'),
  'loss-accepted': aside('the server was started with what is intact of a damaged database'),
  started: aside('the server was started'),
};

export function meaningOf(event: string): EventMeaning {
  return eventTable[event] ?? { kind: 'aside', meaning: event };
}
