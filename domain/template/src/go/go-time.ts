/** A moment in a time zone of fixed offset, like Go's time.Time. */
export interface GoTime {
  /** Seconds since 1970. */
  readonly seconds: bigint;
  /** 0 to 999,999,999. */
  readonly nanoseconds: number;
  readonly offsetSeconds: number;
  /** The name of the zone. Empty when only the offset is known. */
  readonly zone: string;
}
