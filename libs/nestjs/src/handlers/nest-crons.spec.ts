import { expect, test } from "@jest/globals";
import { type FoundCron, takenCrons } from "./nest-crons.js";

const found = (options: FoundCron["options"], where = "Jobs.run"): FoundCron => ({
  options,
  where,
  scope: null,
  call: () => "ran",
});

test("a @Cron becomes a schedule of its name, in its zone or that of the process", () => {
  const crons = [
    found({ name: "a", cronTime: "0 0 3 * * *", timeZone: "Asia/Tokyo" }),
    found({ name: "b", cronTime: " @daily " }),
  ];
  const taken = takenCrons(crons, "Europe/Berlin");
  expect(taken.map(({ schedule: { name, type, rules } }) => [name, type, rules])).toEqual([
    ["a", "schedule.a", { cron: "0 0 3 * * *", timeZone: "Asia/Tokyo" }],
    ["b", "schedule.b", { cron: "0 0 * * *", timeZone: "Europe/Berlin" }],
  ]);
  expect(taken[0]!.handler.handle({} as never, {} as never)).toBe("ran");
});

test("every @Cron that cannot be taken over is named, with the reason; a disabled one is left alone", () => {
  const crons = [
    found({ cronTime: "* * * * *" }, "Jobs.nameless"),
    found({ name: "once", cronTime: new Date(0) }, "Jobs.once"),
    found({ name: "offset", cronTime: "* * * * *", utcOffset: 60 }, "Jobs.offset"),
    { ...found({ name: "scoped", cronTime: "* * * * *" }, "Jobs.scoped"), scope: "request-scoped" as const },
    found({ cronTime: "* * * * *", disabled: true }, "Jobs.off"),
  ];
  expect(() => takenCrons(crons, "UTC")).toThrow(
    'clusterCrons cannot take over all @Cron methods: Jobs.nameless has no name: give it one, @Cron(…, { name }); Jobs.once ("once") has a date for its time, which comes once: schedule a task; Jobs.offset ("offset") has a utcOffset: give it a timeZone; Jobs.scoped is request-scoped, and nothing calls it: make its class a singleton',
  );
  expect(takenCrons(crons.slice(4), "UTC")).toEqual([]);
});
