/** Container and disk images in the registry of the server, to read. */
import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { ApiFailure, sendForJson } from '../api/request.ts';
import { EmptyPage } from '../parts/empty-page.tsx';
import { FailureText } from '../parts/failure-text.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { TinkCommand } from '../parts/tink-command.tsx';

interface Catalog {
  readonly repositories: readonly string[];
}

interface Tags {
  readonly tags: readonly string[] | null;
}

/** More would need pages, and `tink image list` has them. */
const REPOSITORIES_MAX = 500;

export function ImagesPage() {
  const { data, error } = useQuery({
    queryKey: ['images'],
    queryFn: () => sendForJson<Catalog>(`/v2/_catalog?n=${REPOSITORIES_MAX}`),
    retry: false,
  });
  const repositories = data?.repositories ?? [];
  const isOff = error instanceof ApiFailure && error.status === 404;
  return (
    <div className="page">
      <PageHead title="Images" beside={<span className="count">{repositories.length}</span>} />
      {isOff && (
        <EmptyPage title="The registry does not run">
          <p>Start the server with:</p>
          <code>--registry-enabled</code>
        </EmptyPage>
      )}
      {error !== null && !isOff && <FailureText failure={error} />}
      {data !== undefined && repositories.length === 0 && (
        <EmptyPage title="The registry has no image">
          <p>Machines of a site without an outside network get their images from here. Add the first one:</p>
          <code>tink image add debian-12.img disks/debian:12</code>
        </EmptyPage>
      )}
      {repositories.length > 0 && (
        <ul className="rows card" aria-label="Images">
          {repositories.map((name) => (
            <Repository key={name} name={name} />
          ))}
        </ul>
      )}
      <TinkCommand command="tink image list" />
    </div>
  );
}

/** Its tags load when somebody opens it. */
function Repository({ name }: { readonly name: string }) {
  const [isOpen, setOpen] = useState(false);
  const { data, error } = useQuery({
    queryKey: ['tags', name],
    queryFn: () => sendForJson<Tags>(`/v2/${name}/tags/list`),
    enabled: isOpen,
    retry: false,
  });
  return (
    <li>
      <button type="button" className="disclosure" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span className="strong">{name}</span>
      </button>
      {isOpen && error !== null && <FailureText failure={error} />}
      {isOpen && data !== undefined && (
        <span className="labels">
          {(data.tags ?? []).map((tag) => (
            <span key={tag} className="label">
              {tag}
            </span>
          ))}
        </span>
      )}
    </li>
  );
}
