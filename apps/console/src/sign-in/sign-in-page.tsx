/** Three ways in: a one-time link in the address, an identity provider, or a token. */
import { useEffect, useState, type FormEvent } from 'react';
import { useQuery } from '@tanstack/react-query';
import { textOf } from '../api/request.ts';
import { beginOidc, signIn, signInWays } from '../api/session.ts';
import { forgetKept, keepForReturn, returnedSignIn } from './return-from-provider.ts';

interface SignInProps {
  readonly onSignedIn: () => Promise<void>;
  readonly reason?: string;
}

export function SignInPage({ onSignedIn, reason }: SignInProps) {
  const { failure, isBusy, attempt } = useAttempt(onSignedIn);
  const { data: ways } = useQuery({ queryKey: ['sign-in ways'], queryFn: signInWays });
  const [token, setToken] = useState('');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void attempt(() => signIn({ token }));
  };
  const withProvider = async (): Promise<void> => {
    const { url, kept } = await beginOidc();
    keepForReturn(kept);
    location.assign(url);
    await new Promise(() => undefined);
  };
  return (
    <main className="sign-in">
      <form className="sign-in-card" onSubmit={submit}>
        <img src="/console/icon.svg" alt="" width="44" height="44" />
        <h1>Sign in to Tinkerbell</h1>
        {reason !== undefined && <p>{reason}</p>}
        {ways?.oidc != null && (
          <>
            <button
              type="button"
              className="button primary wide"
              disabled={isBusy}
              onClick={() => void attempt(withProvider)}
            >
              Sign in with {new URL(ways.oidc.issuer).host}
            </button>
            <p className="or">or</p>
          </>
        )}
        <label className="field">
          <span>Token</span>
          <input
            type="password"
            name="token"
            autoComplete="off"
            value={token}
            required
            aria-invalid={failure !== undefined}
            aria-describedby="sign-in-help"
            onChange={(event) => setToken(event.currentTarget.value)}
          />
        </label>
        {failure !== undefined && (
          <p role="alert" className="failure">
            {failure}
          </p>
        )}
        <button type="submit" className="button primary wide" disabled={isBusy}>
          Sign in with this token
        </button>
        <Help />
      </form>
    </main>
  );
}

function Help() {
  return (
    <div id="sign-in-help" className="help">
      <p>An administrator creates a token for you:</p>
      <code>tink token create NAME --role view</code>
      <p>On the server itself, use the one-time link in its log, or the token in:</p>
      <code>DATA_DIR/local/token</code>
    </div>
  );
}

/** Also signs in with what the address contains, once. */
function useAttempt(onSignedIn: () => Promise<void>) {
  const [failure, setFailure] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const attempt = async (how: () => Promise<void>): Promise<void> => {
    setBusy(true);
    setFailure(undefined);
    try {
      await how();
      await onSignedIn();
    } catch (thrown) {
      setFailure(textOf(thrown));
    }
    setBusy(false);
  };
  useEffect(() => {
    const returned = returnedSignIn();
    if (returned === undefined) return;
    // The code must not stay in the address or in the history.
    history.replaceState(null, '', '/console/');
    forgetKept();
    void attempt(() => signIn(returned));
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the address is read once
  }, []);
  return { failure, isBusy, attempt };
}
