import { debianTool, freePort } from "@tickwheel/local-services";
import { expect } from "@jest/globals";
import { eventually } from "../eventually.js";
import type { ServerFolder } from "../servers/server-folder.js";

const NAME = "etcd";

/** Debian's etcd, which holds the leader's key of a Postgres cluster. One server: whether etcd is there is up to us. */
export class EtcdServer {
  private constructor(
    private readonly folder: ServerFolder,
    readonly port: number,
    private readonly peerPort: number,
  ) {}

  static async start(folder: ServerFolder): Promise<EtcdServer> {
    folder.serverFolder(NAME);
    const etcd = new EtcdServer(folder, await freePort(), await freePort());
    await etcd.restart();
    return etcd;
  }

  /** Starts it again after `kill`, with what it held. */
  async restart(): Promise<void> {
    const { bin, env } = await debianTool("etcd-server");
    const client = `http://127.0.0.1:${this.port}`;
    const peer = `http://127.0.0.1:${this.peerPort}`;
    const options = {
      name: NAME,
      "data-dir": "data",
      "listen-client-urls": client,
      "advertise-client-urls": client,
      "listen-peer-urls": peer,
      "initial-advertise-peer-urls": peer,
      "initial-cluster": `${NAME}=${peer}`,
      "enable-v2": "true",
    };
    const args = Object.entries(options).map(([name, value]) => `--${name}=${value}`);
    await this.folder.run(NAME, { file: bin("etcd"), args, env });
    await eventually(async () => expect((await fetch(`${client}/health`)).status).toBe(200));
  }

  /** SIGKILL. */
  kill(): void {
    this.folder.signal("SIGKILL", NAME);
  }
}
