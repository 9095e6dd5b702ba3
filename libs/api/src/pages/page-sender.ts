import { StreamableFile } from "@nestjs/common";
import type { HttpAdapterHost } from "@nestjs/core";
import { type FrameworkRequest, type FrameworkResponse, rawResponse } from "../bodies/request-body.js";
import { whenOver } from "../bodies/request-end.js";
import type { PageBudget } from "./page-budget.js";
import { isKnown, type PageFile, takesGzip } from "./page-files.js";

export type PageRequest = FrameworkRequest & { url: string; ip?: string; params: Record<string, string> };

export interface PageRules {
  budget: PageBudget;
  /** What images may come from, as in a content security policy. */
  imageSources: string;
}

/** Sends files of a page within the budget: compressed to who takes that, and not again to who has them. */
export class PageSender {
  private readonly headers: Readonly<Record<string, string>>;
  private readonly budget: PageBudget;

  constructor(
    private readonly host: HttpAdapterHost,
    { budget, imageSources }: PageRules,
  ) {
    this.budget = budget;
    this.headers = headersOf(imageSources);
  }

  /** @throws TickwheelError `RATE_LIMITED` where the budget is spent */
  send(file: PageFile, request: PageRequest, response: FrameworkResponse): void {
    const { headers } = request;
    const isGzipped = file.gzipped !== null && takesGzip(headers["accept-encoding"]);
    const body = isGzipped ? file.gzipped! : file.body;
    const isFresh = isKnown(headers["if-none-match"], file);
    this.take(request, response, isFresh ? 0 : body.length);
    this.setHeaders(file, response);
    const { httpAdapter } = this.host;
    if (isFresh) return void httpAdapter.reply(response, undefined, 304);
    if (isGzipped) httpAdapter.setHeader(response, "content-encoding", "gzip");
    httpAdapter.reply(response, new StreamableFile(body, { type: file.contentType, length: body.length }));
  }

  private take(request: PageRequest, response: FrameworkResponse, bytes: number): void {
    const { ip = "" } = request;
    this.budget.take(ip, bytes);
    whenOver((request.raw ?? request).socket, rawResponse(response), () => this.budget.done(ip));
  }

  private setHeaders({ isImmutable, etag }: PageFile, response: FrameworkResponse): void {
    const { httpAdapter } = this.host;
    // The application may have said what else an answer depends on.
    const vary = httpAdapter.getHeader(response, "vary") as string | undefined;
    const headers = {
      ...this.headers,
      "cache-control": isImmutable ? "public, max-age=31536000, immutable" : "no-cache",
      vary: vary ? `${vary}, accept-encoding` : "accept-encoding",
      etag,
    };
    for (const [header, value] of Object.entries(headers)) httpAdapter.setHeader(response, header, value);
  }
}

/** Only our own files and our own API; no script in the page itself, no frame around it. */
const headersOf = (imageSources: string): Record<string, string> => ({
  "content-security-policy":
    `default-src 'none'; script-src 'self'; style-src 'self'; img-src ${imageSources}; font-src 'self'; ` +
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
});
