import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { debianTool, freePort } from "@tickwheel/local-services";
import { eventually } from "../eventually.js";

/** A value of a query, with the labels of its series. */
export interface QueriedValue {
  labels: Record<string, string>;
  value: number;
}

/** What promtool says. @param text its standard input */
export async function promtool(args: readonly string[], text = ""): Promise<{ code: number; output: string }> {
  const { bin, env } = await debianTool("prometheus");
  return new Promise((resolve) => {
    const child = execFile(bin("promtool"), args, { env: { ...process.env, ...env } }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code ?? 1) : 0, output: stdout + stderr }),
    );
    child.stdin!.end(text);
  });
}

/** Debian's Prometheus, which scrapes once a second. */
export class Prometheus {
  private constructor(
    private readonly server: ChildProcess,
    private readonly folder: string,
    private readonly url: string,
  ) {}

  /** @param target `host:port`; @param key what it bears to be let in */
  static async start(target: string, key: string): Promise<Prometheus> {
    const { bin, env } = await debianTool("prometheus");
    const folder = mkdtempSync(join(tmpdir(), "tickwheel-prometheus-"));
    const port = await freePort();
    const scrape = {
      job_name: "tickwheel",
      authorization: { credentials: key },
      static_configs: [{ targets: [target] }],
    };
    const config = { global: { scrape_interval: "1s" }, scrape_configs: [scrape] };
    // JSON is YAML.
    writeFileSync(join(folder, "prometheus.yml"), JSON.stringify(config));
    const args = [
      `--config.file=${join(folder, "prometheus.yml")}`,
      `--storage.tsdb.path=${join(folder, "data")}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ];
    const server = spawn(bin("prometheus"), args, { env: { ...process.env, ...env }, stdio: "ignore" });
    const prometheus = new Prometheus(server, folder, `http://127.0.0.1:${port}`);
    await eventually(async () => {
      const { ok } = await fetch(`${prometheus.url}/-/ready`);
      if (!ok) throw new Error("Prometheus is not ready");
    });
    return prometheus;
  }

  async query(query: string): Promise<QueriedValue[]> {
    const answer = await fetch(`${this.url}/api/v1/query?query=${encodeURIComponent(query)}`);
    const { data } = (await answer.json()) as {
      data: { result: { metric: QueriedValue["labels"]; value: [number, string] }[] };
    };
    return data.result.map(({ metric, value }) => ({ labels: metric, value: Number(value[1]) }));
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.server.once("exit", resolve));
    this.server.kill("SIGKILL");
    await ended;
    rmSync(this.folder, { recursive: true });
  }
}
