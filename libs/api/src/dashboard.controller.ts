import { Get, Injectable, Param, Req, Res, StreamableFile } from "@nestjs/common";
import { HttpAdapterHost } from "@nestjs/core";
import { ApiExcludeController } from "@nestjs/swagger";
import { TickwheelError } from "@tickwheel/core";
import { dashboardFolder } from "@tickwheel/dashboard";
import { type DashboardFile, readDashboardFiles } from "./dashboard-files.js";

/** Only our own files and our own API; no frame around the page. */
const HEADERS = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
};

/** Serves the built dashboard. The files are public; what the page shows needs a key, which it asks for. */
@Injectable()
@ApiExcludeController()
export class DashboardController {
  private files: Promise<Map<string, DashboardFile>> | null = null;

  constructor(private readonly host: HttpAdapterHost) {}

  /** The page finds its files relative to `dashboard/`. Nest takes one slash off; to Express both paths are the same. */
  @Get(["dashboard", "dashboard//"])
  async index(@Req() request: { url: string }, @Res() response: unknown): Promise<void> {
    const { httpAdapter } = this.host;
    if (request.url.split("?", 1)[0]!.endsWith("/"))
      httpAdapter.reply(response, await this.send("index.html", response));
    else httpAdapter.redirect(response, 302, "dashboard/");
  }

  @Get("dashboard/:name")
  async file(@Param("name") name: string, @Res({ passthrough: true }) response: unknown): Promise<StreamableFile> {
    return this.send(name, response);
  }

  @Get("dashboard/:folder/:name")
  async fileInFolder(
    @Param() { folder, name }: Record<string, string>,
    @Res({ passthrough: true }) response: unknown,
  ): Promise<StreamableFile> {
    return this.send(`${folder}/${name}`, response);
  }

  private async send(name: string, response: unknown): Promise<StreamableFile> {
    const file = await this.find(name);
    const cacheControl = file.isImmutable ? "public, max-age=31536000, immutable" : "no-cache";
    for (const [header, value] of Object.entries({ ...HEADERS, "cache-control": cacheControl }))
      this.host.httpAdapter.setHeader(response, header, value);
    return new StreamableFile(file.body, { type: file.contentType, length: file.body.length });
  }

  private async find(name: string): Promise<DashboardFile> {
    this.files ??= readDashboardFiles(dashboardFolder);
    const files = await this.files;
    const file = files.get(name);
    if (file) return file;
    if (files.size > 0) throw new TickwheelError("NOT_FOUND", "The dashboard has no such file.");
    this.files = null;
    throw new TickwheelError("NOT_FOUND", "The dashboard has not been built: run npm run build.");
  }
}
