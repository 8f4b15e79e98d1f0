import type { DhcpOrder, DhcpReport } from './messages.ts';

/** A thread that runs `createDhcpFront`. */
export interface StartedThread {
  order(order: DhcpOrder): void;
  /** Ends it at once. */
  end(): Promise<void>;
}

/** Starts the thread. `ended` is called when it ends by itself. */
export type StartDhcpThread = (handlers: {
  readonly report: (report: DhcpReport) => void;
  readonly ended: (error: Error) => void;
}) => StartedThread;
