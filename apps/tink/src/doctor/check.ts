/** The result of an active check: something that was tried now, and not only observed. */
export interface Check {
  readonly check: 'ports' | 'address' | 'bmc' | 'console' | 'network';
  /** `note`: nothing is known, or it means nothing by itself. */
  readonly state: 'ok' | 'note' | 'warning' | 'failed';
  readonly message: string;
}
