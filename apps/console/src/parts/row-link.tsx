import type { ReactNode } from 'react';

/** A link in a row. The links of the router cost too much in tables that scroll. `use-plain-links.ts` follows it without a reload. */
export function RowLink({
  to,
  className,
  children,
}: {
  /** The path below `/console`, whose parts are names of objects. */
  readonly to: readonly string[];
  readonly className?: string;
  readonly children: ReactNode;
}) {
  const path = to.map((part) => encodeURIComponent(part)).join('/');
  return (
    <a href={`/console/${path}`} className={className}>
      {children}
    </a>
  );
}
