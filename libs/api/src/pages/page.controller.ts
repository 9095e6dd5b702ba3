import { Get, Injectable, Param, Req, Res, StreamableFile, type Type } from "@nestjs/common";
import { HttpAdapterHost } from "@nestjs/core";
import { ApiExcludeController } from "@nestjs/swagger";
import { TickwheelError } from "@tickwheel/core";
import type { PageFile } from "./page-files.js";

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

/** The controller of a page. Its files are public and read once; what a page shows needs a key, which it asks for. */
export function pageController({ path, name, read, imageSources }: PageOptions): Type<object> {
  const pageHeaders = headersOf(imageSources);

  @Injectable()
  @ApiExcludeController()
  class PageController {
    private files: Promise<Map<string, PageFile>> | null = null;

    constructor(private readonly host: HttpAdapterHost) {}

    /** The page finds its files relative to its path with a slash. Nest takes one off; to Express both paths are the same. */
    @Get([path, `${path}//`])
    async index(@Req() request: { url: string }, @Res() response: unknown): Promise<void> {
      const { httpAdapter } = this.host;
      if (request.url.split("?", 1)[0]!.endsWith("/"))
        httpAdapter.reply(response, await this.send("index.html", response));
      else httpAdapter.redirect(response, 302, `${path}/`);
    }

    @Get([`${path}/:name`, `${path}/:folder/:name`])
    async file(
      @Param() { folder, name: file }: Record<string, string>,
      @Res({ passthrough: true }) response: unknown,
    ): Promise<StreamableFile> {
      return this.send(folder === undefined ? file! : `${folder}/${file}`, response);
    }

    private async send(file: string, response: unknown): Promise<StreamableFile> {
      const { body, contentType, isImmutable } = await this.find(file);
      const cacheControl = isImmutable ? "public, max-age=31536000, immutable" : "no-cache";
      for (const [header, value] of Object.entries({ ...pageHeaders, "cache-control": cacheControl }))
        this.host.httpAdapter.setHeader(response, header, value);
      return new StreamableFile(body, { type: contentType, length: body.length });
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
