import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { Injectable, type INestApplication } from "@nestjs/common";
import { DelayTaskApiModule } from "@tickwheel/api";
import { type DelayTask, type DelayTaskContext, DelayTaskHandler, DelayTaskModule } from "@tickwheel/nestjs";
import { newTestKey } from "../support/cluster.js";
import { hostApi, type HostedApi } from "../support/app/hosted-api.js";
import { guideFences, PastedGuide } from "../support/app/pasted-guide.js";
import { eventually } from "../support/eventually.js";
import { pasted } from "../support/readme-shell.js";
import { startTestPostgres, type TestPostgres } from "../support/servers/test-postgres.js";

/** Guides whose blocks are a few lines of something larger. */
const GUIDES = ["api-keys", "dynamic-tasks", "limit-what-runs", "operations", "questions"] as const;

/** What these lines take for given. */
const GIVEN = `
import { DelayTaskApiModule } from "@tickwheel/api";
import { defineTask, type DelayTaskContext, DelayTaskModule, type DelayTaskService } from "@tickwheel/nestjs";

const CancelOrder = defineTask<object>("order.cancel");
const SendMail = defineTask<object>("mail");
const Export = defineTask<object>("export");
const Heartbeat = defineTask<object>("heartbeat");
const Deadline = defineTask<object>("deadline");
const IndexDocument = defineTask<{ id: string }>("document.index");
const SendDigest = defineTask<{ user: string }>("digest.send");
const SettleUpload = defineTask<{ bytes: number; chunks: number }>("upload.settle");

interface Request { headers: Record<string, string>; user?: { isStaff: boolean; email: string; tenant: string } }
export interface World { delayTasks: DelayTaskService; ctx: DelayTaskContext }

const order = { id: "4711" };
const [id, user, file, chunk] = ["d-1", "u-1", "f-1", { id: "c-1", length: 7 }];
const inAnHour = new Date(Date.now() + 3_600_000);
const answer = { status: 429 };
`;
/** Tasks of all types that the guides name, and of the key. */
const MADE = ["mail", "export", "heartbeat", "order.cancel", "report.render"].map((type) => ({ type, delay: "1h" }));

type Run = (world: { delayTasks: HostedApi["tasks"]; ctx?: DelayTaskContext }) => Promise<unknown>;

const snippets = GUIDES.flatMap((guide) =>
  guideFences(`docs/guides/${guide}.md`)
    .filter(({ language }) => language === "ts")
    .map(({ text }, at) => ({ file: `src/${guide}-${at}.ts`, text })),
);
const isWhole = (text: string): boolean => text.startsWith("// src/");
const deferring = snippets.find(({ text }) => text.includes("ctx.defer"))!;
const guide = new PastedGuide(null);
const key = newTestKey();
const runs = new Map<string, Run>();
let postgres: TestPostgres;
let app: INestApplication;
let tasks: HostedApi["tasks"];
let api: HostedApi["api"];

@Injectable()
class Bank {
  @DelayTaskHandler("bank.ask")
  async ask(_task: DelayTask, ctx: DelayTaskContext): Promise<void> {
    await runs.get(deferring.file)!({ delayTasks: tasks, ctx });
  }
}

beforeAll(async () => {
  postgres = await startTestPostgres();
  for (const { file, text } of snippets)
    guide.write(
      file,
      isWhole(text)
        ? `${text}\nexport const run = ({ delayTasks }: { delayTasks: DelayTaskService }) => cancelReports(delayTasks);\n`
        : `${GIVEN}\nexport async function run({ delayTasks, ctx }: World): Promise<void> {\nconst tasks = delayTasks;\n${text}}\n`,
    );
  for (const { file } of snippets) runs.set(file, (await guide.load<{ run: Run }>(file)).run);
  const imports = [
    DelayTaskApiModule.forRoot({ notice: false }),
    DelayTaskModule.forRoot({ url: postgres.url, heartbeat: "loop" }),
  ];
  ({ app, tasks, api } = await hostApi({ imports, providers: [Bank] }, key));
  await api.scheduleMany([...MADE, { type: "deadline", delay: "1h", key: "ticket-42" }]);
});
afterAll(async () => {
  await app?.close();
  await postgres?.stop();
  guide.remove();
});

test("the lines of the short guides compile", async () => {
  expect(await guide.compile()).toBe("");
});

test.each(snippets.filter((snippet) => snippet !== deferring).map(({ file }) => file))(
  "the lines of the short guides run: %s",
  async (file) => {
    await runs.get(file)!({ delayTasks: tasks });
  },
);

test("a handler that defers rests its type", async () => {
  await api.schedule({ type: "bank.ask" });
  await eventually(async () =>
    expect((await tasks.types.standing("bank.ask")).pause).toMatchObject({ by: "handler", reason: expect.any(String) }),
  );
});

test("the shell calls of the short guides do what the guides say", async () => {
  const waiting = await api.scheduleMany([1, 2].map(() => ({ type: "report.render", delay: "1h" })));
  const blocks = GUIDES.flatMap((name) => guideFences(`docs/guides/${name}.md`))
    .filter(({ language }) => language === "sh" || language === "bash")
    .map(({ text }) => text);
  expect(blocks).toHaveLength(7);
  const asked = blocks
    .join("\n")
    .replaceAll("localhost:3000", api.url.replace("http://", ""))
    .replaceAll(/"until": "[^"]*"/g, `"until": "${new Date(Date.now() + 3_600_000).toISOString()}"`)
    .replace('"expect": 412', `"expect": ${waiting.length}`)
    .replace('"name": "shop-backend"', '"name": "shop-backend-2"');
  // A call that is refused ends the shell.
  const before = 'curl() { command curl --silent --show-error --fail "$@"; }';
  await pasted([asked], { cwd: guide.folder, before, env: { TICKWHEEL_API_KEY: key, KEY: key } });
  await eventually(async () => {
    const left = await Promise.all(waiting.map(({ id }) => tasks.get(id)));
    expect(left.map((task) => task?.state)).toEqual(["cancelled", "cancelled"]);
  });
});
