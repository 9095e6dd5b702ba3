import { describe, expect, test } from "@jest/globals";
import { readCommandLine, type Request } from "./command-line.js";
import { implementationNames } from "./wheel/queues/implementations.js";
import { loadNames } from "./wheel/loads.js";

function read(...argv: string[]): { request: Request; out: string; err: string } {
  let out = "";
  let err = "";
  const request = readCommandLine(argv, { writeOut: (text) => (out += text), writeErr: (text) => (err += text) });
  return { request, out, err };
}

describe("the command line", () => {
  test("the benchmark's command line without options asks for a million timers, two loads, all implementations, five times", () => {
    expect(read("wheel").request).toEqual({
      job: "wheel",
      options: {
        counts: [1_000_000],
        loads: ["uniform-1h", "orders"],
        implementations: implementationNames,
        reps: 5,
        printsJson: false,
        plots: false,
      },
    });
  });

  test("the benchmark's command line takes lists, each name and number once", () => {
    const { request } = read(
      ..."wheel --n 1e4,10000,2e5 --load churn,orders,churn --impl naive,wheel --reps 2".split(" "),
    );
    expect(request).toMatchObject({
      options: { counts: [10_000, 200_000], loads: ["orders", "churn"], implementations: ["wheel", "naive"], reps: 2 },
    });
  });

  test("the benchmark's command line with --full asks for all sizes and loads", () => {
    expect(read("wheel", "--full", "--json", "--plot").request).toMatchObject({
      options: { counts: [1e4, 1e5, 1e6, 1e7], loads: loadNames, printsJson: true, plots: true },
    });
  });

  test("the benchmark's command line is told all its faults in one message", () => {
    const { request, err } = read(
      ..."wheel extra --n 1.5 --load nope --impl wheel,none --odd --full --reps".split(" "),
    );
    expect(request).toEqual({ exitCode: 2 });
    expect(err.trim().split("\n")).toEqual([
      "error:",
      "  not expected: extra",
      "  no such option: --odd",
      "  --full and --n exclude each other",
      "  --full and --load exclude each other",
      "  --n takes whole numbers from 1000 to 10000000, not 1.5",
      `  --load knows no nope, only ${loadNames.join(", ")}`,
      "  --reps needs a value",
      `  --impl knows no none, only ${implementationNames.join(", ")}`,
      "see bench wheel --help",
    ]);
  });

  test.each(["999", "2e7", "", "x", "NaN", "1e4,", "-5"])("the benchmark's command line refuses --n %p", (n) => {
    expect(read("wheel", `--n=${n}`).request).toEqual({ exitCode: 2 });
  });

  test.each(["0", "100", "1,2"])("the benchmark's command line refuses --reps %p", (reps) => {
    expect(read("wheel", "--reps", reps).request).toEqual({ exitCode: 2 });
  });

  test.each([["nope"], []])("the benchmark's command line refuses no job, or one that there is not: %p", (...argv) => {
    const { request, err } = read(...argv);
    expect(request).toEqual({ exitCode: 2 });
    expect(err).toMatch(/unknown command|Commands:/);
  });

  test("the benchmark's command line prints help on both levels, with what is measured", () => {
    const bench = read("--help");
    const wheel = read("wheel", "--help");
    expect([bench.request, wheel.request]).toEqual([{ exitCode: 0 }, { exitCode: 0 }]);
    expect(bench.out).toMatch(/wheel .*Measures the timing wheel/);
    for (const name of [...loadNames, ...implementationNames]) expect(wheel.out).toContain(`\n  ${name} `);
    expect(wheel.out).toContain("--n <n,…>");
  });

  test("the benchmark's command line asks for all scenarios of faults three times, or for some of them", () => {
    expect(read("faults").request).toEqual({
      job: "faults",
      options: { runs: 3, only: undefined, printsJson: false },
    });
    expect(read(..."faults --runs 5 --only redis --json".split(" ")).request).toMatchObject({
      options: { runs: 5, only: "redis", printsJson: true },
    });
  });

  test("the benchmark's command line tells all that is wrong with the options of faults", () => {
    const { request, err } = read(..."faults more --runs 0 --only".split(" "));
    expect(request).toEqual({ exitCode: 2 });
    for (const fault of [
      "not expected: more",
      "--runs takes whole numbers from 1 to 100, not 0",
      "--only needs a value",
    ])
      expect(err).toContain(fault);
  });
});
