import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { identify, ownIdentity, type ProcessIdentity } from "../processes/process-identity.js";
import { makeEphemeralFolder, readRecord, removeAbandoned } from "./service-folder.js";

describe("ephemeral services", () => {
  let root: string;
  let server: ChildProcess;
  const dead: ProcessIdentity = { ...ownIdentity(), birth: "boot:1" };

  beforeEach(async () => {
    root = mkdtempSync(join(tmpdir(), "tickwheel-folder-"));
    server = spawn("sleep", ["60"]);
    await once(server, "spawn");
  });
  afterEach(() => {
    server.kill("SIGKILL");
    rmSync(root, { recursive: true });
  });

  function folderOf(owner: ProcessIdentity, recorded?: ProcessIdentity): string {
    const folder = join(root, "redis-left");
    mkdirSync(folder);
    writeFileSync(join(folder, "service.json"), JSON.stringify({ kind: "redis", owner, server: recorded }));
    return folder;
  }

  test("a new folder of an ephemeral service belongs to this process", async () => {
    const folder = await makeEphemeralFolder("redis", root);
    expect(readRecord(folder)).toEqual({ kind: "redis", owner: ownIdentity() });
  });

  test("a dead owner's ephemeral server is stopped, even a paused one, and its folder removed", async () => {
    server.kill("SIGSTOP");
    const folder = folderOf(dead, identify(server.pid!));
    const ended = once(server, "exit");
    await removeAbandoned(root);
    await ended;
    expect(existsSync(folder)).toBe(false);
  });

  test("a living owner's ephemeral server and folder stay", async () => {
    const folder = folderOf(ownIdentity(), identify(server.pid!));
    await removeAbandoned(root);
    expect(existsSync(folder)).toBe(true);
    expect(identify(server.pid!)).toBeDefined();
  });

  test("a process that was given the pid of the dead server is left alone", async () => {
    const folder = folderOf(dead, { ...identify(server.pid!)!, birth: "boot:2" });
    await removeAbandoned(root);
    expect(existsSync(folder)).toBe(false);
    expect(identify(server.pid!)).toBeDefined();
  });

  test("a service folder without a record is removed once its maker must have died", async () => {
    const [fresh, old] = ["postgres-fresh", "postgres-old"].map((name) => join(root, name)) as [string, string];
    mkdirSync(fresh);
    mkdirSync(old);
    utimesSync(old, 1, 1);
    await removeAbandoned(root);
    expect([existsSync(fresh), existsSync(old)]).toEqual([true, false]);
  });
});
