/** Machines that ask to boot and are not registered: what `tink get unknown` lists. */
import { useQuery } from '@tanstack/react-query';
import { sendForJson } from './request.ts';

export interface UnknownMachine {
  readonly mac: string;
  readonly client: string;
  readonly vendorClass: string;
  readonly architecture: number;
  readonly asked: string;
  readonly count: number;
  readonly firstSeen: string;
  readonly lastSeen: string;
  /** Why it was not answered. Absent: it was. */
  readonly message?: string;
  /** Set for a BMC that asks for its own address. */
  readonly bmc?: string;
}

const POLL_MS = 5000;

export function useUnknownMachines() {
  return useQuery({
    queryKey: ['unknown machines'],
    queryFn: () => sendForJson<{ readonly items: readonly UnknownMachine[] }>('/unknown-machines'),
    refetchInterval: POLL_MS,
    retry: false,
  });
}
