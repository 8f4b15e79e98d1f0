/** Who asks, and what he may do. */
import type { Asked, Decision, Rule, User } from '@tinkerbell/access';

/** What a request brings along to say whose it is. */
export interface Credentials {
  /** The `Authorization` header, or the entry of gRPC's metadata. */
  readonly authorization: string | undefined;
  readonly certificate?: ClientCertificate;
}

/** Of a TLS connection whose client showed one. */
export type ClientCertificate =
  | { readonly isVerified: true; readonly commonName: string; readonly organizations: readonly string[] }
  /** Not signed by an authority that we were told to trust, or not valid now. */
  | { readonly isVerified: false; readonly message: string };

export type Authentication =
  | { readonly ok: true; readonly user: User }
  /** `message` is for people, and holds no secret. */
  | { readonly ok: false; readonly message: string };

export interface Authenticator {
  /** Undefined without credentials: somebody anonymous. Credentials that are no good are never taken for none. Never rejects. */
  authenticate(credentials: Credentials): Promise<Authentication | undefined>;
}

export interface Authorizer {
  decide(user: User, asked: Asked): Decision;
  /** What a user may do in a namespace; with `''` what he may do where no namespace counts. */
  rulesOf(user: User, namespace: string): readonly Rule[];
}
