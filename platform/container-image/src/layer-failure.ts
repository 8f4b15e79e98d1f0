import { PlatformError, type PlatformErrorCode } from '@tinkerbell/platform-contract';

/** `name` is a byte string. */
export function layerFailure(code: PlatformErrorCode, name: string, reason: string): PlatformError {
  const shown = Buffer.from(name.slice(0, 200), 'latin1').toString();
  return new PlatformError(code, `layer entry ${JSON.stringify(shown)}: ${reason}`);
}
