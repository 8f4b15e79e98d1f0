import { boolean, duration, flagGroup, number, text } from '../flag.ts';

export const storageFlags = flagGroup('Storage', {
  'data-dir': text('folder of the database, created when it does not exist', { default: './data' }),
  'accept-loss': boolean(
    'start with the intact part of a damaged database, for this start only; the damaged files are kept in <data-dir>/damaged-<time>. Without this flag the server refuses to start on a damaged database',
    { default: 'false' },
  ),
  store: text(
    'where objects and records are stored: sqlite (a file in --data-dir), memory (lost at exit), postgres (several servers may share it) or kubernetes (the API of a cluster)',
    { default: 'sqlite' },
  ),
  'postgres-url': text(
    'with --store postgres: postgres://user:password@host:5432/database. Set it in the environment, because it contains a password',
  ),
  kubeconfig: text('with --store kubernetes: kubeconfig of the cluster', {
    fallback: 'the service account of the pod',
  }),
  'secrets-key-file': text(
    'file of keys that encrypt Secrets in the store: 32 bytes in base64, one key a line. The first key encrypts and all of them decrypt',
    { fallback: 'Secrets are not encrypted' },
  ),
  'secrets-key': text('the same keys as text, for TINKERBELL_SECRETS_KEY'),
  'journal-max-age': duration('how long timelines and output of actions are kept', { default: '2160h' }),
  'journal-max-records': number('timeline records to keep; the oldest are deleted first', {
    default: '1000000',
  }),
  'journal-max-output-lines': number('lines of action output to keep; the oldest are deleted first', {
    default: '500000',
  }),
});
