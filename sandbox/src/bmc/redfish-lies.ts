/** Faults of real Redfish services, to be switched on one by one, at any time. */
export interface RedfishLies {
  /** Accepts power operations and performs none. */
  ignoresPower?: boolean;
  ignoresBootDevice?: boolean;
  /** Keeps the target UefiHttp without its URL: the firmware would get one by DHCP. */
  losesHttpBootUri?: boolean;
  ignoresMedia?: boolean;
  ignoresPassword?: boolean;
  /** Reports this state instead of the real one. */
  powerState?: string;
  /** Drops the boot override when the machine starts, without using it. */
  losesOverride?: boolean;
  /** Answers this many changes with 412, whatever their If-Match is. */
  matchRefusals?: number;
  /** Answers changes without If-Match with 428. */
  needsMatch?: boolean;
  /** Marks its ETags as weak, and compares If-Match with the strong ones. */
  hasWeakEtags?: boolean;
  /** Redirects every request to this URL. */
  redirectsTo?: string;
  /** Answers 503 while the machine is off. */
  isUnavailableWhileOff?: boolean;
  /** Holds every answer. */
  stalls?: boolean;
  /** Closes the connection of this many requests of a method, without an answer. */
  closes?: { readonly method: string; times: number };
  /** Sends this text instead of each resource. */
  resourceText?: string;
  /** The next page of each collection is its first. */
  hasEndlessPages?: boolean;
  /** Answers a request with `$expand` with 501, or with references. */
  refusesExpand?: boolean;
  ignoresExpand?: boolean;
  /** Forgets all sessions before the next request for such a path. */
  dropsSessionsAt?: RegExp;
  /** Answers this many requests with 401, and keeps the session. */
  sessionRefusals?: number;
  /** Refuses every login: the account is locked. */
  locksAccount?: boolean;
  /** Answers every change with 403. */
  refusesChanges?: boolean;
  /** Lists its sessions, and does not let clients create one. */
  hasSessionsInNameOnly?: boolean;
  /** Makes a task of each change, which ends like this. */
  task?: 'completes' | 'fails' | 'never-ends';
  /** Refuses InsertMedia without this parameter. */
  insertNeeds?: string;
  /** Has no resources at these paths. */
  missing?: RegExp;
  /** Refuses BootSourceOverrideMode. */
  refusesMode?: boolean;
}
