import { parseDurationMs } from "@tickwheel/core";
import { checkSchedule, Instants, preview, type ScheduleDefinition, zoneClock } from "@tickwheel/schedules";
import { SchedulePlay } from "./schedules-guide.play.js";

/**
 * Examples of the guide for schedules: `text` blocks whose first line is a schedule. Their instants are worked out here
 * again from the library, so that the test can hold the guide's own text against it.
 */

/** The week of the examples; its Wednesday is meant where an example names no day. */
const MONDAY = Date.UTC(2024, 9, 14);
const DAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
const DAY_MS = 86_400_000;
const EXAMPLE_ID = "0190a1b2-0000-7000-8000-000000000001";

/** The example as it is true. @throws Error where it is not of a known kind, or its schedule is refused */
export function workedOut(example: string): string {
  const [head, ...lines] = example.trimEnd().split("\n");
  const [, from] = /^preview from (\S+)$/.exec(lines[0] ?? "") ?? [];
  if (from)
    return [head, lines[0], ...previewed(head!, { from: Date.parse(from), count: lines.length - 1 })].join("\n");
  const [, most] = /^due at most (\S+) behind its instant$/.exec(lines[0] ?? "") ?? [];
  if (most) return [head, `due at most ${mostJitterMs(head!, parseDurationMs(most)!)} behind its instant`].join("\n");
  return [head, ...played(head!, lines)].join("\n");
}

function previewed(head: string, { from, count }: { from: number; count: number }): string[] {
  const definition = definitionOf(head, from);
  const clock = zoneClock(definition.timeZone);
  const lines = [...preview(definition, { from, count })].map(({ at, note }) => {
    const wall = new Date(clock.wallAt(at)).toISOString();
    const time = `${wall.slice(0, 10)} ${wall.slice(11, 16)}  ${new Date(at).toISOString().slice(11, 16)}Z`;
    return note === null ? time : `${time}  ${note}`;
  });
  return lines.length < count ? [...lines, "no more"] : lines;
}

/** The word for the greatest jitter of some thousand instants: the one asked about, if it is that. */
function mostJitterMs(head: string, wantedMs: number): string {
  const { id, ...definition } = definitionOf(head, MONDAY);
  let most = 0;
  for (let one = 0; one < 200; one++) {
    const instants = new Instants({ ...definition, id: `${id}${one}` });
    let at = instants.next(MONDAY)!;
    for (let count = 0; count < 50; count++, at = instants.next(at)!) most = Math.max(most, instants.dueAt(at) - at);
  }
  return most <= wantedMs && most > wantedMs * 0.99 ? wordOf(wantedMs) : `${most} ms`;
}

function wordOf(durationMs: number): string {
  return durationMs % 60_000 === 0 ? `${durationMs / 60_000}m` : `${durationMs}ms`;
}

function played(head: string, lines: readonly string[]): string[] {
  const hasDays = DAYS.some((day) => lines[0]!.startsWith(day));
  const steps = lines.map((line) => line.split(/ {2,}/));
  const tell = (at: number): string => {
    const time = new Date(at).toISOString().slice(11, 19).replace(/:00$/, "");
    return hasDays ? `${DAYS[Math.floor((at - MONDAY) / DAY_MS)]} ${time}` : time;
  };
  const widths = [0, 1].map((column) => Math.max(...steps.map((step) => step[column]!.length)));
  const play = new SchedulePlay(definitionOf(head, timeOf(steps[0]![0]!)), tell);
  return steps.map(([time, event]) => {
    const [, edited] = /^becomes (.*)$/.exec(event!) ?? [];
    const [, from] = /^is backfilled from (.*)$/.exec(event!) ?? [];
    const now = timeOf(time!);
    if (from) return `${time!.padEnd(widths[0]!)}  ${event!.padEnd(widths[1]!)}  ${play.backfill(now, timeOf(from))}`;
    const outcome = edited ? play.edit(now, edited, definitionOf) : play.play(event!, now);
    return `${time!.padEnd(widths[0]!)}  ${event!.padEnd(widths[1]!)}  ${outcome}`;
  });
}

function timeOf(text: string): number {
  const [, day = "Wed", time] = /^(?:(\w{3}) )?(\d\d:\d\d(?::\d\d)?)$/.exec(text)!;
  const [hours, minutes, seconds = 0] = time!.split(":").map(Number);
  return MONDAY + DAYS.indexOf(day) * DAY_MS + ((hours! * 60 + minutes!) * 60 + seconds) * 1_000;
}

/** A schedule as an example writes it: `cron: "0 * * * *", misfire: "all"`. */
function definitionOf(text: string, createdAt: number): ScheduleDefinition {
  const given = JSON.parse(`{${text.replaceAll(/(\w+): /g, '"$1": ')}}`) as Record<string, unknown>;
  for (const name of ["startsAt", "endsAt", "anchor"]) {
    const value = given[name];
    if (typeof value === "string") given[name] = value.includes("-") ? Date.parse(value) : timeOf(value);
  }
  const { faults, definition } = checkSchedule(given, { id: EXAMPLE_ID, createdAt, now: createdAt });
  if (!definition) throw new Error(`${text}: ${JSON.stringify(faults)}`);
  return definition;
}
