import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { ApiApplication } from "../support/api-application.js";
import { ApiClient } from "../support/api-client.js";
import { startTestPostgres, type TestPostgres } from "../support/servers/test-postgres.js";

let postgres: TestPostgres;

beforeAll(async () => {
  postgres = await startTestPostgres();
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

  test("a node serves the dashboard's files, and no others", async () => {
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

  test("a node serves the page of the API, but no other file, and the document only with a key", async () => {
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
    for (const file of files) {
      const { status, headers } = await anybody.get(`/docs/${file}`);
      expect([status, headers.get("cache-control")]).toEqual([200, expect.stringContaining("immutable")]);
    }
    for (const other of ["swagger-ui.js", "package.json", "index.js", "oauth2-redirect.html", "..%2fpackage.json"])
      expect((await anybody.get(`/docs/${other}`)).status).toBe(404);
    expect((await anybody.get("/openapi.json")).status).toBe(401);
  });

  test("a node sends files compressed to clients that accept it, and only once to clients that cache them", async () => {
    const { body: page } = await anybody.get<string>("/docs/");
    const [, script] = /src="\.\/(swagger-ui-bundle-[^"]+)"/.exec(page)!;
    for (const file of ["", script!]) {
      const url = `${app.url}/docs/${file}`;
      const [plain, zipped] = await Promise.all(
        ["identity", "gzip"].map((coding) => fetch(url, { headers: { "accept-encoding": coding } })),
      );
      expect([plain!.headers.get("content-encoding"), zipped!.headers.get("content-encoding")]).toEqual([null, "gzip"]);
      expect(Number(zipped!.headers.get("content-length"))).toBeLessThan(Number(plain!.headers.get("content-length")));
      expect([plain!.headers.get("vary"), zipped!.headers.get("vary")]).toEqual(["accept-encoding", "accept-encoding"]);
      expect(await zipped!.text()).toBe(await plain!.text());
      const again = await fetch(url, { headers: { "if-none-match": zipped!.headers.get("etag")! } });
      expect([again.status, await again.text(), again.headers.get("etag")]).toEqual([
        304,
        "",
        zipped!.headers.get("etag"),
      ]);
    }
  });

  test("a node limits the files that one address gets, and says when to try again", async () => {
    const { body: page } = await anybody.get<string>("/docs/");
    const [, script] = /src="\.\/(swagger-ui-bundle-[^"]+)"/.exec(page)!;
    const answers = Array.from({ length: 40 }, async () => {
      const answer = await fetch(`${app.url}/docs/${script}`, { headers: { "accept-encoding": "identity" } });
      await answer.arrayBuffer();
      return answer;
    });
    const all = await Promise.all(answers);
    const refused = all.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.length).toBeLessThan(40);
    expect(refused[0]!.headers.get("retry-after")).toBe("1");
    expect(all.filter(({ status }) => status !== 429 && status !== 200)).toEqual([]);
  });
});
