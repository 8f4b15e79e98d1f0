/**
 * A person with a browser, as far as the pages of the identity provider need one: it follows redirects, keeps
 * cookies and fills in forms.
 */

export interface Visitor {
  readonly login: string;
  /** Refuses where consent is requested. */
  readonly refuses?: boolean;
}

const STEPS_MAX = 30;

/** Returns the last page after all forms. Throws when it does not end. */
export async function visit(start: string, { login, refuses = false }: Visitor): Promise<string> {
  const cookies = new Map<string, string>();
  let url = new URL(start);
  let form: URLSearchParams | undefined;
  for (let step = 0; step < STEPS_MAX; step++) {
    const response = await fetched(url, form, cookies);
    form = undefined;
    const place = response.headers.get('location');
    const page = await response.text();
    if (place !== null) {
      url = new URL(place, url);
      continue;
    }
    const found = formIn(page);
    if (found === undefined) return page;
    form = found.fields;
    if (form.has('login')) form.set('login', login);
    if (form.has('password')) form.set('password', 'x');
    url = new URL(found.action, url);
    if (refuses && form.get('prompt') === 'consent') {
      url = new URL(`${url.pathname}/abort`, url);
      form = undefined;
    }
  }
  throw new Error(`${start} has no end`);
}

async function fetched(
  url: URL,
  form: URLSearchParams | undefined,
  cookies: Map<string, string>,
): Promise<Response> {
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const method = form === undefined ? {} : { method: 'POST', body: form };
  const response = await fetch(url, { redirect: 'manual', headers: { cookie }, ...method });
  for (const one of response.headers.getSetCookie()) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(one) ?? [];
    cookies.set(name, value);
  }
  return response;
}

function formIn(page: string): { readonly action: string; readonly fields: URLSearchParams } | undefined {
  const form = /<form[^>]* action="([^"]*)"[^>]*>(.*?)<\/form>/s.exec(page);
  if (form === null) return undefined;
  const fields = new URLSearchParams();
  for (const [, words = ''] of (form[2] ?? '').matchAll(/<input([^>]*)>/g))
    fields.set(/name="([^"]*)"/.exec(words)?.[1] ?? '', /value="([^"]*)"/.exec(words)?.[1] ?? '');
  return { action: (form[1] ?? '').replaceAll('&amp;', '&'), fields };
}
