import { ApiFailure, textOf } from '../api/request.ts';

/** What went wrong, with each field. */
export function FailureText({ failure }: { readonly failure: unknown }) {
  const causes = failure instanceof ApiFailure ? failure.causes.filter(({ field }) => field !== '') : [];
  return (
    <div role="alert" className="failure">
      {causes.length === 0 ? (
        <p>{textOf(failure)}</p>
      ) : (
        <ul>
          {causes.map(({ field, message }) => (
            <li key={`${field} ${message}`}>
              <code>{field}</code>: {message}
            </li>
          ))}
        </ul>
      )}
      {failure instanceof ApiFailure && failure.status === 403 && (
        <p>If your role is bound in one namespace, choose that namespace in the navigation.</p>
      )}
    </div>
  );
}
