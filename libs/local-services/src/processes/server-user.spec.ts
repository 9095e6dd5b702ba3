import { describe, expect, test } from "@jest/globals";
import { chooseServerUser, mayEnter } from "./server-user.js";

const ROOT = "root:x:0:0:root:/root:/bin/bash";
const NOBODY = "nobody:x:65534:65533:nobody:/nonexistent:/usr/sbin/nologin";
const POSTGRES = "postgres:x:101:104:PostgreSQL administrator,,,:/var/lib/postgresql:/bin/bash";

describe("the account that runs Postgres", () => {
  test("the account that runs Postgres is ourselves unless we are root", () => {
    expect(chooseServerUser(1000, [ROOT, NOBODY].join("\n"))).toBeUndefined();
  });

  test("the account that runs Postgres is postgres for root", () => {
    expect(chooseServerUser(0, [ROOT, NOBODY, POSTGRES].join("\n"))).toEqual({ name: "postgres", uid: 101, gid: 104 });
  });

  test("the account that runs Postgres is nobody where there is no postgres, and never root by another name", () => {
    const passwd = [ROOT, "postgres:x:0:0::/:/bin/sh", NOBODY].join("\n");
    expect(chooseServerUser(0, passwd)).toEqual({ name: "nobody", uid: 65534, gid: 65533 });
  });
});

describe("entering a folder", () => {
  const user = { name: "postgres", uid: 101, gid: 104 };

  test.each([
    ["the owner by the owner's bit", { uid: 101, gid: 0, mode: 0o700 }, true],
    ["the owner not by the others' bit", { uid: 101, gid: 0, mode: 0o677 }, false],
    ["the group by the group's bit", { uid: 0, gid: 104, mode: 0o710 }, true],
    ["the group not by the others' bit", { uid: 0, gid: 104, mode: 0o701 }, false],
    ["everyone else by the others' bit", { uid: 0, gid: 0, mode: 0o711 }, true],
    ["nobody else into a private home", { uid: 0, gid: 0, mode: 0o700 }, false],
  ])("a folder lets in %s", (_case, folder, expected) => {
    expect(mayEnter(folder, user)).toBe(expected);
  });
});
