import { LEASES_KEPT, type Lease, type LeaseBook } from '@tinkerbell/store-contract';

/** Leases in memory, for tests. */
export function createMemoryLeaseBook({ leasesKept = LEASES_KEPT } = {}): LeaseBook {
  const leases = new Map<string, Lease>();
  let isClosed = false;
  const close = async () => void (isClosed = true);
  return {
    load: async () => [...leases.values()],
    async write(lease) {
      if (isClosed) throw new Error('the lease book is closed');
      leases.set(lease.address, lease);
      while (leases.size > leasesKept) {
        const [first, ...rest] = leases.values();
        const oldest = rest.reduce(
          (one, other) => (other.untilMs < one.untilMs ? other : one),
          first ?? lease,
        );
        leases.delete(oldest.address);
      }
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
