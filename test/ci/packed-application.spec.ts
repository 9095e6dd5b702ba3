import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { freePort } from "@tickwheel/local-services";
import { TICKWHEEL_VERSION } from "@tickwheel/core";
import { Client } from "pg";
import { depth, IS_WHOLE } from "../support/depth.js";
import { eventually } from "../support/eventually.js";
import { NodeProcess, repositoryRoot } from "../support/node-process.js";
import { type ModuleFormat, type NestMajor, PackedApplication, startExample } from "../support/packed-application.js";
import { OwnPostgres } from "../support/servers/own-postgres.js";

const packed = new PackedApplication();
let postgres: OwnPostgres;
let newerNode: string;

beforeAll(async () => {
  postgres = await OwnPostgres.start();
  await packed.pack();
});

const NESTS = depth<NestMajor[]>({ sample: [12], whole: [12, 11] });

beforeAll(async () => {
  for (const nest of NESTS) await packed.install(nest);
  if (IS_WHOLE) newerNode = await packed.newerNode();
});

afterAll(async () => {
  await postgres?.stop();
  packed.remove();
});

/** Loads every entry of every package, with its types. */
function entryPoints(): string {
  const entries = [
    ...packed.packages.map(({ name }) => name),
    "@tickwheel/postgres-store/cluster",
    "@tickwheel/testing/nest",
  ];
  const imports = entries.map((entry, at) => `import * as entry${at} from "${entry}";`);
  const list = entries.map((_, at) => `entry${at}`).join(", ");
  return `import "reflect-metadata";\n${imports.join("\n")}\nconsole.log([${list}].map((entry) => Object.keys(entry).length).join());\n`;
}

function sources(): Record<string, string> {
  const [module, main] = ["src/app.module.ts", "src/main.ts"].map(startExample);
  const bundled = readFileSync(join(repositoryRoot, "test/support/app/bundled-main.ts"), "utf8");
  return {
    "app.module.ts": module!,
    "main.ts": main!,
    "entry-points.ts": entryPoints(),
    "bundled-main.ts": bundled,
  };
}

async function ended(process: NodeProcess): Promise<void> {
  await eventually(() => expect(process.end).toBeDefined());
  expect([process.end, process.log()]).toEqual([{ code: 0, signal: null }, expect.any(String)]);
}

/** What a query gives, its first column. */
async function column(connectionString: string, query: string): Promise<string[]> {
  const client = new Client({ connectionString });
  await client.connect();
  const { rows } = await client.query<string[]>({ text: query, rowMode: "array" });
  await client.end();
  return rows.map(([value]) => value!);
}

interface Surroundings extends Record<string, string> {
  DATABASE_URL: string;
  PORT: string;
}

interface Running {
  application: NodeProcess;
  env: Surroundings;
}

/** A database and a port of its own. */
async function surroundings(name: string): Promise<Surroundings> {
  const url = await postgres.createDatabase(name.replace(/\W/g, "_").toLowerCase());
  return { DATABASE_URL: url, PORT: String(await freePort()) };
}

describe("a packed package", () => {
  test.each(packed.packages.map(({ name }) => name))(
    "the packed package %s has all that it needs and nothing else",
    async (name) => {
      const files = await packed.filesOf(name);
      expect(files).toEqual(expect.arrayContaining(["package.json", "README.md", "LICENSE"]));
      expect(files.filter((file) => /\.spec\.|tsbuildinfo|test-support|tsconfig/.test(file))).toEqual([]);
      const maps = files.filter((file) => file.endsWith(".js.map"));
      const sourcesOfMaps = maps.map((file) => file.replace(/^dist/, "src").replace(/\.js\.map$/, ".ts"));
      expect(files).toEqual(expect.arrayContaining(sourcesOfMaps));
    },
  );

  test("the packed packages bring both pages", async () => {
    expect(await packed.filesOf("@tickwheel/api")).toContain("docs-page/index.html");
    expect(await packed.filesOf("@tickwheel/dashboard-files")).toContain("dist/page/index.html");
  });

  test("the packed packages ask for a Node that is there; what Nest itself asks for is its own", () => {
    const complaints = [...packed.installLog.matchAll(/EBADENGINE\s+package: '([^']+)'/g)].map(([, name]) => name!);
    expect(complaints.filter((name) => !name.startsWith("file-type@"))).toEqual([]);
  });
});

