import type { RenderError } from './render-error.ts';

const MASK = '***';

/** Returns the error with every secret in its texts replaced, also where it stands quoted or over several lines. */
export function maskSecrets(error: RenderError, secrets: readonly string[]): RenderError {
  const hidden = secrets.flatMap(writtenForms).sort((left, right) => right.length - left.length);
  if (hidden.length === 0) return error;
  const mask = (text: string): string =>
    hidden.reduce((masked, secret) => masked.replaceAll(secret, MASK), text);
  const { path, expression } = error;
  return {
    ...error,
    message: mask(error.message),
    text: mask(error.text),
    excerpt: mask(error.excerpt),
    ...(path === undefined ? {} : { path: mask(path) }),
    ...(expression === undefined ? {} : { expression: mask(expression) }),
  };
}

/** Returns the secret unchanged, in quotes, and each of its lines, because an excerpt numbers them. */
function writtenForms(secret: string): string[] {
  const quoted = JSON.stringify(secret).slice(1, -1);
  const lines = secret.includes('\n') ? secret.split('\n').map((line) => line.trim()) : [];
  return [...new Set([secret, quoted, ...lines])].filter((form) => form !== '');
}
