/** Thrown internally. `certify` turns it into a value. */
export class CertificateFailure extends Error {}
