import { Get, Injectable, Req, Res, StreamableFile, type Type } from "@nestjs/common";
import { HttpAdapterHost } from "@nestjs/core";
import { ApiExcludeController } from "@nestjs/swagger";
import { TickwheelError } from "@tickwheel/core";
import { whenOver } from "../bodies/request-end.js";
import { type FrameworkRequest, type FrameworkResponse, rawResponse } from "../bodies/request-body.js";
import { PageBudget } from "./page-budget.js";
import { isKnown, type PageFile, takesGzip } from "./page-files.js";

/** A page that is served at `/<path>/`, with its files below it. */
export interface PageOptions {
  path: string;
  /** How messages call it. */
  name: string;
  /** All files of the page by their path below it, `index.html` among them; none: the page has not been built. */
  read: () => Promise<Map<string, PageFile>>;
  /** What images may come from, as in a content security policy. */
  imageSources: string;
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

const cacheHeadersOf = ({ isImmutable, etag }: PageFile): Record<string, string> => ({
  "cache-control": isImmutable ? "public, max-age=31536000, immutable" : "no-cache",
  etag,
});

type PageRequest = FrameworkRequest & { url: string; ip?: string; params: Record<string, string> };

/** The controller of a page. Its files are public, read and compressed once; what a page shows needs a key, which it asks for. */
export function pageController({ path, name, read, imageSources }: PageOptions): Type<object> {
  const pageHeaders = headersOf(imageSources);

  @Injectable()
  @ApiExcludeController()
  class PageController {
    private files: Promise<Map<string, PageFile>> | null = null;

    constructor(
      private readonly host: HttpAdapterHost,
      private readonly budget: PageBudget,
    ) {}

    /** The page finds its files relative to its path with a slash. Nest takes one off; to Express both paths are the same. */
    @Get([path, `${path}//`])
    async index(@Req() request: PageRequest, @Res() response: FrameworkResponse): Promise<void> {
      if (request.url.split("?", 1)[0]!.endsWith("/")) await this.send("index.html", request, response);
      else this.host.httpAdapter.redirect(response, 302, `${path}/`);
    }

    @Get([`${path}/:name`, `${path}/:folder/:name`])
    async file(@Req() request: PageRequest, @Res() response: FrameworkResponse): Promise<void> {
      const { folder, name: file } = request.params;
      await this.send(folder === undefined ? file! : `${folder}/${file}`, request, response);
    }

    private async send(name: string, request: PageRequest, response: FrameworkResponse): Promise<void> {
      const file = await this.find(name);
      const { headers } = request;
      const isGzipped = file.gzipped !== null && takesGzip(headers["accept-encoding"]);
      const body = isGzipped ? file.gzipped! : file.body;
      const isFresh = isKnown(headers["if-none-match"], file);
      this.take(request, response, isFresh ? 0 : body.length);
      const { httpAdapter } = this.host;
      const set = (header: string, value: string): void => httpAdapter.setHeader(response, header, value);
      for (const [header, value] of Object.entries({ ...pageHeaders, ...cacheHeadersOf(file) })) set(header, value);
      // A proxy must also keep apart what the application keeps apart.
      const vary = httpAdapter.getHeader(response, "vary") as string | undefined;
      set("vary", vary ? `${vary}, accept-encoding` : "accept-encoding");
      if (isFresh) return void httpAdapter.reply(response, undefined, 304);
      if (isGzipped) set("content-encoding", "gzip");
      httpAdapter.reply(response, new StreamableFile(body, { type: file.contentType, length: body.length }));
    }

    private take(request: PageRequest, response: FrameworkResponse, bytes: number): void {
      const { ip = "" } = request;
      this.budget.take(ip, bytes);
      whenOver((request.raw ?? request).socket, rawResponse(response), () => this.budget.done(ip));
    }

    private async find(file: string): Promise<PageFile> {
      this.files ??= read();
      const files = await this.files;
      const found = files.get(file);
      if (found) return found;
      if (files.size > 0) throw new TickwheelError("NOT_FOUND", `${name} has no such file.`);
      this.files = null;
      throw new TickwheelError("NOT_FOUND", `${name} has not been built: run npm run build.`);
    }
  }
  return PageController;
}
