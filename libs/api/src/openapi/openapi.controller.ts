import { readFile } from "node:fs/promises";
import { Get, Header, Injectable, StreamableFile } from "@nestjs/common";
import { ApiExcludeController } from "@nestjs/swagger";
import { TickwheelError } from "@tickwheel/core";
import { filesAreMissing, packagePath } from "./package-files.js";
import { RequireRole } from "../keys/api-key.guard.js";

/** Written by `write-openapi.ts` when the package is built. */
export function openApiFile(): string {
  return packagePath(import.meta.url, "../../dist/openapi.json");
}

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
      this.document ??= readFile(openApiFile());
      return new StreamableFile(await this.document, { type: "application/json; charset=utf-8" });
    } catch (error) {
      this.document = null;
      throw new TickwheelError("NOT_FOUND", filesAreMissing("The OpenAPI document"), { cause: error });
    }
  }
}
