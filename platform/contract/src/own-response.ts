/** A Response whose parts are at hand. The listener sends them as they are. */
export abstract class OwnResponse implements Response {
  abstract readonly status: number;
  abstract readonly headerRecord: Readonly<Record<string, string>>;
  #response: Response | undefined;

  protected abstract createOrdinary(): Response;

  /** The same response as an ordinary fetch Response. The first one of a process loads 4 MB of code, which takes 40 ms. */
  get #ordinary(): Response {
    this.#response ??= this.createOrdinary();
    return this.#response;
  }

  get headers(): Headers {
    return this.#ordinary.headers;
  }

  get ok(): boolean {
    return this.#ordinary.ok;
  }

  get statusText(): string {
    return this.#ordinary.statusText;
  }

  get type(): Response['type'] {
    return this.#ordinary.type;
  }

  get url(): string {
    return this.#ordinary.url;
  }

  get redirected(): boolean {
    return this.#ordinary.redirected;
  }

  get body(): Response['body'] {
    return this.#ordinary.body;
  }

  get bodyUsed(): boolean {
    return this.#ordinary.bodyUsed;
  }

  clone(): Response {
    return this.#ordinary.clone();
  }

  arrayBuffer(): Promise<ArrayBuffer> {
    return this.#ordinary.arrayBuffer();
  }

  blob(): ReturnType<Response['blob']> {
    return this.#ordinary.blob();
  }

  bytes(): ReturnType<Response['bytes']> {
    return this.#ordinary.bytes();
  }

  formData(): ReturnType<Response['formData']> {
    return this.#ordinary.formData();
  }

  json(): ReturnType<Response['json']> {
    return this.#ordinary.json();
  }

  text(): Promise<string> {
    return this.#ordinary.text();
  }

  textStream(): ReturnType<Response['textStream']> {
    return this.#ordinary.textStream();
  }
}
