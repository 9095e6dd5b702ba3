import { describe, expect, test } from "@jest/globals";
import { checkHistory } from "./check-history.js";
import { ALLOWED } from "../../test-support/allowed-histories.js";
import type { HistoryBuilder } from "../../test-support/history-builder.js";
import type { HistoryEvent } from "../history/history-event.js";
import { doneTask, dueTask, runningTask } from "../../test-support/first-chapters.js";
import { PLANTED } from "../../test-support/planted-violations.js";
import { RULE_NAMES, type RuleName } from "../history/rule.js";

/** The names of the rules that a history breaks, each once. */
function broken(built: HistoryBuilder): string[] {
  return [...new Set(checkHistory(built.build()).map(({ rule }) => rule))];
}

describe("every rule has a planted violation, which it catches alone or beside the general rule about every change of a row", () => {
  test.each(RULE_NAMES)(
    "the rule %s catches its planted violations, alone or beside the general rule about every change of a row",
    (rule) => {
      const planted = Object.entries(PLANTED[rule]);
      expect(planted.length).toBeGreaterThan(0);
      const special = (caught: string[]): string[] =>
        caught.filter((each) => each === rule || each !== "transition-in-table");
      const caught = planted.map(([name, build]) => [name, special(broken(build()))]);
      expect(caught).toEqual(planted.map(([name]) => [name, [rule]]));
    },
  );

  test("a violation names the events that it was read from", () => {
    const [violation] = checkHistory(runningTask().release("a").wait(5).claim("a", "n2").start("a").build());
    expect(violation).toMatchObject({ rule: "one-execution-at-a-time", taskId: "a", monoMs: 9_005 });
    expect(violation!.events.map(({ kind }) => kind)).toEqual(["started", "started"]);
  });
});

describe.each(Object.entries(ALLOWED))("what is allowed: %s", (_theme, cases) => {
  test.each(Object.entries(cases))("%s", (_name, build) => {
    expect(checkHistory(build().build())).toEqual([]);
  });
});

describe("a replaced task", () => {
  test("a replaced task leaves its key to the next within one commit, in whatever order the rows are told", () => {
    const created = { key: "k" };
    const cancelled = dueTask({ key: "k" });
    const { events } = cancelled.cancel("a").create("b", created).build();
    const [first, ...rest] = events.slice(-4).filter(({ kind }) => kind === "row-changed");
    const swapped = [...rest, first!].map((event) => ({ ...event, commit: 9 }));
    expect(checkHistory({ events: [...events.slice(0, -4), ...swapped] })).toEqual([]);
  });
});

describe("what a fail-over forgot", () => {
  test("what a fail-over forgot is judged as if it had never been: a create, a cancel, a whole execution with its effect", () => {
    expect(broken(doneTask().failover(0).rest())).toEqual([]);
    expect(broken(dueTask().cancel("a").failover(1).claim("a", "n1").start("a").succeed("a").rest())).toEqual([]);
    expect(broken(doneTask().failover(1).claim("a", "n2").start("a").succeed("a").rest())).toEqual([]);
  });

  test("a fail-over does not excuse commits that it kept", () => {
    expect(broken(dueTask().failover(1).rest({ nodes: [] }))).toEqual(["create-ends-terminal"]);
    expect(broken(doneTask().failover(3).effect("a"))).toEqual(["effect-at-most-once"]);
  });

  test("an execution whose claim a fail-over forgot may still start on its node, while another node runs the task", () => {
    const built = dueTask().claim("a", "n1").failover(1).claim("a", "n2");
    expect(broken(built.start("a", { bootId: "n1" }).start("a").succeed("a").rest())).toEqual([]);
  });

  test("a fail-over may forget the end of an execution: the task is free again, and may expire", () => {
    const forgotten = runningTask({ startDeadlineMs: 50 }).succeed("a").failover(2);
    expect(broken(forgotten.release("a").wait(51).expire("a").rest())).toEqual([]);
  });
});

