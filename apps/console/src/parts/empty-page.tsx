import type { ReactNode } from 'react';

/** Says that there is nothing, and what to do next. */
export function EmptyPage({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <div className="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}
