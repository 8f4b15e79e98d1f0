const TIMEOUT = /^(\d{1,8})([HMSmun])$/;
const MILLISECONDS: Readonly<Record<string, number>> = {
  H: 3_600_000,
  M: 60_000,
  S: 1000,
  m: 1,
  u: 0.001,
  n: 0.000_001,
};

/** Reads the field `grpc-timeout`. Returns milliseconds, or undefined when it is invalid. */
export function parseTimeout(text: string): number | undefined {
  const [, digits, unit = ''] = TIMEOUT.exec(text) ?? [];
  const factor = MILLISECONDS[unit];
  return factor === undefined ? undefined : Math.trunc(Number(digits) * factor);
}
