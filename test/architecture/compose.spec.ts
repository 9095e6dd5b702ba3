import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { CORE_SCHEMA, load, mergeTag } from "js-yaml";
import { read } from "./project-files.js";

interface Service {
  image: string;
  restart?: string;
  healthcheck?: { test: string[]; interval: string; timeout: string; retries: number };
  environment: Record<string, string>;
  command?: string[];
}

const text = read("docker-compose.yml");
const { services } = load(text, { schema: CORE_SCHEMA.withTags(mergeTag) }) as { services: Record<string, Service> };
/** Variables that must be set, or compose stops with a message. */
const wanted = [...new Set([...text.matchAll(/\$\{([A-Z_]+):\?[^}]+\}/g)].map(([, name]) => name!))];

describe("docker-compose.yml", () => {
  test.each(Object.entries(services))(
    "the service %s of docker-compose.yml starts again by itself, is watched, and has a pinned image",
    (_, service) => {
      expect(service.restart).toBe("unless-stopped");
      expect(service.healthcheck).toMatchObject({
        test: expect.any(Array),
        interval: expect.any(String),
        timeout: expect.any(String),
        retries: expect.any(Number),
      });
      expect(service.image).toMatch(/^[\w-]+:\d+\.\d+(\.\d+)?$/);
    },
  );

  test("docker-compose.yml holds no password and no key, and no default for one", () => {
    const secrets = Object.values(services).flatMap(({ environment }) =>
      Object.entries(environment).filter(([name]) => /PASSWORD|KEY|SECRET/.test(name)),
    );
    expect(secrets.length).toBeGreaterThan(3);
    for (const [name, value] of secrets)
      expect([name, value]).toEqual([name, expect.stringMatching(/^\$\{\w+:\?.+\}$/)]);
    const addresses = [...text.matchAll(/:\/\/[^\s/"]*@/g)].map(([address]) => address);
    expect(text.match(/:\/\/\w*:[^$]\S*@/)).toBeNull();
    expect(addresses.every((address) => address.includes("${"))).toBe(true);
  });

  test("docker-compose.yml gets secrets from .env, which the command at its head makes once, and which is in no image or commit", () => {
    const [, command] = /^# {3}(\[ -e \.env .*)$/m.exec(text)!;
    const folder = mkdtempSync(join(tmpdir(), "tickwheel-compose-"));
    try {
      const made = [1, 2].map(() => {
        execFileSync("bash", ["-ec", command!], { cwd: folder });
        return readFileSync(join(folder, ".env"), "utf8");
      });
      expect(made[1]).toBe(made[0]);
      const lines = made[0]!
        .trim()
        .split("\n")
        .map((line) => line.split("="));
      expect(lines.map(([name]) => name!).toSorted()).toEqual(wanted.toSorted());
      for (const [, value] of lines) expect(value).toMatch(/^[0-9a-f]{64}$/);
      expect(new Set(lines.map(([, value]) => value)).size).toBe(lines.length);
      expect(statSync(join(folder, ".env")).mode & 0o077).toBe(0);
    } finally {
      rmSync(folder, { recursive: true });
    }
    for (const list of [".gitignore", ".dockerignore"]) expect(read(list).split("\n")).toContain(".env");
  });

  test("the nodes of docker-compose.yml are built on a pinned image", () => {
    const bases = [...read("apps/scheduler/Dockerfile").matchAll(/^FROM (\S+)/gm)].map(([, base]) => base!);
    expect(bases).toHaveLength(2);
    for (const base of bases) expect(base).toMatch(/^node:\d+\.\d+\.\d+-slim$/);
  });
});
