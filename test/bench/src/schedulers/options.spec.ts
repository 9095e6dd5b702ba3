import { describe, expect, test } from "@jest/globals";
import { readCommandLine, type Request } from "../command-line.js";
import { jobs } from "./jobs/index.js";

function read(...argv: string[]): { request: Request; out: string; err: string } {
  let out = "";
  let err = "";
  const request = readCommandLine(argv, { writeOut: (text) => (out += text), writeErr: (text) => (err += text) });
  return { request, out, err };
}

const PEERS = ["tickwheel", "bullmq", "pg-boss", "graphile-worker", "postgres"];

describe("the command line of a job", () => {
  test("the command line of a job without options asks for all contestants with both settings, three times, on Postgres 18", () => {
    expect(read("create").request).toMatchObject({
      job: { name: "create" },
      options: {
        peers: PEERS,
        settings: ["best", "defaults"],
        reps: 3,
        postgres: 18,
        isQuick: false,
        printsJson: false,
      },
    });
  });

  test("the command line of a job with --quick asks for one repetition, unless told otherwise", () => {
    expect(read("bulk", "--quick", "--peer", "bullmq", "--settings", "best").request).toMatchObject({
      options: { peers: ["bullmq"], settings: ["best"], reps: 1, isQuick: true },
    });
    expect(read("bulk", "--quick", "--reps", "2", "--postgres", "15").request).toMatchObject({
      options: { reps: 2, postgres: 15 },
    });
  });

  test("the command line of a job takes minutes with a digit after the point, and one holder of a snapshot for jobs with them", () => {
    expect(read("held-snapshot", "--minutes", "0.3", "--holder", "prepared").request).toMatchObject({
      options: { minutes: 0.3, holder: "prepared", peers: ["tickwheel", "pg-boss", "graphile-worker"] },
    });
    expect(read("held-snapshot").request).toMatchObject({
      options: { minutes: 10, rate: 1_000, holder: "transaction" },
    });
    expect(read("soak").request).toMatchObject({ options: { holder: null } });
    const { err } = read("held-snapshot", "--minutes", "0.25", "--holder", "slot,standby,nobody");
    expect(err).toContain("--minutes takes numbers with one digit after the point from 0.1 to 1440, not 0.25");
    expect(err).toContain("--holder knows no nobody, only transaction, slot, prepared, standby");
    expect(err).toContain("--holder takes one name");
    expect(read("soak", "--holder", "slot").err).toContain("no such option: --holder");
  });

  test("the command line of a job is told all its faults in one message", () => {
    const { request, err } = read(
      ..."create extra --peer nobody --settings fast --reps 1,2 --postgres 14 --odd --json".split(" "),
    );
    expect(request).toEqual({ exitCode: 2 });
    expect(err.trim().split("\n")).toEqual([
      "error:",
      "  not expected: extra",
      "  no such option: --odd",
      `  --peer knows no nobody, only ${PEERS.join(", ")}`,
      "  --settings knows no fast, only best, defaults",
      "  --reps takes one number",
      "  --postgres takes 18 or 15, not 14",
      "see bench create --help",
    ]);
  });

  test.each(jobs.map(({ name }) => name))("the command line of a job prints what %s measures", (name) => {
    const { request, out } = read(name, "--help");
    expect(request).toEqual({ exitCode: 0 });
    expect(out).toMatch(/It measures .{40}/);
    expect(out).toContain("--peer <name,…>");
  });
});
