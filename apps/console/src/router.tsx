/** Every page with its path. Each page is a chunk of its own, which loads when it is opened. */
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  type RouteComponent,
} from '@tanstack/react-router';
import { AppShell } from './shell/app-shell.tsx';
import { NoPage, PageFailure } from './shell/page-failure.tsx';

const root = createRootRoute({ component: AppShell, notFoundComponent: NoPage });

/** Search parameters are texts that each page reads itself. */
type Search = Readonly<Record<string, string | undefined>>;
const validateSearch = (search: Record<string, unknown>): Search =>
  Object.fromEntries(Object.entries(search).map(([name, value]) => [name, String(value)]));

const page = <Path extends string>(path: Path, component: RouteComponent) =>
  createRoute({ getParentRoute: () => root, path, component, validateSearch });

const pages = [
  page(
    '/',
    lazyRouteComponent(() => import('./overview/overview-page.tsx'), 'OverviewPage'),
  ),
  page(
    '/machines',
    lazyRouteComponent(() => import('./machines/machines-page.tsx'), 'MachinesPage'),
  ),
  page(
    '/machines/$namespace/$name',
    lazyRouteComponent(() => import('./machine/machine-page.tsx'), 'MachinePage'),
  ),
  page(
    '/workflows',
    lazyRouteComponent(() => import('./workflows/workflows-page.tsx'), 'WorkflowsPage'),
  ),
  page(
    '/workflows/$namespace/$name',
    lazyRouteComponent(() => import('./workflow/workflow-page.tsx'), 'WorkflowPage'),
  ),
  page(
    '/templates',
    lazyRouteComponent(() => import('./templates/templates-page.tsx'), 'TemplatesPage'),
  ),
  page(
    '/templates/$namespace/$name',
    lazyRouteComponent(() => import('./templates/template-page.tsx'), 'TemplatePage'),
  ),
  page(
    '/new-machine',
    lazyRouteComponent(() => import('./new-machine/new-machine-page.tsx'), 'NewMachinePage'),
  ),
  page(
    '/images',
    lazyRouteComponent(() => import('./images/images-page.tsx'), 'ImagesPage'),
  ),
  page(
    '/network',
    lazyRouteComponent(() => import('./network/network-page.tsx'), 'NetworkPage'),
  ),
  page(
    '/bmcs',
    lazyRouteComponent(() => import('./bmcs/bmcs-page.tsx'), 'BmcsPage'),
  ),
  page(
    '/access',
    lazyRouteComponent(() => import('./access/access-page.tsx'), 'AccessPage'),
  ),
  page(
    '/audit',
    lazyRouteComponent(() => import('./audit/audit-page.tsx'), 'AuditPage'),
  ),
  page(
    '/server',
    lazyRouteComponent(() => import('./server/server-page.tsx'), 'ServerPage'),
  ),
];

/** Search parameters are plain texts in the address, so that people can read and change them. */
export function createConsoleRouter() {
  return createRouter({
    routeTree: root.addChildren(pages),
    basepath: '/console',
    parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
    stringifySearch: (search) => {
      const given = Object.entries(search).filter(([, value]) => value !== undefined && value !== '');
      const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
      return query === '' ? '' : `?${query}`;
    },
    defaultErrorComponent: PageFailure,
    defaultPreload: 'intent',
    scrollRestoration: true,
  });
}
