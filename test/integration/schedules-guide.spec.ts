import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type INestApplication, Module, type Type } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { ScheduleModule } from "@nestjs/schedule";
import { DEFAULT_OPTIONS } from "@tickwheel/core";
import { freePort } from "@tickwheel/local-services";
import { DelayTaskModule, DelayTaskService } from "@tickwheel/nestjs";
import {
  checkSchedule,
  MAX_BACKFILL,
  MAX_CATCH_UP_RUNS,
  MAX_CRON_LENGTH,
  MAX_EXCLUDED_DAYS,
  MAX_PREVIEW,
  MIN_EVERY_MS,
  RUNS_KEPT,
  zoneClock,
} from "@tickwheel/schedules";
import { ApiClient } from "../support/api-client.js";
import { guideFences, PastedGuide, SCHEDULES_GUIDE } from "../support/app/pasted-guide.js";
import { newTestKey } from "../support/cluster.js";
import { eventually } from "../support/eventually.js";
import { NodeProcess, repositoryRoot } from "../support/node-process.js";
import { pasted } from "../support/readme-shell.js";
import { startTestPostgres, type TestPostgres } from "../support/servers/test-postgres.js";
import { workedOut } from "./schedules-guide.examples.js";

interface Reports {
  set(shopId: string, hour: number, timeZone: string): Promise<string>;
  next(shopId: string): Promise<Date[]>;
  sendNow(shopId: string): Promise<string>;
  closeFor(shopId: string, until: Date): Promise<void>;
  reopen(shopId: string): Promise<void>;
  history(shopId: string): Promise<string[]>;
  remove(shopId: string): Promise<void>;
}

const guide = new PastedGuide(SCHEDULES_GUIDE);
const fences = guideFences(SCHEDULES_GUIDE);
const text = readFileSync(join(repositoryRoot, SCHEDULES_GUIDE), "utf8");
const apiKey = newTestKey();
const inCode = ["mailbox.empty", "nightly.clean", "rates.poll", "settle"];
let postgres: TestPostgres;
/** The application of the guide, compiled and started: it takes some seconds, in which other tests run. */
let application: Promise<{ node: NodeProcess; port: number; complaints: string }>;

beforeAll(async () => {
  postgres = await startTestPostgres();
  application = startApplication();
  application.catch(() => undefined); // its test tells
});
afterAll(async () => {
  await application?.then(({ node }) => node.kill());
  await postgres?.stop();
  guide.remove();
});

describe("the blocks in an application", () => {
  let app: INestApplication;
  let tasks: DelayTaskService;
  let reports: Reports;

  beforeAll(async () => {
    const exported = {
      ...(await guide.load<Record<string, Type>>("src/settlement.ts")),
      ...(await guide.load<Record<string, Type>>("src/polling.ts")),
      ...(await guide.load<Record<string, Type>>("src/nightly.ts")),
      ...(await guide.load<Record<string, Type>>("src/reports.ts")),
    };
    const modules = Object.entries(exported).flatMap(([name, value]) => (name.endsWith("Module") ? [value] : []));
    const url = await postgres.createDatabase("schedules_guide_blocks");
    @Module({
      imports: [
        ScheduleModule.forRoot(),
        ...modules,
        DelayTaskModule.forRoot({ url, clusterCrons: true, heartbeat: "loop" }),
      ],
    })
    class RootModule {}
    app = await NestFactory.create(RootModule, { logger: false, abortOnError: false });
    await app.init();
    tasks = app.get(DelayTaskService, { strict: false });
    reports = app.get<Reports>(exported["Reports"]!, { strict: false });
  });
  afterAll(() => app?.close());

  const resultOf = async (id: string): Promise<unknown> => {
    const task = await eventually(async () => {
      const found = await tasks.get(id);
      expect(found).toMatchObject({ state: "succeeded" });
      return found!;
    });
    return task.result;
  };

  test("the guide's blocks in an application are schedules under their names, also the @Cron method, and each runs", async () => {
    const named = async (): Promise<string[]> => (await tasks.schedules.list()).items.map(({ name }) => name);
    await eventually(async () => expect(await named()).toEqual(inCode));
    const trigger = async (name: string): Promise<string> => (await eventually(() => tasks.schedules.trigger(name))).id;
    const at = expect.stringMatching(/^20\S+Z$/);
    expect(await resultOf(await trigger("settle"))).toEqual({ until: at, days: 1 });
    expect(await resultOf(await trigger("rates.poll"))).toMatch(/^the rates of 20\S+Z$/);
    expect(await resultOf(await trigger("mailbox.empty"))).toBe("empty");
    expect(await resultOf(await trigger("nightly.clean"))).toBe("clean");
    const rules = { cron: "0 3 * * *", timeZone: "Europe/Berlin" };
    expect(await tasks.schedules.get("nightly.clean")).toMatchObject(rules);
    expect(await tasks.schedules.get("mailbox.empty")).toMatchObject({ after: 300_000, pauseAfterFailures: 10 });
    await expect(tasks.schedules.remove("settle")).rejects.toMatchObject({ code: "SCHEDULE_IN_CODE" });
  });

  test("the guide's blocks make, change, preview, trigger, pause, resume, tell and delete a schedule by calls", async () => {
    expect(await reports.set("eu", 8, "Europe/Berlin")).toBe("created");
    expect(await reports.set("eu", 8, "Europe/Berlin")).toBe("unchanged");
    expect(await reports.set("eu", 9, "Europe/Berlin")).toBe("changed");
    const clock = zoneClock("Europe/Berlin");
    const hours = (await reports.next("eu")).map((at) => new Date(clock.wallAt(at.getTime())).getUTCHours());
    expect(hours).toEqual([9, 9, 9]);
    expect(await resultOf(await reports.sendNow("eu"))).toBe("the report of eu");
    await eventually(async () => expect(await reports.history("eu")).toEqual(["spec: to come", "trigger: succeeded"]));
    const until = new Date("2100-01-01T00:00:00Z");
    await reports.closeFor("eu", until);
    expect(await tasks.schedules.get("report.eu")).toMatchObject({
      state: "paused",
      pause: { note: "holidays", until },
    });
    await reports.reopen("eu");
    expect(await tasks.schedules.get("report.eu")).toMatchObject({ state: "active", nextAt: expect.any(Date) });
    await reports.remove("eu");
    expect(await tasks.schedules.get("report.eu")).toBeNull();
  });
});

