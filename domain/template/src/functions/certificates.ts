import {
  type CallContext,
  decodeUtf8,
  FunctionError,
  type FunctionSpec,
  type GoType,
  INT,
  INTERFACE_SLICE,
  sprint,
  STRING,
  stringValue,
  structType,
  structValue,
  unwrapInterface,
  type Value,
} from '@tinkerbell/go-template';
import { decodeBase64 } from './base64.ts';
import { SLOW_CALL_SIZE } from './crypto.ts';
import { isIpAddress } from './ip-address.ts';
import { integer, text } from './operands.ts';
import { type CertificateRequest, platformOf, type TemplatePlatform } from '../template-platform.ts';

/** What the functions return and accept: PEM texts as `.Cert` and `.Key`. */
const CERTIFICATE = structType('sprig.certificate', { Cert: STRING, Key: STRING });

/** The values of a function's operands. Each function has some of them, in this order. */
type Part = 'commonName' | 'ips' | 'dnsNames' | 'days' | 'authority' | 'key';

const TYPES: Readonly<Record<Part, GoType>> = {
  commonName: STRING,
  ips: INTERFACE_SLICE,
  dnsNames: INTERFACE_SLICE,
  days: INT,
  authority: CERTIFICATE,
  key: STRING,
};

const PARTS: Readonly<Record<string, readonly Part[]>> = {
  genCA: ['commonName', 'days'],
  genCAWithKey: ['commonName', 'days', 'key'],
  genSelfSignedCert: ['commonName', 'ips', 'dnsNames', 'days'],
  genSelfSignedCertWithKey: ['commonName', 'ips', 'dnsNames', 'days', 'key'],
  genSignedCert: ['commonName', 'ips', 'dnsNames', 'days', 'authority'],
  genSignedCertWithKey: ['commonName', 'ips', 'dnsNames', 'days', 'authority', 'key'],
};

/** Sprig's functions for X.509 certificates. Without a given key they create an RSA key of 2048 bits. */
export function certificateFunctions(
  given: TemplatePlatform | undefined,
): Readonly<Record<string, FunctionSpec>> {
  const generating = Object.entries(PARTS).map(([name, parts]): [string, FunctionSpec] => [
    name,
    {
      params: parts.map((part) => TYPES[part]),
      result: CERTIFICATE,
      call: (values, context) => {
        const operands = new Map(parts.map((part, i) => [part, values[i]]));
        return generated(operands, { platform: platformOf(given, name), context });
      },
    },
  ]);
  return {
    ...Object.fromEntries(generating),
    buildCustomCert: {
      params: [STRING, STRING],
      result: CERTIFICATE,
      call: ([certificate, key]) => built(text(certificate), text(key), platformOf(given, 'buildCustomCert')),
    },
  };
}

interface Surroundings {
  readonly platform: TemplatePlatform;
  readonly context: CallContext;
}

function generated(
  operands: ReadonlyMap<Part, Value | undefined>,
  { platform, context }: Surroundings,
): Value {
  const authority = operands.get('authority');
  const request: Omit<CertificateRequest, 'key'> = {
    commonName: text(operands.get('commonName')),
    ips: ipAddresses(operands.get('ips'), context),
    dnsNames: dnsNames(operands.get('dnsNames'), context),
    daysValid: integer(operands.get('days')),
    isAuthority: !operands.has('dnsNames'),
    ...(authority === undefined ? {} : { authority: pemOf(authority) }),
  };
  const result = platform.certify({ ...request, key: keyFor(operands, { platform, context }) });
  if (!result.ok) throw new FunctionError(result.error);
  return certificateValue(result.certificate, result.key);
}

function keyFor(operands: ReadonlyMap<Part, Value | undefined>, { platform, context }: Surroundings): string {
  const given = operands.get('key');
  if (given === undefined) {
    context.spend(SLOW_CALL_SIZE.rsa2048);
    return platform.generateKey('rsa-2048');
  }
  context.spend(SLOW_CALL_SIZE.key);
  const problem = platform.keyProblem(text(given));
  if (problem !== undefined) throw new FunctionError(`parsing private key: ${problem}`);
  return text(given);
}

function built(certificate64: string, key64: string, platform: TemplatePlatform): Value {
  const certificate = decodeBase64(certificate64);
  if (!certificate.ok) throw new FunctionError('unable to decode base64 certificate');
  const key = decodeBase64(key64);
  if (!key.ok) throw new FunctionError('unable to decode base64 private key');
  const [certificatePem, keyPem] = [decodeUtf8(certificate.bytes), decodeUtf8(key.bytes)];
  const problem = platform.certificateProblem(certificatePem);
  if (problem !== undefined) throw new FunctionError(problem);
  const keyProblem = platform.keyProblem(keyPem);
  if (keyProblem !== undefined) throw new FunctionError(`error parsing private key: ${keyProblem}`);
  return certificateValue(certificatePem, keyPem);
}

function certificateValue(certificate: string, key: string): Value {
  return structValue(CERTIFICATE, { Cert: stringValue(certificate), Key: stringValue(key) });
}

function pemOf(value: Value): { certificate: string; key: string } {
  const fields = value.kind === 'struct' ? value.fields : new Map<string, Value>();
  return { certificate: text(fields.get('Cert')), key: text(fields.get('Key')) };
}

function ipAddresses(list: Value | undefined, context: CallContext): string[] {
  return items(list).map((item) => {
    if (item.kind !== 'string') {
      throw new FunctionError(`error parsing ip: ${sprint([item], context)} is not a string`);
    }
    if (!isIpAddress(item.value)) throw new FunctionError(`error parsing ip: ${item.value}`);
    return item.value;
  });
}

function dnsNames(list: Value | undefined, context: CallContext): string[] {
  return items(list).map((item) => {
    if (item.kind === 'string') return item.value;
    throw new FunctionError(
      `error processing alternate dns name: ${sprint([item], context)} is not a string`,
    );
  });
}

function items(list: Value | undefined): Value[] {
  return list?.kind === 'slice' ? (list.items ?? []).map(unwrapInterface) : [];
}
