/** A moment in a time zone of fixed offset, as Go's time.Time. */
export interface GoTime {
  /** Since 1970. */
  readonly seconds: bigint;
  /** 0 to 999,999,999. */
  readonly nanoseconds: number;
  readonly offsetSeconds: number;
  /** Empty when only the offset is known. */
  readonly zone: string;
}
