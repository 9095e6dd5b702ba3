import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type PostgresService, startPostgres } from "@tickwheel/local-services";
import { ApiApplication } from "../support/api-application.js";
import { ApiClient } from "../support/api-client.js";

let postgres: PostgresService;

beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

describe.each(["fastify", "express"] as const)("a node on %s", (platform) => {
  let app: ApiApplication;
  let anybody: ApiClient;

  beforeAll(async () => {
    app = await ApiApplication.start(platform, await postgres.createDatabase(`pages_${platform}`));
    anybody = new ApiClient(app.url, null);
  });
  afterAll(() => app.stop());

  test("serves the dashboard's files, and no others", async () => {
    const bare = await fetch(`${app.url}/dashboard`, { redirect: "manual" });
    expect([bare.status, bare.headers.get("location")]).toEqual([302, "dashboard/"]);
    const page = await anybody.get<string>("/dashboard/");
    expect(page.status).toBe(200);
    expect(page.headers.get("content-type")).toMatch("text/html");
    expect(page.headers.get("content-security-policy")).toMatch(/^default-src 'none'; script-src 'self'/);
    const [, script] = /src="\.\/(assets\/[^"]+\.js)"/.exec(page.body)!;
    const { status, headers } = await anybody.get(`/dashboard/${script}`);
    expect([status, headers.get("content-type")]).toEqual([200, "text/javascript; charset=utf-8"]);
    expect(headers.get("cache-control")).toMatch("immutable");
    for (const outside of ["..%2fpackage.json", "%2e%2e/%2e%2e/package.json", "assets%2f..%2f..%2findex.js", "a/b"])
      expect((await anybody.get(`/dashboard/${outside}`)).status).toBe(404);
  });

  test("serves the page of the API, whose document needs a key, and no other file beside it", async () => {
    const bare = await fetch(`${app.url}/docs`, { redirect: "manual" });
    expect([bare.status, bare.headers.get("location")]).toEqual([302, "docs/"]);
    const page = await anybody.get<string>("/docs/");
    expect(page.status).toBe(200);
    expect(page.headers.get("content-security-policy")).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    expect(page.headers.get("x-content-type-options")).toBe("nosniff");
    expect(page.body).not.toMatch(/<script(?![^>]* src=)|<style| on\w+=/);
    const files = [...page.body.matchAll(/(?:src|href)="\.\/([^"]+)"/g)].map(([, file]) => file!);
    expect(files).toHaveLength(4);
    for (const file of files) expect((await anybody.get(`/docs/${file}`)).status).toBe(200);
    for (const other of ["swagger-ui.js", "package.json", "index.js", "oauth2-redirect.html", "..%2fpackage.json"])
      expect((await anybody.get(`/docs/${other}`)).status).toBe(404);
    expect((await anybody.get("/openapi.json")).status).toBe(401);
  });
});
