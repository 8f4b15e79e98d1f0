/** The pages of the navigation and of the command palette. */
export const pages = [
  { path: '/', title: 'Overview', icon: 'overview' },
  { path: '/machines', title: 'Machines', icon: 'machines' },
  { path: '/workflows', title: 'Workflows', icon: 'workflows' },
  { path: '/templates', title: 'Templates', icon: 'templates' },
  { path: '/new-machine', title: 'New machine', icon: 'add' },
  { path: '/images', title: 'Images', icon: 'images' },
  { path: '/network', title: 'Network', icon: 'network' },
  { path: '/bmcs', title: 'BMCs', icon: 'bmcs' },
  { path: '/access', title: 'Access', icon: 'access' },
  { path: '/audit', title: 'Audit', icon: 'audit' },
  { path: '/server', title: 'Server', icon: 'server' },
] as const;

export type IconName = (typeof pages)[number]['icon'] | 'search' | 'menu' | 'theme' | 'leave';
