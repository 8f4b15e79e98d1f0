export {
  createDiscoveredKeys,
  createRemoteKeys,
  fixedKeys,
  type IssuerKeys,
  type RemoteKeysOptions,
} from './issuer-keys.ts';
export { createTokenVerifier, type Issuer } from './token-verifier.ts';
export { createTokenSigner, newSigningKey, type TokenSigner } from './token-signer.ts';
