/** Every page of the web console with an object of the site in tests, and a text that shows that it is complete. */
export const pagesOfSite: readonly {
  readonly name: string;
  readonly path: string;
  readonly ready: RegExp;
}[] = [
  { name: 'overview', path: '/', ready: /no such device/ },
  { name: 'machines', path: '/machines', ready: /node-9/ },
  { name: 'machine-boot', path: '/machines/default/node-1', ready: /initramfs-x86_64/ },
  { name: 'machine-identity', path: '/machines/default/node-1?tab=identity', ready: /255\.255\.255\.0/ },
  { name: 'machine-workflows', path: '/machines/default/node-1?tab=workflows', ready: /node-1-debian/ },
  { name: 'machine-power', path: '/machines/default/node-1?tab=power', ready: /Boot once from/ },
  { name: 'machine-console', path: '/machines/default/node-1?tab=console', ready: /closed: / },
  { name: 'machine-metadata', path: '/machines/default/node-1?tab=metadata', ready: /NoCloud/ },
  { name: 'machine-events', path: '/machines/default/node-1?tab=events', ready: /kernel: Linux/ },
  { name: 'machine-yaml', path: '/machines/default/node-1?tab=yaml', ready: /Nothing is changed/ },
  { name: 'workflows', path: '/workflows', ready: /node-5-debian/ },
  { name: 'workflow-failed', path: '/workflows/default/node-1-debian', ready: /Retry from here/ },
  { name: 'workflow-running', path: '/workflows/default/node-3-debian', ready: /Breakpoint/ },
  { name: 'templates', path: '/templates', ready: /debian/ },
  { name: 'template', path: '/templates/default/debian', ready: /would run this/ },
  { name: 'new-machine', path: '/new-machine', ready: /of the interface it boots from/ },
  { name: 'new-machine-csv', path: '/new-machine?tab=csv', ready: /Paste rows/ },
  { name: 'images', path: '/images', ready: /disks\/debian/ },
  { name: 'network', path: '/network', ready: /2 of 10 assigned/ },
  { name: 'bmcs', path: '/bmcs', ready: /bmc-1/ },
  { name: 'access', path: '/access', ready: /Roles in all namespaces/ },
  { name: 'audit', path: '/audit', ready: /hardware/ },
  { name: 'server', path: '/server', ready: /^Processor \d+ %/ },
];
