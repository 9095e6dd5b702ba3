import { afterEach, beforeEach, expect, jest, test } from "@jest/globals";
import { Logger } from "@nestjs/common";
import { ManualClock } from "@tickwheel/testing";
import { ApplicationLogIn, type ApplicationUser, type Authenticate } from "./application-log-in.js";

let lines: string[];
beforeEach(() => {
  lines = [];
  jest.spyOn(Logger.prototype, "error").mockImplementation((line: unknown) => void lines.push(String(line)));
});
afterEach(() => void jest.restoreAllMocks());

const ALICE = { role: "operator", name: "alice@example.com" } as const;

function logInOf(authenticate: Authenticate | null, clock = new ManualClock()): ApplicationLogIn {
  return new ApplicationLogIn(authenticate, { options: { namespace: "shop" } }, clock);
}

test("an application's user has its role, the node's namespace unless it has another, and the right cluster only by name", async () => {
  const key = { id: "user:alice@example.com", role: "operator", rights: [], types: null, expiresAt: null };
  expect(await logInOf(() => ALICE).find({})).toEqual({ ...key, namespace: "shop", cluster: false });
  const wide = logInOf(() => Promise.resolve({ ...ALICE, namespace: "bank", cluster: true, rights: ["payload"] }));
  expect(await wide.find({})).toEqual({ ...key, namespace: "bank", cluster: true, rights: ["payload"] });
});

test("a worker that an application logs in has its types", async () => {
  const worker = { role: "worker", name: "resizer", types: ["image.*"] } as const;
  expect(await logInOf(() => worker).find({})).toMatchObject({ role: "worker", cluster: false, types: ["image.*"] });
});

test.each([null, undefined])(
  "a request has no user where the application answers %j, or has no log-in",
  async (answer) => {
    expect(await logInOf(() => answer).find({})).toBeNull();
    expect(await logInOf(null).find({})).toBeNull();
    expect(lines).toEqual([]);
  },
);

test.each([
  [{ ...ALICE, role: "root" }, "no role"],
  [{ name: "alice" }, "no role"],
  [true, "no role"],
  [{ ...ALICE, name: "" }, "no name"],
  [{ ...ALICE, name: " alice" }, "no name"],
  [{ ...ALICE, name: "a\nb" }, "no name"],
  [{ ...ALICE, name: "\u0000" }, "no name"],
  [{ ...ALICE, name: "\ud800" }, "no name"],
  [{ ...ALICE, name: "x".repeat(129) }, "no name"],
  [{ ...ALICE, name: 7 }, "no name"],
  [{ ...ALICE, namespace: "a b" }, "a namespace"],
  [{ ...ALICE, namespace: null }, "a namespace"],
  [{ ...ALICE, rights: "payload" }, "rights"],
  [{ ...ALICE, rights: ["all"] }, "rights"],
  [{ ...ALICE, types: ["mail.send"] }, "operator with types"],
  [{ ...ALICE, role: "worker" }, "worker with types"],
  [{ ...ALICE, role: "worker", types: "mail.send" }, "worker with types"],
  [{ ...ALICE, role: "worker", types: ["mail.send", "*"] }, "worker with types[1]"],
  [{ ...ALICE, role: "worker", types: ["mail.send"], cluster: true }, "worker with cluster"],
  [{ ...ALICE, role: "worker", types: ["mail.send"], rights: ["payload"] }, "worker with rights"],
])("the application's answer %j to a log-in lets nobody in, and the log says why", async (answer, why) => {
  expect(await logInOf(() => answer as ApplicationUser).find({})).toBeNull();
  expect(lines).toEqual([expect.stringContaining(`\`authenticate\` answered ${why}`)]);
});

test.each([
  (): never => {
    throw new Error("no session store");
  },
  () => Promise.reject(new Error("no session store")),
])("a log-in that throws lets nobody in; the log says so once in ten seconds", async (authenticate) => {
  const clock = new ManualClock();
  const logIn = logInOf(authenticate, clock);
  for (let time = 0; time < 3; time++) expect(await logIn.find({})).toBeNull();
  expect(lines).toEqual([expect.stringContaining("no session store")]);
  await clock.advance(10_000);
  expect(await logIn.find({})).toBeNull();
  expect(lines).toHaveLength(2);
});

test("a log-in that does not answer within 5 s lets nobody in, also where the answer comes later", async () => {
  const clock = new ManualClock();
  let answer: (user: ApplicationUser) => void = () => undefined;
  const late = new Promise<ApplicationUser>((resolve) => (answer = resolve));
  const found = logInOf(() => late, clock).find({});
  const settled = Promise.allSettled([found]);
  await clock.advance(5_000);
  answer(ALICE);
  expect(await settled).toMatchObject([{ reason: { code: "STORE_UNAVAILABLE" } }]);
  expect(lines).toEqual([expect.stringContaining("did not answer within 5 s")]);
});
