/** The login of a simulated AMT: digest authentication, with nonces that end. */
import { createHash, randomBytes } from 'node:crypto';

export interface AmtAccount {
  readonly username: string;
  readonly password: string;
}

const REALM = 'Digest:A4070000000000000000000000000000';
const NONCES_MAX = 16;
const PARAMETER = /([a-z]+)=(?:"([^"]*)"|([^\s,]+))/g;

export class AmtLogin {
  readonly #account: AmtAccount;
  /** The highest count of a request with each nonce, so that none is repeated. */
  readonly #counts = new Map<string, number>();

  constructor(account: AmtAccount) {
    this.#account = account;
  }

  challenge(): string {
    const nonce = randomBytes(16).toString('hex');
    this.#counts.set(nonce, 0);
    const [oldest = ''] = this.#counts.keys();
    if (this.#counts.size > NONCES_MAX) this.#counts.delete(oldest);
    return `Digest realm="${REALM}", nonce="${nonce}",stale="false",qop="auth"`;
  }

  forgetNonces(): void {
    this.#counts.clear();
  }

  isValid(method: string, header: string): boolean {
    if (!header.startsWith('Digest ')) return false;
    const given = new Map(
      [...header.matchAll(PARAMETER)].map(([, name, quoted, plain]) => [name, quoted ?? plain]),
    );
    const get = (name: string): string => given.get(name) ?? '';
    const count = Number.parseInt(get('nc'), 16);
    const { username, password } = this.#account;
    const secret = md5(`${username}:${REALM}:${password}`);
    const expected = md5(
      `${secret}:${get('nonce')}:${get('nc')}:${get('cnonce')}:auth:${md5(`${method}:${get('uri')}`)}`,
    );
    const last = this.#counts.get(get('nonce'));
    if (last === undefined || count <= last) return false;
    const isValid = get('username') === username && get('response') === expected;
    if (isValid) this.#counts.set(get('nonce'), count);
    return isValid;
  }
}

function md5(text: string): string {
  return createHash('md5').update(text).digest('hex');
}
