import { decodeUtf8, encodeUtf8, type FunctionSpec } from '@tinkerbell/go-template';
import { decodeBase32, encodeBase32 } from './base32.ts';
import { decodeBase64, type Decoded, encodeBase64 } from './base64.ts';
import { ofText } from './text-function.ts';

/** Sprig's encodings. For invalid input the result is the text of the error. */
export const ENCODING_FUNCTIONS: Readonly<Record<string, FunctionSpec>> = {
  b64enc: ofText((source) => encodeBase64(encodeUtf8(source))),
  b64dec: ofText((source) => textOrError(decodeBase64(source))),
  b32enc: ofText((source) => encodeBase32(encodeUtf8(source))),
  b32dec: ofText((source) => textOrError(decodeBase32(source))),
};

function textOrError(decoded: Decoded): string {
  return decoded.ok ? decodeUtf8(decoded.bytes) : decoded.error;
}
