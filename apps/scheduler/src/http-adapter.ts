import { type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { FastifyAdapter } from "@nestjs/platform-fastify";
import { problemOf } from "@tickwheel/api";

/** The longest body that the framework reads, in bytes: our own routes read theirs, after the key. */
const BODY_LIMIT_BYTES = 1_024;
/** The longest part of an address, in characters; a longer one is no name of anything. */
const LONGEST_PART = 1_024;
/** A client that sends nothing, or sends slowly, keeps no connection for longer; in milliseconds. */
const TIME_OUTS = {
  headersTimeout: 10_000,
  requestTimeout: 70_000,
  keepAliveTimeout: 72_000,
  connectionsCheckingInterval: 2_000,
};
/** Node itself answers these two without a word. */
const NO_HOST = { status: 400, message: "The request has no header Host." };
const EXPECTATION = { status: 417, message: "The request expects what this server does not do (header Expect)." };

/**
 * The stand-alone node's HTTP: what is bounded before a request reaches a route, and errors that reach none as the
 * problems that all others are.
 *
 * @param trustedProxies addresses and networks whose `X-Forwarded-For` says who asks
 */
export function httpAdapter(trustedProxies: readonly string[]): FastifyAdapter {
  const { requestTimeout, keepAliveTimeout, ...http } = TIME_OUTS;
  const adapter = new FastifyAdapter({
    bodyLimit: BODY_LIMIT_BYTES,
    frameworkErrors: answerBadAddress,
    clientErrorHandler: answerNoRequest,
    routerOptions: { maxParamLength: LONGEST_PART },
    requestTimeout,
    keepAliveTimeout,
    trustProxy: trustedProxies.length > 0 ? [...trustedProxies] : false,
    http: { ...http, requireHostHeader: false },
  });
  const fastify = adapter.getInstance();
  fastify.addHook("onRequest", ({ raw }, reply, done) => {
    if (raw.headers.host === undefined && raw.httpVersion === "1.1") return answerAndClose(reply.raw, NO_HOST);
    done();
  });
  fastify.server.on("checkExpectation", (_request, response: ServerResponse) => answerAndClose(response, EXPECTATION));
  return adapter;
}

/** What the request says of its body may be wrong, too. */
function answerAndClose(response: ServerResponse, error: object): void {
  const { status, headers, body } = answerOf(error);
  response.writeHead(status, { ...headers, connection: "close" }).end(body);
}

/** Answers an address that cannot be decoded. */
function answerBadAddress(error: Error, _request: unknown, reply: { raw: ServerResponse }): void {
  const { status, headers, body } = answerOf(error);
  reply.raw.writeHead(status, headers);
  reply.raw.end(body);
}

const STATUS_OF: Readonly<Record<string, [status: number, message: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, "The request took too long."],
  HPE_HEADER_OVERFLOW: [431, "The headers are too large."],
};

/** Answers what is no HTTP, too long or too slow. */
function answerNoRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === "ECONNRESET" || socket.destroyed || !socket.writable) return void socket.destroy();
  const [status, message] = STATUS_OF[error.code ?? ""] ?? [400, "The request is not HTTP."];
  const { headers, body } = answerOf({ status, message });
  const fields = Object.entries({ ...headers, connection: "close" });
  const head = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...fields.map(([name, value]) => `${name}: ${value}`)];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
}

function answerOf(error: unknown): { status: number; headers: Record<string, string>; body: string } {
  const problem = problemOf(error);
  const body = JSON.stringify(problem);
  const headers = {
    "content-type": "application/problem+json; charset=utf-8",
    "content-length": String(Buffer.byteLength(body)),
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  };
  return { status: problem.status, headers, body };
}
