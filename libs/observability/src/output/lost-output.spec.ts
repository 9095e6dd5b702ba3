import { Writable } from "node:stream";
import { describe, expect, test } from "@jest/globals";
import { endWithOutput, outliveOutput } from "./lost-output.js";

/** An output that loses each line with an error of the system, like one of a process: it can be written to again. */
class LossyOutput extends Writable {
  readonly lost: string[] = [];

  constructor(private readonly code: string) {
    super({ autoDestroy: false });
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.lost.push(chunk.toString());
    done();
    this.emit("error", Object.assign(new Error(`${this.code}: lost`), { code: this.code }));
  }
}

class KeptOutput extends Writable {
  text = "";

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}

describe("a program that outlives its output", () => {
  test.each(["EPIPE", "ENOSPC", "EIO"])(
    "a program that outlives its output writes on after %s, of stdout and of stderr",
    (code) => {
      const stdout = new LossyOutput(code);
      const stderr = new LossyOutput(code);
      outliveOutput({ stdout, stderr });
      for (const output of [stdout, stderr]) for (const line of ["one", "two"]) output.write(line);
      expect([stdout.lost, stderr.lost]).toEqual(Array(2).fill(["one", "two"]));
    },
  );
});

describe("a command that ends with its output", () => {
  function ending(stdout: Writable, stderr: Writable): number[] {
    const codes: number[] = [];
    endWithOutput((code) => codes.push(code), { stdout, stderr });
    return codes;
  }

  test("a command that ends with its output ends once, quietly and with 141, when the reader of stdout has gone", () => {
    const stdout = new LossyOutput("EPIPE");
    const stderr = new KeptOutput();
    const codes = ending(stdout, stderr);
    stdout.write("one");
    stdout.write("two");
    expect([codes, stderr.text]).toEqual([[141], ""]);
  });

  test.each(["ENOSPC", "EIO"])(
    "a command that ends with its output ends once and with 1 after %s, and says so",
    (code) => {
      const stdout = new LossyOutput(code);
      const stderr = new KeptOutput();
      const codes = ending(stdout, stderr);
      stdout.write("one");
      stdout.write("two");
      expect([codes, stderr.text]).toEqual([[1], `stdout: ${code}: lost\n`]);
    },
  );

  test("a command that ends with its output ends also when nothing takes its last word", () => {
    const stdout = new LossyOutput("EIO");
    const stderr = new LossyOutput("EIO");
    const codes = ending(stdout, stderr);
    stdout.write("one");
    expect([codes, stderr.lost]).toEqual([[1], ["stdout: EIO: lost\n"]]);
  });

  test("a command that ends with its output goes on without its stderr", () => {
    const stdout = new KeptOutput();
    const stderr = new LossyOutput("EPIPE");
    const codes = ending(stdout, stderr);
    stderr.write("progress");
    stdout.write("result");
    expect([codes, stdout.text]).toEqual([[], "result"]);
  });
});
