import {
  connect,
  constants,
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type IncomingHttpHeaders,
  type SecureClientSessionOptions,
} from 'node:http2';
import type { HeaderFields } from './header-fields.ts';
import type { Endpoint } from './route-file.ts';
import {
  CONNECT_TIMEOUT_MS,
  isSafe,
  UpstreamFailure,
  type UpstreamAnswer,
  type UpstreamClient,
  type UpstreamRequest,
} from './upstream-client.ts';

/** The bytes that a stream may have in transit. A larger window makes use of long fat lines. */
const WINDOW_BYTES = 1024 * 1024;
const IDLE_MS = 300_000;
/** Mebibytes of bodies in transit on one connection. Above this, Node accepts no new stream. */
const MEMORY_MAX = 256;
/** The number of streams per connection when the upstream announces none. */
const STREAMS_MAX = 1000;

export interface Http2ClientOptions {
  readonly tls?: Pick<SecureClientSessionOptions, 'ca' | 'servername'> | undefined;
}

/** Endpoints that use HTTP/2: h2c with prior knowledge, or over TLS. It opens as many connections as their streams need. */
export function createHttp2Client({ host, port }: Endpoint, { tls }: Http2ClientOptions): UpstreamClient {
  const name = host.includes(':') ? `[${host}]` : host;
  const origin = `${tls === undefined ? 'http' : 'https'}://${name}:${port}`;
  const sessions = new Set<ClientHttp2Session>();
  const streams = new WeakMap<ClientHttp2Session, number>();
  let opening: Promise<ClientHttp2Session> | undefined;

  function free(): ClientHttp2Session | undefined {
    for (const session of sessions) {
      const max = Math.min(session.remoteSettings.maxConcurrentStreams ?? STREAMS_MAX, STREAMS_MAX);
      if (!session.closed && !session.destroyed && (streams.get(session) ?? 0) < max) return session;
    }
    return undefined;
  }

  function open(): Promise<ClientHttp2Session> {
    opening ??= openSession(origin, tls)
      .then((session) => {
        sessions.add(session);
        session.once('close', () => sessions.delete(session));
        session.once('goaway', () => sessions.delete(session));
        return session;
      })
      .finally(() => {
        opening = undefined;
      });
    return opening;
  }

  return {
    async ask(request) {
      const session = free() ?? (await open());
      streams.set(session, (streams.get(session) ?? 0) + 1);
      return askOn(session, request, () => streams.set(session, (streams.get(session) ?? 1) - 1));
    },
    close() {
      for (const session of sessions) session.close();
    },
  };
}

function openSession(origin: string, tls: Http2ClientOptions['tls']): Promise<ClientHttp2Session> {
  return new Promise((resolve, reject) => {
    const session = connect(origin, {
      ...tls,
      maxSessionMemory: MEMORY_MAX,
      settings: { enablePush: false, initialWindowSize: WINDOW_BYTES },
      strictFieldWhitespaceValidation: true,
    });
    const fail = (message: string): void => {
      reject(new UpstreamFailure(message, true));
      session.destroy();
    };
    session.setTimeout(CONNECT_TIMEOUT_MS, () => fail(`no connection within ${CONNECT_TIMEOUT_MS} ms`));
    session.on('error', (error) => fail(error.message));
    session.once('close', () => fail('the connection was closed'));
    // Waits for SETTINGS, which limit the number of streams that the upstream accepts.
    session.once('remoteSettings', () => {
      session.setLocalWindowSize(4 * WINDOW_BYTES);
      session.setTimeout(IDLE_MS, () => session.close());
      resolve(session);
    });
  });
}

function askOn(
  session: ClientHttp2Session,
  request: UpstreamRequest,
  done: () => void,
): Promise<UpstreamAnswer> {
  return new Promise((resolve, reject) => {
    const { method, path, scheme, authority, fields, body, gone } = request;
    const stream = session.request(
      { ...fields, ':method': method, ':path': path, ':scheme': scheme, ':authority': authority },
      { endStream: body === undefined },
    );
    let failure = 'the upstream ended the request';
    const cancel = (): void => stream.close(constants.NGHTTP2_CANCEL);
    gone.onHappened(cancel);
    stream.on('error', (error) => {
      failure = error.message;
    });
    let isAnswered = false;
    stream.once('close', () => {
      done();
      gone.forget(cancel);
      body?.unpipe(stream);
      if (isAnswered) return;
      const wasRefused = stream.rstCode === constants.NGHTTP2_REFUSED_STREAM && body === undefined;
      reject(new UpstreamFailure(failure, wasRefused || isSafe(request)));
    });
    stream.once('response', (headers, flags) => {
      isAnswered = true;
      resolve(answerOf(stream, headers, flags));
    });
    body?.pipe(stream);
  });
}

function answerOf(stream: ClientHttp2Stream, headers: IncomingHttpHeaders, flags: number): UpstreamAnswer {
  let trailers: HeaderFields | undefined;
  stream.once('trailers', (fields) => {
    trailers = fields;
  });
  const isWhole = (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0;
  if (isWhole) stream.resume();
  return {
    status: Number(headers[':status'] ?? 502),
    fields: headers,
    ...(isWhole ? {} : { body: stream }),
    trailers: () => trailers,
    isCut: () => stream.rstCode !== undefined && stream.rstCode !== constants.NGHTTP2_NO_ERROR,
  };
}
