/** Chooses the form of an answer from the Accept header (RFC 9110 section 12.5.1), like Kubernetes' own API server. */
import { ApiError } from './api-error.ts';

export interface AcceptedForm {
  readonly form: 'json' | 'protobuf';
  /** A Table of meta.k8s.io/v1. */
  readonly isTable: boolean;
  /** True if the client also accepts JSON. */
  readonly takesJson: boolean;
}

export const JSON_FORM: AcceptedForm = { form: 'json', isTable: false, takesJson: true };
export const PROTOBUF = 'application/vnd.kubernetes.protobuf';

/** JSON is also YAML. */
const jsonTypes: readonly string[] = ['application/json', 'application/yaml', 'application/*', '*/*'];
/** Limit of the parsed header. Clients list a handful of types. */
const CLAUSES_MAX = 32;

interface Clause {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly quality: number;
}

/** Throws an ApiError of reason NotAcceptable if the client accepts no served form. */
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

/** Like `acceptedForm`, for errors, which are sent whatever the client accepts. */
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

/** Sorts by preference, then by precision. Omits rejected types (q=0). */
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
