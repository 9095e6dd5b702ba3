import type { LookupAddress } from "node:dns";
import { type ClientRequest, type IncomingMessage, request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { errorText } from "@tickwheel/core";
import { addressOf, type AllowedHosts, isLocalhost } from "./allowed-hosts.js";
import { AnswerBounds } from "./answer-bounds.js";
import { KeptConnections } from "./kept-connections.js";
import type { Inquiry, NameLookup } from "./name-lookup.js";

/** The longest answer that is read, in bytes. */
export const MAX_RESPONSE_BYTES = 65_536;

/** A POST. `onWait`: see {@link Inquiry}. */
export interface Post extends Pick<Inquiry, "namespace" | "signal" | "onWait"> {
  headers: Record<string, string>;
  body: string;
}

export interface Answer {
  status: number;
  retryAfter: string | null;
  /** Null: longer than {@link MAX_RESPONSE_BYTES}. */
  body: Buffer | null;
}

/** The request was not sent, and never will be: the client refuses what it says. */
export class UnsendableError extends Error {}

/** No address that the host's name stands for just now may be dialled. */
export class AddressRefusedError extends Error {}

/**
 * Sends POSTs, without following redirects. Whatever a name stands for is checked when it is dialled, and what was
 * checked is what is dialled: no second look at the name lies between. A request is written once: what was sent and got
 * no whole answer is an error that says so, since it may have arrived. How much an answer may make the node do is
 * bounded: see {@link AnswerBounds}.
 */
export class WebhookClient {
  private readonly connections = new KeptConnections();

  constructor(
    private readonly hosts: AllowedHosts,
    private readonly names: NameLookup,
  ) {}

  /** Closes idle connections, and ends what is being looked up. */
  close(): void {
    this.names.close();
    this.connections.close();
  }

  /** @throws UnsendableError, AddressRefusedError, what the signal aborts with, or what went wrong on the way */
  async post(url: URL, post: Post): Promise<Answer> {
    const address = addressOf(url);
    if (isIP(address) !== 0 && !this.hosts.mayReach(url, address)) throw new AddressRefusedError(refusalOf(url));
    const request = this.open(url, post);
    const bounds = new AnswerBounds(request);
    try {
      const response = await responseOf(request, post);
      this.connections.answered(response);
      const { statusCode: status = 0, headers } = response;
      return { status, retryAfter: headers["retry-after"] ?? null, body: await readBounded(response) };
    } catch (error) {
      if (post.signal.aborted || !request.writableFinished) throw error;
      const cause = bounds.fault ?? error;
      throw new Error(`it was sent, but no whole answer came back: ${messageOf(cause)}`, { cause });
    }
  }

  private open(url: URL, post: Post): ClientRequest {
    const { headers, body, signal } = post;
    const { agents } = this.connections;
    const protocol = url.protocol as keyof typeof agents;
    const send = protocol === "https:" ? httpsRequest : httpRequest;
    const options = {
      method: "POST",
      agent: agents[protocol],
      signal,
      lookup: this.lookupFor(url, post),
      headers: { ...headers, "content-length": Buffer.byteLength(body), "accept-encoding": "identity" },
    };
    try {
      return send(url, options);
    } catch (error) {
      throw unsendable(error);
    }
  }

  private lookupFor(url: URL, { namespace, signal, onWait }: Post): LookupFunction {
    const isListed = this.hosts.lists(url) || isLocalhost(url);
    return (name, options, callback) =>
      void this.names
        .addressesOf({ name, isListed, namespace, signal, onWait })
        .then((addresses) => this.reachable(url, addresses))
        .then(
          (reachable) =>
            options.all ? callback(null, reachable) : callback(null, reachable[0].address, reachable[0].family),
          (error: Error) => callback(error, ""),
        );
  }

  private reachable(url: URL, addresses: LookupAddress[]): [LookupAddress, ...LookupAddress[]] {
    const [first, ...more] = addresses.filter(({ address }) => this.hosts.mayReach(url, address));
    if (!first) throw new AddressRefusedError(refusalOf(url));
    return [first, ...more];
  }
}

function unsendable(error: unknown): UnsendableError {
  return new UnsendableError(messageOf(error));
}

function messageOf(error: unknown): string {
  return (error as Partial<Error>).message ?? errorText(error);
}

function refusalOf({ host }: URL): string {
  return `${host} stands for no address that webhooks may be delivered to (webhookAllowedHosts)`;
}

function responseOf(request: ClientRequest, { body }: Post): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.on("response", resolve).on("error", reject);
    request.on("close", () => reject(new Error("The connection was closed before an answer came")));
    try {
      request.end(body);
    } catch (error) {
      request.destroy();
      reject(unsendable(error));
    }
  });
}

async function readBounded(response: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_RESPONSE_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
