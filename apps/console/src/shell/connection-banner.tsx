import { useIsConnected } from '../api/connection.ts';

/** What is on the page stays, and catches up when the connection is back. */
export function ConnectionBanner() {
  const isConnected = useIsConnected();
  return (
    <div role="status" className="banner-place">
      {!isConnected && (
        <p className="banner">
          The connection to the server is lost. What you see may be old. Nothing you typed is lost; the page
          reconnects by itself.
        </p>
      )}
    </div>
  );
}
