export { createStoreView, type StoreView, type StoreViewDeps } from './store-view.ts';
