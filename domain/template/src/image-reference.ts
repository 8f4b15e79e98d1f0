/**
 * Checks container image names as the Docker CLI does (distribution/reference, ParseNormalizedNamed).
 */

const NAME_LENGTH_MAX = 255;
const PATH_COMPONENT = '[a-z0-9]+(?:(?:[._]|__|[-]+)[a-z0-9]+)*';
const DOMAIN_COMPONENT = '(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])';
const DOMAIN = `(?:${DOMAIN_COMPONENT}(?:\\.${DOMAIN_COMPONENT})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?`;
const DIGEST = '[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}';
const REFERENCE = new RegExp(
  `^(?:(${DOMAIN})/)?(${PATH_COMPONENT}(?:/${PATH_COMPONENT})*)(?::[\\w][\\w.-]{0,127})?(?:@(${DIGEST}))?$`,
);
const DIGEST_LENGTHS: ReadonlyMap<string, number> = new Map([
  ['sha256', 64],
  ['sha384', 96],
  ['sha512', 128],
]);

/** The longest image reference that is checked. A longer one cannot be valid, and the pattern backtracks. */
const REFERENCE_LENGTH_MAX = 1024;

/** Returns why an image name is invalid, in distribution's words, or undefined if it is valid. */
export function imageReferenceProblem(image: string): string | undefined {
  if (/^[a-f0-9]{64}$/.test(image)) {
    return `invalid repository name (${image}), cannot specify 64-byte hexadecimal strings`;
  }
  if (image.length > REFERENCE_LENGTH_MAX) return 'invalid reference format';
  const { domain, remainder } = splitDomain(image);
  const name = remainder.split(':')[0] ?? '';
  if (name.toLowerCase() !== name) {
    return `invalid reference format: repository name (${name}) must be lowercase`;
  }
  const reference = `${domain}/${remainder}`;
  const match = REFERENCE.exec(reference);
  if (match === null) {
    return REFERENCE.test(reference.toLowerCase())
      ? 'repository name must be lowercase'
      : 'invalid reference format';
  }
  if ((match[2] ?? '').length > NAME_LENGTH_MAX) {
    return `repository name must not be more than ${NAME_LENGTH_MAX} characters`;
  }
  return match[3] === undefined ? undefined : digestProblem(match[3]);
}

function splitDomain(image: string): { domain: string; remainder: string } {
  const slash = image.indexOf('/');
  const first = image.slice(0, Math.max(slash, 0));
  const isDomain = first === 'localhost' || /[.:]/.test(first) || first.toLowerCase() !== first;
  const official = slash < 0 || first === 'index.docker.io' || first === 'docker.io' || !isDomain;
  if (!official) return { domain: first, remainder: image.slice(slash + 1) };
  const path = isDomain ? image.slice(slash + 1) : image;
  return { domain: 'docker.io', remainder: path.includes('/') ? path : `library/${path}` };
}

function digestProblem(digest: string): string | undefined {
  const [algorithm = '', hex = ''] = digest.split(':');
  const length = DIGEST_LENGTHS.get(algorithm);
  if (length === undefined) return 'unsupported digest algorithm';
  if (hex.length !== length) return 'invalid checksum digest length';
  return /^[a-f0-9]+$/.test(hex) ? undefined : 'invalid checksum digest format';
}
