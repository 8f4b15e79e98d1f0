import { useEffect, type ReactNode } from 'react';

interface PageHeadProps {
  readonly title: string;
  /** Links above the title. */
  readonly above?: ReactNode;
  /** Beside the title: a state, a count. */
  readonly beside?: ReactNode;
  readonly actions?: ReactNode;
}

export function PageHead({ title, above, beside, actions }: PageHeadProps) {
  useEffect(() => {
    document.title = `${title} · Tinkerbell`;
  }, [title]);
  return (
    <header className="page-head">
      <div>
        {above !== undefined && <div className="above">{above}</div>}
        <h1>{title}</h1>
        {beside}
      </div>
      {actions !== undefined && <div className="actions">{actions}</div>}
    </header>
  );
}
