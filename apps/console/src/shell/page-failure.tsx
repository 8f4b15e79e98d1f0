import { Link, type ErrorComponentProps } from '@tanstack/react-router';
import { textOf } from '../api/request.ts';
import { EmptyPage } from '../parts/empty-page.tsx';

export function NoPage() {
  return (
    <EmptyPage title="There is no such page">
      <Link to="/">Go to the overview</Link>
    </EmptyPage>
  );
}

/** A chunk of an older build no longer exists after an update of the server. */
export function PageFailure({ error }: ErrorComponentProps) {
  return (
    <EmptyPage title="This page cannot be shown">
      <p>{textOf(error)}</p>
      <button type="button" className="button" onClick={() => location.reload()}>
        Reload
      </button>
    </EmptyPage>
  );
}
