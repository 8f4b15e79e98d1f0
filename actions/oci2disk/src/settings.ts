import {
  compressionByExtension,
  readEnvironment,
  type Compression,
  type Environment,
} from '@tinkerbell/action-kit';
import { messageOf } from '@tinkerbell/platform-contract';
import { OciError, parseReference, type ImageReference } from '@tinkerbell/oci';

export interface Settings {
  readonly reference: ImageReference;
  readonly disk: string;
  /** `detect`: by the title of the layer, and then by the first bytes of the image. */
  readonly compression: Compression | 'detect';
  readonly login: { readonly username: string; readonly password: string } | undefined;
  /** Accepts any certificate. */
  readonly skipVerification: boolean;
  readonly plainHttp: boolean;
}

const NOWHERE: ImageReference = { registry: '', repository: '' };

/**
 * Variables as in upstream's oci2disk, and PLAIN_HTTP. As in image2disk, COMPRESSED=false writes the layer
 * unchanged, and otherwise suffix, title and first bytes decide.
 */
export function readSettings(environment: Environment): Settings {
  const read = readEnvironment('oci2disk', environment);
  const image = read.required('IMG_URL', 'the image in the registry: quay.io/example/debian:raw.gz');
  const disk = read.absolutePath('DEST_DISK', 'the disk to write to, for example /dev/sda');
  const compressed = read.flag('COMPRESSED', undefined);
  const username = read.optional('REGISTRY_USERNAME');
  const password = read.optional('REGISTRY_PASSWORD');
  if ((username === undefined) !== (password === undefined))
    read.problem('REGISTRY_USERNAME and REGISTRY_PASSWORD must be set together');
  const skipVerification = read.flag('SKIP_VERIFY', false);
  const plainHttp = read.flag('PLAIN_HTTP', false);
  const parsed = image === '' ? NOWHERE : referenceIn(image);
  if (typeof parsed === 'string') read.problem(`IMG_URL=${image.slice(0, 300)} is invalid: ${parsed}`);
  read.finish();
  const reference = typeof parsed === 'string' ? NOWHERE : parsed;
  return {
    reference,
    disk,
    compression:
      compressed === false ? 'none' : (compressionByExtension(`:.${reference.tag ?? ''}`) ?? 'detect'),
    login: username === undefined || password === undefined ? undefined : { username, password },
    skipVerification,
    plainHttp,
  };
}

/** Returns the reason when the text is not a reference. */
function referenceIn(text: string): ImageReference | string {
  if (text.includes('://')) return 'remove the scheme, and set PLAIN_HTTP=true for a registry without TLS';
  try {
    return parseReference(text);
  } catch (thrown) {
    if (thrown instanceof OciError) return messageOf(thrown);
    throw thrown;
  }
}