async function startApplication(): Promise<{ node: NodeProcess; port: number; complaints: string }> {
  const [url, port, complaints] = await Promise.all([
    postgres.createDatabase("schedules_guide"),
    freePort(),
    guide.compile(),
  ]);
  const env = { DATABASE_URL: url, TICKWHEEL_API_KEY: apiKey, PORT: String(port) };
  const node = new NodeProcess({ script: join(guide.folder, "dist/main.js"), cwd: guide.folder, env });
  return { node, port, complaints };
}

describe("the application of the guide", () => {
  let port: number;

  beforeAll(async () => {
    const { node, complaints, ...started } = await application;
    expect(complaints).toBe("");
    port = started.port;
    const api = new ApiClient(`http://127.0.0.1:${port}`, apiKey);
    await eventually(async () => {
      expect(node.end).toBeUndefined();
      const { body } = await api.get<{ items: { name: string }[] }>("v1/schedules");
      expect(body.items.map(({ name }) => name)).toEqual(inCode);
    });
  });

  test("the application of the guide answers each block of the shell as the guide says", async () => {
    const told = fences.filter(({ language }) => language === "sh" || language === "json");
    const [definition, ...calls] = told;
    expect(calls.map(({ language }) => language)).toEqual(calls.map((_, index) => (index % 2 === 0 ? "sh" : "json")));
    const mark = "\n=== the next answer ===\n";
    const blocks = calls.filter(({ language }) => language === "sh").map((call) => `${call.text}\nprintf '${mark}'`);
    const output = await pasted([definition!.text.replaceAll("localhost:3000", `127.0.0.1:${port}`), ...blocks], {
      cwd: guide.folder,
      env: { TICKWHEEL_API_KEY: apiKey },
    });
    const answers = output.split(mark).slice(0, -1);
    const expected = calls.filter(({ language }) => language === "json");
    expect(answers).toHaveLength(expected.length);
    expect(answers.length).toBeGreaterThan(7);
    for (const [index, answer] of answers.entries())
      expect(JSON.parse(answer)).toEqual(partOf(JSON.parse(expected[index]!.text)));
  });
});

/** Whatever has these fields, and lists that have these items. */
function partOf(value: unknown): unknown {
  if (Array.isArray(value)) return expect.arrayContaining(value.map((item) => partOf(item)));
  if (value === null || typeof value !== "object") return value;
  return expect.objectContaining(Object.fromEntries(Object.entries(value).map(([key, one]) => [key, partOf(one)])));
}

