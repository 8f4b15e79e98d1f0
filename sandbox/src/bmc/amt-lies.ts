/** Faults of Intel AMT, to be switched on one by one, at any time. */
export interface AmtLies {
  /** Returns success for power requests, and performs none. */
  ignoresPower?: boolean;
  /** Reports this power state (CIM) instead of the real one. */
  powerState?: string;
  /** Returns success for changes of the next boot, and changes nothing. */
  ignoresBoot?: boolean;
  /** `disabled` in the BIOS settings, or firmware that does not have it. */
  httpsBoot?: 'disabled' | 'absent';
  /** Does not show the URL of the next boot. */
  hidesUrl?: boolean;
  /** Methods return this instead of 0. */
  returnValue?: number;
  /** Answers every operation with this fault, for example `AccessDenied`. */
  fault?: string;
  /** Forgets the nonce before each request. */
  forgetsNonces?: boolean;
  /** Offers basic authentication only. */
  hasNoDigest?: boolean;
  /** Redirects every request to this URL. */
  redirectsTo?: string;
  /** Sends this text instead of each answer. */
  answerText?: string;
  /** Answers every request with this status, and no text. */
  status?: number;
  /** The next page of each enumeration is its first. */
  hasEndlessPages?: boolean;
  /** Lacks these classes. */
  missing?: RegExp;
  /** Has no serial console behind its login. */
  hasNoSol?: boolean;
  /** Has no drive behind its login. */
  hasNoIder?: boolean;
  /** The buffer that a session of the drive reports, in bytes. */
  iderBufferBytes?: number;
  /** Sends this instead of each message of a session. */
  consoleSends?: Uint8Array;
  /** Holds every answer. */
  stalls?: boolean;
}
