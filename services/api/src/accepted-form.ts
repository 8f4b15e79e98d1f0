/** In which form a client takes an answer (RFC 9110 section 12.5.1), chosen as Kubernetes' own API server does. */
import { ApiError } from './api-error.ts';

export interface AcceptedForm {
  readonly form: 'json' | 'protobuf';
  /** As a Table of meta.k8s.io/v1. */
  readonly isTable: boolean;
  /** JSON would do as well. */
  readonly takesJson: boolean;
}

export const JSON_FORM: AcceptedForm = { form: 'json', isTable: false, takesJson: true };
export const PROTOBUF = 'application/vnd.kubernetes.protobuf';

/** JSON is YAML too. */
const jsonTypes: readonly string[] = ['application/json', 'application/yaml', 'application/*', '*/*'];
/** Longer headers are read so far: a client names a handful of types. */
const CLAUSES_MAX = 32;

interface Clause {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly quality: number;
}

/** Throws an ApiError of reason NotAcceptable where nothing that the client takes is served. */
export function acceptedForm(
  accept: string | null,
  { hasProtobuf }: { readonly hasProtobuf: boolean },
): AcceptedForm {
  if (accept === null || accept.trim() === '') return JSON_FORM;
  const forms = clausesIn(accept).map((clause) => formOf(clause, hasProtobuf));
  const found = forms.find((form) => form !== undefined);
  if (found !== undefined) return { ...found, takesJson: forms.some((one) => one?.form === 'json') };
  const types = ['application/json', 'application/yaml', ...(hasProtobuf ? [PROTOBUF] : [])];
  throw new ApiError('NotAcceptable', `only the following media types are accepted: ${types.join(', ')}`);
}

/** As `acceptedForm`, of an answer that is sent whatever the client takes: an error. */
export function formOfErrors(accept: string | null, has: { readonly hasProtobuf: boolean }): AcceptedForm {
  try {
    return acceptedForm(accept, has);
  } catch {
    return JSON_FORM;
  }
}

function formOf(
  { type, parameters }: Clause,
  hasProtobuf: boolean,
): Pick<AcceptedForm, 'form' | 'isTable'> | undefined {
  const as = parameters.get('as');
  if (jsonTypes.includes(type))
    return { form: 'json', isTable: as === 'Table' && parameters.get('v') === 'v1' };
  const isProtobuf = type === PROTOBUF && hasProtobuf && as === undefined;
  return isProtobuf ? { form: 'protobuf', isTable: false } : undefined;
}

/** Those that are wanted most first, and the more exact ones among equals; what is not wanted (q=0) is left out. */
function clausesIn(accept: string): readonly Clause[] {
  return accept
    .split(',', CLAUSES_MAX)
    .map(clauseOf)
    .filter(({ quality }) => quality > 0)
    .sort((one, other) => other.quality - one.quality || exactness(other) - exactness(one));
}

function clauseOf(text: string): Clause {
  const [type = '', ...rest] = text.split(';').map((part) => part.trim());
  const parameters = new Map(
    rest.map((part) => {
      const [name = '', value = ''] = part.split('=', 2);
      return [name.trim().toLowerCase(), value.trim()];
    }),
  );
  const given = Number(parameters.get('q') ?? 1);
  const quality = given >= 0 && given <= 1 ? given : 1;
  return { type: type.toLowerCase(), parameters, quality };
}

function exactness({ type }: Clause): number {
  if (type === '*/*') return 0;
  return type.endsWith('/*') ? 1 : 2;
}
