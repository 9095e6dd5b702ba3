import { Get, Injectable, Req, Res, type Type } from "@nestjs/common";
import { HttpAdapterHost } from "@nestjs/core";
import { TickwheelError } from "@tickwheel/core";
import type { FrameworkResponse } from "../bodies/request-body.js";
import { filesAreMissing } from "./package-files.js";
import { PageBudget } from "./page-budget.js";
import type { PageFile } from "./page-files.js";
import { type PageRequest, PageSender } from "./page-sender.js";

/** A page that is served at `/<path>/`, with its files below it. */
export interface PageOptions {
  path: string;
  /** How messages call it. */
  name: string;
  /** All files of the page by their path below it, `index.html` among them; none: the page is not here. */
  read: () => Promise<Map<string, PageFile>>;
  /** What images may come from, as in a content security policy. */
  imageSources: string;
}

/**
 * The controller of a page. Its files are public, read and compressed once; what a page shows needs a key, which it
 * asks for.
 */
export function pageController({ path, name, read, imageSources }: PageOptions): Type<object> {
  @Injectable()
  class PageController {
    private files: Promise<Map<string, PageFile>> | null = null;

    private readonly sender: PageSender;

    constructor(
      private readonly host: HttpAdapterHost,
      budget: PageBudget,
    ) {
      this.sender = new PageSender(host, { budget, imageSources });
    }

    /**
     * The page finds its files relative to its path with a slash. Nest takes one off; to Express both paths are the
     * same.
     */
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
      this.sender.send(await this.find(name), request, response);
    }

    private async find(file: string): Promise<PageFile> {
      this.files ??= read();
      const files = await this.files;
      const found = files.get(file);
      if (found) return found;
      if (files.size > 0) throw new TickwheelError("NOT_FOUND", `${name} has no such file.`);
      this.files = null;
      throw new TickwheelError("NOT_FOUND", filesAreMissing(name));
    }
  }
  return PageController;
}
