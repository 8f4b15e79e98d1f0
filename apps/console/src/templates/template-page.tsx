/** One template: its text with the checks of the server, and a workflow from it. */
import { lazy, Suspense, useState } from 'react';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { Template } from '@tinkerbell/resources';
import { templates, workflows } from '../api/kinds.ts';
import { useMay } from '../api/permissions.ts';
import { useObjects } from '../api/use-objects.ts';
import { ActionButton } from '../parts/action-button.tsx';
import { EmptyPage } from '../parts/empty-page.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { StartWorkflow } from './start-workflow.tsx';

const TemplateEditor = lazy(() => import('./template-editor.tsx'));

const FIRST_TEXT = `version: "0.1"
name: example
global_timeout: 1800
tasks:
  - name: "install"
    worker: "{{ .device_1 }}"
    actions:
      - name: "write image"
        image: quay.io/tinkerbell/actions/image2disk:latest
        timeout: 900
        environment:
          DEST_DISK: "{{ index .Hardware.Disks 0 }}"
          IMG_URL: "http://192.168.56.4:7080/images/debian-12.img.zst"
          COMPRESSED: "true"
`;

export function TemplatePage() {
  const { namespace = '', name = '' } = useParams({ strict: false });
  const { create } = useSearch({ strict: false });
  const isNew = create !== undefined;
  const { items, isComplete } = useObjects(templates, { namespace, name }, !isNew);
  const [isStarting, setStarting] = useState(false);
  const may = useMay(namespace);
  const navigate = useNavigate();
  const template = isNew ? firstTemplate(namespace) : items[0];
  if (template === undefined)
    return isComplete ? (
      <EmptyPage title={`There is no template ${name} in ${namespace}`}>
        <Link to="/templates">All templates</Link>
      </EmptyPage>
    ) : (
      <p className="waiting">Loading…</p>
    );
  return (
    <div className="page">
      <PageHead
        title={isNew ? 'New template' : name}
        above={
          <>
            <Link to="/templates">Templates</Link> / {namespace}
          </>
        }
        actions={
          isNew ? undefined : (
            <ActionButton tone="primary" refusal={may('create', workflows)} onAct={() => setStarting(true)}>
              Run on a machine…
            </ActionButton>
          )
        }
      />
      <Suspense fallback={<p className="waiting">Loading…</p>}>
        <TemplateEditor
          key={isNew ? 'new' : template.metadata.uid}
          template={template}
          isNew={isNew}
          onSaved={({ metadata }) =>
            isNew &&
            void navigate({
              to: '/templates/$namespace/$name',
              params: { namespace, name: metadata.name },
              search: {},
            })
          }
        />
      </Suspense>
      {isStarting && <StartWorkflow template={template} onClose={() => setStarting(false)} />}
    </div>
  );
}

function firstTemplate(namespace: string): Template {
  return {
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Template',
    metadata: { name: 'example', namespace },
    spec: { data: FIRST_TEXT },
  };
}
