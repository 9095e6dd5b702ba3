import { rename, writeFile } from "node:fs/promises";
import { openApiDocument } from "./module/openapi-document.js";
import { openApiFile } from "./openapi/openapi.controller.js";

/** Writes the OpenAPI document beside the compiled files. A step of the build. */
async function writeOpenApi(): Promise<void> {
  // A node that starts while this is built again reads the old one or the new one.
  const written = `${openApiFile()}.${String(process.pid)}`;
  await writeFile(written, `${JSON.stringify(await openApiDocument(), null, 2)}\n`);
  await rename(written, openApiFile());
}

await writeOpenApi();
