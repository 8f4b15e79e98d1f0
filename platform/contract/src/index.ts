export type { Authentication, Authenticator, Authorizer, ClientCertificate, Credentials } from './access.ts';
export { whenReady, type Awaitable } from './awaitable.ts';
export { aborted, delay, repeat, type Clock } from './clock.ts';
export { type Random } from './random.ts';
export { type Log, type LogFields } from './log.ts';
export type {
  Datagram,
  DatagramRun,
  NetworkInterface,
  Udp,
  UdpAddress,
  UdpHandlers,
  UdpOptions,
  UdpPeer,
  UdpSocket,
} from './udp.ts';
export { datagramAt, peerOf } from './udp.ts';
export type { RouterDiscovery, RouterDiscoverySocket } from './router-discovery.ts';
export type { Udp6, Udp6Options, Udp6Socket } from './udp6.ts';
export type { LinkLayer, LinkLayerOptions, LinkLayerSocket, SeenDatagram } from './link-layer.ts';
export type {
  Http,
  HttpContext,
  HttpHandler,
  HttpListenOptions,
  HttpPeer,
  HttpRequest,
  ApiRoute,
  HttpRoute,
  HttpServer,
} from './http.ts';
export { derivedContext } from './derived-context.ts';
export type { HttpClient, HttpClientResponse, HttpGetOptions, HttpTarget } from './http-client.ts';
export {
  EndpointError,
  type EndpointAnswer,
  type EndpointFailure,
  type EndpointHttp,
  type EndpointRequest,
  type EndpointTrust,
  type OpenEndpointHttp,
} from './endpoint-http.ts';
export type { EndpointStream, EndpointStreamOptions, OpenEndpointStream } from './endpoint-stream.ts';
export { decodedPathOf, hostNameOf, pathElementsOf, pathNameOf, queryOf } from './path-name.ts';
export {
  offeredProtocols,
  WebSocketResponse,
  type MessageSocket,
  type WebSocketOptions,
} from './web-socket.ts';
export { StreamResponse } from './stream-response.ts';
export { OWN_TURN_BYTES, WholeResponse, type WholeResponseInit } from './whole-response.ts';
export type { AddressHolder, AddressProbe } from './address-probe.ts';
export { trialResult } from './network-trial.ts';
export type {
  AgentTrials,
  NetworkTrial,
  NetworkTrialResult,
  RelayTrials,
  ServerPort,
  TrialAnswer,
  TriedPort,
} from './network-trial.ts';
export type { FileInfo, Files, StreamProgress } from './files.ts';
export type { OpenOwnedDirectory, OwnedDirectory, OwnedFile, OwnedFileWriter } from './owned-directory.ts';
export type { HashAlgorithm, OpenOwnedTree, OwnedAppender, OwnedEntry, OwnedTree } from './owned-tree.ts';
export type { Spawn, SpawnedProcess, SpawnOptions } from './spawn.ts';
export { PlatformError, type FailedPort, type PlatformErrorCode } from './platform-error.ts';
export type { Service, ServiceHealth } from './service.ts';
export { HeldBytes, type HeldFor } from './held-bytes.ts';
export { Slots } from './slots.ts';
export type { Claims, TokenRefusal, TokenVerifier, VerifiedToken } from './token-verifier.ts';
export type { Hmac } from './hmac.ts';
export {
  SESSION_HEADER,
  type AgentAdmission,
  type AgentCall,
  type AgentGate,
  type AgentSession,
  type BootTokenMint,
  type ExchangedToken,
  type SessionVerifier,
  type VerifiedSession,
} from './agent-gate.ts';
export {
  noTracer,
  parseTraceparent,
  traceparentOf,
  type Span,
  type SpanAttributes,
  type SpanContext,
  type SpanOptions,
  type Tracer,
} from './tracer.ts';
export { codeOf, errorOf, messageOf, stackOf } from './thrown.ts';
export { inSlices } from './in-slices.ts';
export { inTurns } from './in-turns.ts';
export { SharedCalls } from './shared-calls.ts';
export { TurnPlaces } from './turn-places.ts';
export { nextTurn } from './next-turn.ts';
export { setLatest } from './set-latest.ts';
export { eachAtOnce } from './each-at-once.ts';
export { releasePiece } from './release-piece.ts';
export {
  readBodyBytes,
  readBodyJson,
  readBodyText,
  readJsonText,
  type BodyBudget,
  type ReadBody,
} from './request-body.ts';
export type {
  DefinitionRead,
  ObjectRead,
  TemplateRead,
  TextReader,
  UnreadText,
  YamlRead,
} from './text-reader.ts';
