export { repositoryOf, type Documents } from './documents.ts';
export { renderSite, type Site } from './render-site.ts';
export { STYLE_PATH } from './page-layout.ts';
