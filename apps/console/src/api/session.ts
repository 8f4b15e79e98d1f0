/** The session of this browser. */
import { ApiFailure, sendForJson } from './request.ts';

export interface SignInWays {
  readonly version: string;
  readonly oidc: { readonly issuer: string } | null;
}

export interface SignedInUser {
  readonly username: string;
  readonly groups: readonly string[];
}

const SESSION = '/console/session';

export function signInWays(): Promise<SignInWays> {
  return sendForJson<SignInWays>(SESSION);
}

/** Resolves when the cookie is set. Rejects with an ApiFailure. */
export async function signIn(
  body:
    | { readonly token: string }
    | { readonly link: string }
    | { readonly returned: string; readonly kept: string },
): Promise<void> {
  await sendForJson(SESSION, { method: 'POST', body });
}

/** Resolves with the page of the identity provider. */
export function beginOidc(): Promise<{ readonly url: string; readonly kept: string }> {
  return sendForJson(SESSION, { method: 'POST', body: { oidc: true } });
}

export async function signOut(): Promise<void> {
  await sendForJson(SESSION, { method: 'DELETE' });
}

interface SelfReview {
  readonly status: { readonly userInfo: SignedInUser };
}

/** Null if nobody is signed in. */
export async function currentUser(): Promise<SignedInUser | null> {
  try {
    const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
    const { status } = await sendForJson<SelfReview>(path, { method: 'POST', body: {} });
    return status.userInfo;
  } catch (thrown) {
    // Without a cookie the answer is 403, as for every web page without a token.
    if (thrown instanceof ApiFailure && (thrown.status === 401 || thrown.status === 403)) return null;
    throw thrown;
  }
}