const FORMATS = depth<ModuleFormat[]>({ sample: ["module"], whole: ["module", "commonjs"] });
const NODES = depth({ sample: ["this Node"], whole: ["this Node", "Node 24"] });
const APPLICATIONS = NESTS.flatMap((nest) => FORMATS.map((format) => ({ nest, format })));

describe.each(APPLICATIONS)("an application of the packed packages with Nest $nest as $format", (kind) => {
  let built: string;

  test("an application of the packed packages is the example of the guide to start, compiled strictly with their declarations", async () => {
    built = await packed.compile(kind, sources());
  });

  test.each(NODES)("an application of the packed packages loads every entry and fires a task on %s", async (which) => {
    const node = which === "this Node" ? undefined : newerNode;
    const env = await surroundings(`packed ${kind.nest} ${kind.format} ${which}`);
    await ended(new NodeProcess({ script: `${built}/entry-points.js`, cwd: built, node }));
    const application = new NodeProcess({ script: `${built}/main.js`, cwd: built, node, env });
    try {
      await eventually(() => expect(application.log()).toContain("successfully started"));
      await eventually(async () =>
        expect(await column(env.DATABASE_URL, 'SELECT status FROM "order"')).toEqual(["cancelled"]),
      );
      expect(application.endedByItself).toBe(false);
    } finally {
      await application.stop();
    }
  });
});

const BUNDLES = depth({
  sample: [{ nest: 12, format: "commonjs" }],
  whole: NESTS.flatMap((nest) => (["commonjs", "module"] as const).map((format) => ({ nest, format }))),
}) as { nest: NestMajor; format: ModuleFormat }[];

describe.each(BUNDLES)("a bundle of application and packages with Nest $nest as $format", (kind) => {
  const extension = kind.format === "module" ? "mjs" : "cjs";
  const program = { main: "./module/dist/bundled-main.js" };
  let alone: string;

  beforeAll(async () => {
    alone = await packed.bundle(kind, program);
  });

  async function start(folder: string, heartbeat: "worker" | "loop"): Promise<Running> {
    const env = await surroundings(`bundle ${kind.nest} ${kind.format} ${basename(folder)} ${heartbeat}`);
    const script = join(folder, `main.${extension}`);
    return { env, application: new NodeProcess({ script, cwd: folder, env: { ...env, HEARTBEAT: heartbeat } }) };
  }

  async function greets({ application, env }: Running): Promise<void> {
    try {
      await eventually(() => expect(application.log()).toContain("greeted by the bundle"));
      const versions = await column(env.DATABASE_URL, "SELECT version FROM tickwheel.node");
      expect(versions).toEqual([TICKWHEEL_VERSION]);
      for (const page of ["dashboard", "docs"]) {
        const answer = await fetch(`http://127.0.0.1:${env.PORT}/${page}/`);
        expect([answer.status, await answer.text()]).toEqual([404, expect.stringContaining("@tickwheel/* outside")]);
      }
      expect(application.endedByItself).toBe(false);
    } finally {
      await application.stop();
    }
  }

  test("a bundle whose heartbeat runs in the loop joins with its own version, runs a task, and says where its pages are", async () => {
    await greets(await start(alone, "loop"));
  });

  test("a bundle beside its heartbeat's program joins with its own version, runs a task, and says where its pages are", async () => {
    const worker = { "tickwheel-heartbeat-worker": "@tickwheel/nestjs/heartbeat-worker" };
    await greets(await start(await packed.bundle(kind, { ...program, ...worker }), "worker"));
  });

  test("a bundle without its heartbeat's program ends its start with the options that it has", async () => {
    const { application, env } = await start(alone, "worker");
    expect((await application.exited).code).not.toBe(0);
    const told = application.log().split("the program of the heartbeat's thread is not there").length - 1;
    expect([told, application.log()]).toEqual([1, expect.stringContaining('heartbeat: "loop"')]);
    const schemas = await column(env.DATABASE_URL, "SELECT nspname FROM pg_namespace WHERE nspname = 'tickwheel'");
    expect(schemas).toEqual([]);
  });
});
