import { createRequire } from "node:module";
import { dirname } from "node:path";
import { packagePath } from "./package-files.js";
import { pageController } from "./page.controller.js";
import { type PageFile, readPageFiles, withHashedNames } from "./page-files.js";

/** What the page takes of Swagger UI, whose pictures are `data:` addresses. */
const SWAGGER_UI_FILES = ["swagger-ui.css", "swagger-ui-bundle.js"];

/** Serves the page that shows the OpenAPI document. */
export class DocsController extends pageController({
  path: "docs",
  name: "The page of the API",
  read: readDocsFiles,
  imageSources: "'self' data:",
}) {}

async function readDocsFiles(): Promise<Map<string, PageFile>> {
  const ours = await readPageFiles(packagePath(import.meta.url, "../../docs-page"));
  if (ours.size === 0) return ours;
  const swaggerUiFolder = dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"));
  const theirs = await readPageFiles(swaggerUiFolder, SWAGGER_UI_FILES);
  return withHashedNames(new Map([...ours, ...theirs]));
}
