/** What the address says when a person arrives from the identity provider or from a one-time link. */
const KEPT = 'tinkerbell-sign-in';

/** Kept for this tab until the provider sends the browser back. The text is sealed by the server. */
export function keepForReturn(kept: string): void {
  sessionStorage.setItem(KEPT, kept);
}

export function forgetKept(): void {
  sessionStorage.removeItem(KEPT);
}

export type Returned = { readonly link: string } | { readonly returned: string; readonly kept: string };

export function returnedSignIn(): Returned | undefined {
  const { pathname, hash, href } = location;
  const kept = sessionStorage.getItem(KEPT);
  if (pathname === '/console/signed-in' && kept !== null) return { returned: href, kept };
  const code = /^#([0-9a-f]{48})$/.exec(hash)?.[1];
  return code === undefined ? undefined : { link: code };
}
