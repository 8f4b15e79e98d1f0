import { useQuery } from '@tanstack/react-query';
import { sendForJson } from '../api/request.ts';

export interface Pool {
  readonly first: string;
  readonly last: string;
  readonly prefixLength: number;
  readonly gateway?: string;
  readonly nameServers: readonly string[];
  readonly leaseTimeSeconds: number;
  readonly addresses: number;
  readonly leased: number;
  readonly inUseElsewhere: number;
}

export interface ShownLease {
  readonly address: string;
  readonly mac: string;
  readonly state: 'leased' | 'released' | 'declined';
  readonly until: string;
}

interface Leases {
  readonly pools: readonly Pool[];
  /** The list has the newest. */
  readonly total: number;
  readonly leases: readonly ShownLease[];
}

const POLL_MS = 10_000;

export function useLeases() {
  return useQuery({
    queryKey: ['leases'],
    queryFn: () => sendForJson<Leases>('/dhcp-leases'),
    refetchInterval: POLL_MS,
    retry: false,
  });
}
