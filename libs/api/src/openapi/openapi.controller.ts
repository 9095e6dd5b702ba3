import { readFile } from "node:fs/promises";
import { Get, Header, Injectable, StreamableFile } from "@nestjs/common";
import { ApiExcludeController } from "@nestjs/swagger";
import { TickwheelError } from "@tickwheel/core";
import { RequireRole } from "../keys/api-key.guard.js";

/** Written by `write-openapi.ts` when the package is built. */
export const openApiFile = new URL("../../dist/openapi.json", import.meta.url);

/** Serves the OpenAPI document that the build wrote. */
@Injectable()
@ApiExcludeController()
export class OpenApiController {
  private document: Promise<Buffer> | null = null;

  @Get("openapi.json")
  @RequireRole("viewer")
  @Header("cache-control", "no-cache")
  async openApi(): Promise<StreamableFile> {
    try {
      this.document ??= readFile(openApiFile);
      return new StreamableFile(await this.document, { type: "application/json; charset=utf-8" });
    } catch (error) {
      this.document = null;
      const message = "The OpenAPI document has not been built: run npm run build.";
      throw new TickwheelError("NOT_FOUND", message, { cause: error });
    }
  }
}
