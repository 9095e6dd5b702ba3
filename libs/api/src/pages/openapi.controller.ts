import { Get, Header, Injectable } from "@nestjs/common";
import { openApiOf } from "@tickwheel/contract/documents";
import { GROUPS } from "@tickwheel/contract/operations";
import { RequireRole } from "../keys/api-key.guard.js";

/** Serves the OpenAPI document, which is made of the contract when it is first asked for. */
@Injectable()
export class OpenApiController {
  private document: string | null = null;

  @Get("openapi.json")
  @RequireRole("viewer")
  @Header("cache-control", "no-cache")
  @Header("content-type", "application/json; charset=utf-8")
  openApi(): string {
    return (this.document ??= JSON.stringify(openApiOf(GROUPS)));
  }
}
