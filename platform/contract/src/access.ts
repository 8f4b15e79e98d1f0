/** Authentication and authorization: the user who sent a request, and what the user may do. */
import type { Asked, Decision, Rule, User } from '@tinkerbell/access';

/** The credentials that a request carries. */
export interface Credentials {
  /** The `Authorization` header, or the gRPC metadata entry of that name. */
  readonly authorization: string | undefined;
  readonly certificate?: ClientCertificate;
}

/** The client certificate of a TLS connection, if the client presented one. */
export type ClientCertificate =
  | { readonly isVerified: true; readonly commonName: string; readonly organizations: readonly string[] }
  /** The certificate is not signed by a trusted authority, or is not valid now. */
  | { readonly isVerified: false; readonly message: string };

export type Authentication =
  | { readonly ok: true; readonly user: User }
  /** `message` is written for people and holds no secret. */
  | { readonly ok: false; readonly message: string };

export interface Authenticator {
  /**
   * Returns undefined for a request without credentials, which is anonymous. Invalid credentials are never treated as missing
   * ones. Never rejects.
   */
  authenticate(credentials: Credentials): Promise<Authentication | undefined>;
}

export interface Authorizer {
  decide(user: User, asked: Asked): Decision;
  /**
   * Returns what a user may do in a namespace. With `''` it returns what the user may do in cluster scope, where no namespace
   * applies.
   */
  rulesOf(user: User, namespace: string): readonly Rule[];
}
