/** Files that the build turns into styles of the page. */
declare module '*.css';
