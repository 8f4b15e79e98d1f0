/**
 * Wycheproof's vectors of JSON Web Signature (from its Go module), with the key sets and the algorithm lists that tokens are verified
 * with. Their payloads are no JSON, so that the checks of a token's form would refuse most of them before the signature.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fixedKeys } from '@tinkerbell/platform-jwt';
import { compactVerify, decodeProtectedHeader, type JWK } from 'jose';
import { downloadedByGo } from './go-toolchain.ts';

interface Vectors {
  readonly testGroups: readonly {
    /** Some groups have no public key apart from this one. */
    readonly private?: JWK;
    readonly public?: JWK;
    readonly tests: readonly Vector[];
  }[];
}

interface Vector {
  readonly tcId: number;
  readonly comment: string;
  readonly jws: string;
  readonly result: 'valid' | 'invalid';
}

const SECRET_MEMBERS = new Set(['d', 'p', 'q', 'dp', 'dq', 'qi']);
const wycheproof = await downloadedByGo('github.com/c2sp/wycheproof@v0.0.0-20260902155932-3fa63dd0344a');

test(
  'no invalid signature of Wycheproof is accepted, and valid ones are',
  { skip: wycheproof.skip },
  async () => {
    assert.ok(wycheproof.skip === false);
    const path = join(wycheproof.folder, 'testvectors_v1/json_web_signature_test.json');
    const { testGroups } = JSON.parse(readFileSync(path, 'utf8')) as Vectors;
    const [wronglyAccepted, wronglyRefused]: [Vector[], Vector[]] = [[], []];
    let accepted = 0;
    for (const group of testGroups) {
      const key = publicHalf(group.public ?? group.private ?? {});
      for (const vector of group.tests) {
        const isAccepted = await isVerified(vector.jws, key);
        if (isAccepted) accepted += 1;
        if (isAccepted && vector.result === 'invalid') wronglyAccepted.push(vector);
        if (!isAccepted && vector.result === 'valid' && isForUs(vector, key)) wronglyRefused.push(vector);
      }
    }
    assert.deepEqual([wronglyAccepted, wronglyRefused], [[], []]);
    assert.ok(accepted >= 30, `${accepted} accepted`);
  },
);

/** An issuer's keys are public, so secret ones are refused. A key is used with its own algorithm only. */
function isForUs({ jws }: Vector, key: JWK): boolean {
  return key.kty !== 'oct' && decodeProtectedHeader(jws).alg === key.alg;
}

function publicHalf(key: JWK): JWK {
  return Object.fromEntries(Object.entries(key).filter(([name]) => !SECRET_MEMBERS.has(name)));
}

async function isVerified(jws: string, key: JWK): Promise<boolean> {
  try {
    const set = await fixedKeys({ keys: [key] }).keys(false);
    const getKey: Parameters<typeof compactVerify>[1] = (header, token) =>
      set.key({ ...header, alg: header?.alg ?? '' }, token);
    await compactVerify(jws, getKey, { algorithms: [key.alg ?? ''] });
    return true;
  } catch {
    return false;
  }
}
