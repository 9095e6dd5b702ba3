import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { freePort, type PostgresService, startPostgres } from "@tickwheel/local-services";
import { Client } from "pg";
import { depth, IS_WHOLE } from "../support/depth.js";
import { eventually } from "../support/eventually.js";
import { NodeProcess } from "../support/node-process.js";
import { type ModuleFormat, PackedApplication, readmeExample } from "../support/packed-application.js";

const packed = new PackedApplication();
let postgres: PostgresService;
let newerNode: string;

beforeAll(async () => {
  postgres = await startPostgres();
  await packed.pack();
});

beforeAll(async () => {
  await packed.install();
  if (IS_WHOLE) newerNode = await packed.newerNode();
});

afterAll(async () => {
  await postgres?.stop();
  packed.remove();
});

/** Loads every entry of every package, with its types. */
function entryPoints(): string {
  const entries = [...packed.packages.map(({ name }) => name), "@tickwheel/postgres-store/cluster"];
  const imports = entries.map((entry, at) => `import * as entry${at} from "${entry}";`);
  const list = entries.map((_, at) => `entry${at}`).join(", ");
  return `import "reflect-metadata";\n${imports.join("\n")}\nconsole.log([${list}].map((entry) => Object.keys(entry).length).join());\n`;
}

function sources(): Record<string, string> {
  const [module, main] = ["src/app.module.ts", "src/main.ts"].map(readmeExample);
  return { "app.module.ts": module!, "main.ts": main!, "entry-points.ts": entryPoints() };
}

async function ended(process: NodeProcess): Promise<void> {
  await eventually(() => expect(process.end).toBeDefined());
  expect([process.end, process.log()]).toEqual([{ code: 0, signal: null }, expect.any(String)]);
}

async function statesOfOrders(connectionString: string): Promise<string[]> {
  const client = new Client({ connectionString });
  await client.connect();
  const { rows } = await client.query<{ status: string }>('SELECT status FROM "order"');
  await client.end();
  return rows.map(({ status }) => status);
}

describe("a packed package", () => {
  test.each(packed.packages.map(({ name }) => name))("%s has all that it needs and nothing else", async (name) => {
    const files = await packed.filesOf(name);
    expect(files).toEqual(expect.arrayContaining(["package.json", "README.md", "LICENSE"]));
    expect(files.filter((file) => /\.spec\.|tsbuildinfo|test-support|tsconfig/.test(file))).toEqual([]);
    const maps = files.filter((file) => file.endsWith(".js.map"));
    const sourcesOfMaps = maps.map((file) => file.replace(/^dist/, "src").replace(/\.js\.map$/, ".ts"));
    expect(files).toEqual(expect.arrayContaining(sourcesOfMaps));
  });

  test("brings the OpenAPI document and both pages", async () => {
    expect(await packed.filesOf("@tickwheel/api")).toEqual(
      expect.arrayContaining(["dist/openapi.json", "docs-page/index.html"]),
    );
    expect(await packed.filesOf("@tickwheel/dashboard-files")).toContain("dist/page/index.html");
  });

  test("asks for a Node that is there; what Nest itself asks for is its own", () => {
    const complaints = [...packed.installLog.matchAll(/EBADENGINE\s+package: '([^']+)'/g)].map(([, name]) => name!);
    expect(complaints.filter((name) => !name.startsWith("file-type@"))).toEqual([]);
  });
});

const FORMATS = depth<ModuleFormat[]>({ sample: ["module"], whole: ["module", "commonjs"] });

describe.each(FORMATS)("an application of the packed packages as %s", (format) => {
  let built: string;

  test("is README's example, compiled strictly with the declarations of all packages", async () => {
    built = await packed.compile(format, sources());
  });

  test.each(depth({ sample: ["this Node"], whole: ["this Node", "Node 24"] }))(
    "loads every entry and fires a task on %s",
    async (which) => {
      const node = which === "this Node" ? undefined : newerNode;
      const url = await postgres.createDatabase(`packed_${format}_${which.replace(/\W/g, "_").toLowerCase()}`);
      const env = { DATABASE_URL: url, PORT: String(await freePort()) };
      await ended(new NodeProcess({ script: `${built}/entry-points.js`, cwd: built, node }));
      const application = new NodeProcess({ script: `${built}/main.js`, cwd: built, node, env });
      try {
        await eventually(() => expect(application.log()).toContain("successfully started"));
        await eventually(async () => expect(await statesOfOrders(url)).toEqual(["cancelled"]));
        expect(application.endedByItself).toBe(false);
      } finally {
        await application.stop();
      }
    },
  );
});