/** For each exemption, the event that it rests on, and the rule that is broken without it. */
const EXCUSES: [theme: string, name: string, excuse: HistoryEvent["kind"], rule: RuleName][] = [
  ["an explicit retry", "a second effect", "retry-acknowledged", "effect-at-most-once"],
  ["a step of the database's clock", "a start within a re-sampling interval of it", "fault-began", "never-early"],
  ["a step of the database's clock", "a task that it made due", "fault-began", "lateness-hard-bound"],
  [
    "a lease break",
    "overlap with a node that was declared dead in a pause",
    "declared-dead",
    "one-execution-at-a-time",
  ],
  [
    "a lease break",
    "overlap with a handler that ignores the abort of a node that fenced itself",
    "lease-broken",
    "one-execution-at-a-time",
  ],
  ["a lease break", "a start by a node that wakes up, after a cancel", "declared-dead", "no-start-after-cancel"],
  ["a time-out", "overlap with a handler that ignores it", "timed-out", "one-execution-at-a-time"],
  ["a drain abort", "overlap with a handler that ignores it", "drain-aborted", "one-execution-at-a-time"],
  ["a crash", "a second start where the first never ended", "fault-began", "one-execution-at-a-time"],
  ["a crash", "all nodes dead: bounds begin at the first one's restart", "joined", "orphan-reaped"],
  ["a crash", "bounds begin with the coming of the node that leads", "leads", "orphan-reaped"],
  ["a leader", "back in time", "fault-ended", "leader-followed"],
  ["a leader", "lost, and the other one goes", "draining", "leader-followed"],
  ["a fail-over", "an expiry of what had started and ended before a fail-over", "fault-began", "expired-never-started"],
  ["declared dead", "after a goodbye", "goodbye", "declared-dead-with-cause"],
  ["declared dead", "cut off from Postgres", "fault-began", "declared-dead-with-cause"],
  ["in doubt", "for as long as its owner is paused", "fault-began", "in-doubt-released"],
  ["in doubt", "for as long as Postgres is away", "fault-began", "in-doubt-released"],
  ["leases", "a task that stays with its consumer while Postgres is away", "fault-began", "lease-ends-in-time"],
  ["leases", "a lease that was over until the database's clock was set back", "fault-began", "lease-held-by-one"],
  ["leases", "a lease that the database's clock prolongs, since it is set back", "fault-began", "lease-ends-in-time"],
  ["leases", "a pull that a cut network keeps for its lease", "fault-began", "unheard-pull-given-back"],
  ["the finders", "a theft in the shadow of a crash", "fault-began", "wheel-finds-what-was-known"],
  ["lateness", "more work than places", "fault-began", "lateness-hard-bound"],
  [
    "lateness",
    "a hundred starts that the sweep found, of what callers' transactions wrote",
    "fault-began",
    "lateness-p99",
  ],
  ["lateness", "a rolling restart while nobody leads: what the node held is stolen", "leads", "lateness-hard-bound"],
  [
    "lateness",
    "a theft from a lost node, which an outage of Postgres kept from being suspected",
    "fault-began",
    "lateness-hard-bound",
  ],
  ["lateness", "a row that a caller's transaction held", "fault-began", "lateness-hard-bound"],
  ["lateness", "a blocked loop: what it had not claimed", "fault-began", "lateness-hard-bound"],
  ["lateness", "a blocked loop: what it had claimed", "fault-began", "lateness-hard-bound"],
];

describe("what excuses it is needed", () => {
  const cases = EXCUSES.map(([theme, name, excuse, rule]) => ({ theme, name, excuse, rule }));
  test.each(cases)(
    "an excuse is needed: $theme, $name, without $excuse breaks $rule",
    ({ theme, name, excuse, rule }) => {
      const { events, options } = ALLOWED[theme]![name]!().build();
      const isExcuse = (event: HistoryEvent): boolean =>
        event.kind === excuse ||
        (excuse === "retry-acknowledged" && "statement" in event && event.statement === "retry");
      const rules = checkHistory({ events: events.filter((event) => !isExcuse(event)), options }).map(
        (each) => each.rule,
      );
      expect(rules).toContain(rule);
    },
  );
});