describe("the examples of what happens when", () => {
  const examples = fences.filter(({ language }) => language === "text").map((fence) => fence.text.trimEnd());

  test.each(examples.map((example) => [example.split("\n", 1)[0]!, example]))(
    "the guide's examples of what happens when are true: %s",
    (_schedule, example) => {
      expect(workedOut(example)).toBe(example);
    },
  );

  test("the guide's examples of what happens when stand under every heading", () => {
    const [, section] = /^## What happens when\n(.*?)^## /ms.exec(text)!;
    const parts = section!.split(/^### /m).slice(1);
    expect(parts.length).toBeGreaterThan(12);
    expect(parts.filter((part) => !part.includes("```text")).map((part) => part.split("\n")[0])).toEqual([]);
    expect(section!.match(/^```text$/gm)).toHaveLength(examples.length);
  });
});

describe("what the guide says of options", () => {
  const example = { cron: "0 * * * *", every: "1h", after: "1h" };

  test("every value of an option that the guide names is accepted", () => {
    const named = [...text.matchAll(/`(\w+): ("[^"`]+"|\d+|\["[^`]+\])`/g)].map(([, name, value]) => [name!, value!]);
    const options = named.filter(([name]) => name !== "kind");
    expect(options.length).toBeGreaterThan(30);
    const refused = options.filter(([name, value]) => {
      const kind = name! in example ? {} : { cron: example.cron };
      const limit = name === "limit" ? { misfire: "all" } : {};
      const owner = { id: "x", createdAt: 0, now: 0 };
      return checkSchedule({ ...kind, ...limit, [name!]: JSON.parse(value!) as unknown }, owner).faults.length > 0;
    });
    expect(refused).toEqual([]);
  });

  test("values of options that the guide calls refused are not taken", () => {
    const owner = { id: "x", createdAt: 0, now: 0 };
    const bad = ["0 0 0 1 1 1 2030", "@daily", "@hourly", "0/5 * * * *", "0 22-2 * * *", "0 0 30 2 *"];
    expect(bad.filter((cron) => checkSchedule({ cron }, owner).faults.length === 0)).toEqual([]);
    const zone = { cron: example.cron, timeZone: "+02:00" };
    const delays = [{ after: "1h", misfire: "skip" }, { after: "1h", overlap: "buffer" }, zone];
    expect(delays.filter((given) => checkSchedule(given, owner).faults.length === 0)).toEqual([]);
  });
});

test("the limits in the guide to schedules are those of the code", () => {
  const [, table] = /^## Limits\n(.*)/ms.exec(text)!;
  const limits = [...table!.matchAll(/^\| (.+?) +\| (.+?) +\|$/gm)].slice(2).map(([, what, limit]) => [what, limit]);
  const number = (value: number): string => value.toLocaleString("en");
  const { scheduleMisfireLimit, scheduleBackfillLimit } = DEFAULT_OPTIONS;
  expect([scheduleMisfireLimit, scheduleBackfillLimit]).toEqual([MAX_CATCH_UP_RUNS, MAX_BACKFILL]);
  expect(limits).toEqual([
    ["a rate or a delay", `${MIN_EVERY_MS / 1_000} s at least`],
    ["a cron expression", `${MAX_CRON_LENGTH} characters; it must have an instant within 5 years`],
    [
      "schedules of a namespace",
      `${number(DEFAULT_OPTIONS.scheduleQuotaPerNamespace)} (\`scheduleQuotaPerNamespace\`)`,
    ],
    [expect.stringContaining("kept"), `the last ${RUNS_KEPT} of each schedule, and all that have not ended`],
    ['`limit` of `misfire: "all"`', `${number(MAX_CATCH_UP_RUNS)} (\`scheduleMisfireLimit\`)`],
    ["instants of a backfill's range", `${number(MAX_BACKFILL)} (\`scheduleBackfillLimit\`)`],
    [
      'live occurrences with `overlap: "allow"`',
      `${number(DEFAULT_OPTIONS.liveOccurrencesPerSchedule)} of each schedule (\`liveOccurrencesPerSchedule\`)`,
    ],
    ["instants that a decision counts one by one", "1,000; of more, `missedMore` says so"],
    ["instants of a preview", number(MAX_PREVIEW)],
    ["excluded days", number(MAX_EXCLUDED_DAYS)],
    ["`pauseAfterFailures`", "1,000"],
  ]);
});

test("two versions of code settle after the times that the guide tells", () => {
  const source = (file: string): string =>
    readFileSync(join(repositoryRoot, "libs/engine/src/schedules", file), "utf8");
  const seconds = (pattern: RegExp, file: string): number =>
    Number(pattern.exec(source(file))![1]!.replace("_", "")) / 1_000;
  const prose = text.replaceAll(/\s+/g, " ");
  expect(prose).toContain(`live for ${seconds(/SETTLED_MS = ([\d_]+)/, "code-schedules.ts")} s`);
  const forget = seconds(/FORGET_AFTER_MS = ([\d_]+)/, "code-schedule-keeper.ts");
  expect(prose).toContain(`no node has announced for ${forget} s is taken back`);
});
