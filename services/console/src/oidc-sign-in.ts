/** The code flow of OpenID Connect for browsers. The server asks the provider, because pages may connect only to the server. */

/** Why a sign-in failed, for the person who tries. */
export interface SignInFailure {
  readonly failure: string;
}

export interface OidcSignIn {
  readonly issuer: string;
  /**
   * `redirectUri` is where the provider sends the browser. Resolves with the page of the provider, and with a sealed text that the
   * browser keeps until it returns.
   */
  begin(redirectUri: string): Promise<{ readonly url: string; readonly kept: string } | SignInFailure>;
  /** `returned` is the address with the code. Resolves with the ID token. */
  finish(answer: {
    readonly returned: string;
    readonly kept: string;
  }): Promise<{ readonly token: string } | SignInFailure>;
}
