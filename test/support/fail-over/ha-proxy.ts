import { debianTool, freePort } from "@tickwheel/local-services";
import type { PatroniMember } from "./patroni-member.js";
import type { ServerFolder } from "../servers/server-folder.js";

const NAME = "haproxy";

/**
 * Debian's HAProxy before the members of a Postgres cluster, as Patroni's documents set it up: one port leads to the
 * primary, one to its standbys. It asks each member once a second; what a member that fails three times had open is
 * closed.
 */
export class HaProxy {
  private constructor(
    readonly primaryPort: number,
    readonly standbyPort: number,
  ) {}

  static async start(folder: ServerFolder, members: readonly PatroniMember[]): Promise<HaProxy> {
    folder.serverFolder(NAME);
    const proxy = new HaProxy(await freePort(), await freePort());
    const { bin, env } = await debianTool("haproxy");
    folder.write(NAME, "haproxy.cfg", proxy.settings(members));
    await folder.run(NAME, { file: bin("haproxy"), args: ["-db", "-f", "haproxy.cfg"], env });
    return proxy;
  }

  private settings(members: readonly PatroniMember[]): string {
    const servers = members.map(
      ({ name, port, restPort }) => `  server ${name} 127.0.0.1:${port} check port ${restPort}`,
    );
    const listener = (role: string, port: number): string[] => [
      `listen ${role}`,
      `  bind 127.0.0.1:${port}`,
      `  option httpchk OPTIONS /${role}`,
      "  http-check expect status 200",
      "  default-server inter 1s fastinter 1s fall 3 rise 1 on-marked-down shutdown-sessions",
      ...servers,
    ];
    return [
      "global",
      "  maxconn 1000",
      "defaults",
      "  mode tcp",
      "  timeout connect 2s",
      "  timeout check 1s",
      "  timeout client 1h",
      "  timeout server 1h",
      ...listener("primary", this.primaryPort),
      ...listener("replica", this.standbyPort),
      "",
    ].join("\n");
  }
}
