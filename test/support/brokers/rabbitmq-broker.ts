import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { debianTool, freePort } from "@tickwheel/local-services";
import { connect } from "amqplib";
import { ServerFolder } from "../servers/server-folder.js";
import { FolderBroker, started } from "./broker.js";

const run = promisify(execFile);
/** A probe that gets no answer is over after so long. */
const PROBE_MS = 2_000;
const NODE = "rabbit@localhost";
/** RabbitMQ's own default: the part of the memory that it may use. */
const USUAL_WATERMARK = 0.4;
/** Plugins that nobody enabled, besides the one that starts the server. */
const UNUSED_PLUGIN = /^rabbitmq_(?!prelaunch-)/;

/** Where Debian's packages are, installed or unpacked. */
interface Install {
  /** The folder of Erlang's programs. */
  erts: string;
  erlang: string;
  rabbit: string;
  env: Readonly<Record<string, string>>;
  /** A program that calls a function of a running Erlang node. */
  caller: string;
}

/**
 * Debian's RabbitMQ (3.10) without plugins. Durable queues with persistent messages are there again after `kill` and
 * `restart`. The user is `guest`.
 *
 * Erlang is started without the scripts of the package: they want an account `rabbitmq`, the folders of an installed
 * package and a second Erlang. There is no epmd: the node listens at a port of its own, which `erl_call` is told.
 *
 * @example
 * const broker = await RabbitmqBroker.start();
 * const connection = await connect(broker.url);
 */
export class RabbitmqBroker extends FolderBroker {
  private constructor(
    folder: ServerFolder,
    private readonly ports: { amqp: number; node: number },
  ) {
    super(folder);
    this.write("rabbitmq.conf", `listeners.tcp.1 = 127.0.0.1:${ports.amqp}\ndisk_free_limit.absolute = 1MB\n`);
    this.write("enabled_plugins", "[].\n");
    this.write(".erlang.cookie", randomUUID());
  }

  static async start(): Promise<RabbitmqBroker> {
    const ports = { amqp: await freePort(), node: await freePort() };
    const folder = ServerFolder.make("rabbitmq");
    return started(new RabbitmqBroker(folder, ports));
  }

  get url(): string {
    return `amqp://guest:guest@127.0.0.1:${this.ports.amqp}`;
  }

  /** Raises the alarm of too little memory: publishers are blocked, consumers are not. A restart ends it. */
  async blockPublishers(): Promise<void> {
    await this.setWatermark(0);
  }

  async unblockPublishers(): Promise<void> {
    await this.setWatermark(USUAL_WATERMARK);
  }

  protected async launch(): Promise<void> {
    const { erts, erlang, rabbit, env } = await findInstall();
    const plugins = this.usedPlugins(rabbit);
    await this.run(join(erts, "erlexec"), this.erlangArgs(erlang), {
      ...env,
      HOME: this.home,
      ERL_LIBS: plugins,
      RABBITMQ_HOME: rabbit,
      RABBITMQ_PLUGINS_DIR: plugins,
      RABBITMQ_NODENAME: NODE,
      RABBITMQ_MNESIA_BASE: join(this.home, "mnesia"),
      RABBITMQ_LOG_BASE: join(this.home, "logs"),
      // The standard output.
      RABBITMQ_LOGS: "-",
      RABBITMQ_CONFIG_FILE: join(this.home, "rabbitmq.conf"),
      RABBITMQ_ENABLED_PLUGINS_FILE: join(this.home, "enabled_plugins"),
      // There are none of these: those of an installed package are not read.
      RABBITMQ_CONF_ENV_FILE: join(this.home, "rabbitmq-env.conf"),
      RABBITMQ_CONFIG_FILES: join(this.home, "conf.d"),
      RABBITMQ_ADVANCED_CONFIG_FILE: join(this.home, "advanced.config"),
    });
  }

  protected async probe(): Promise<void> {
    const connection = await connect(this.url, { timeout: PROBE_MS });
    await connection.close();
  }

  private erlangArgs(erlang: string): string[] {
    return [
      "-noinput",
      "-s",
      "rabbit",
      "boot",
      "-boot",
      join(erlang, "bin/start_sasl"),
      "+W",
      "w",
      // Idle schedulers sleep at once.
      "+sbwt",
      "none",
      "+sbwtdcpu",
      "none",
      "+sbwtdio",
      "none",
      "-sname",
      NODE,
      "-start_epmd",
      "false",
      "-erl_epmd_port",
      String(this.ports.node),
      "-kernel",
      "inet_dist_use_interface",
      "{127,0,0,1}",
      "-kernel",
      "prevent_overlapping_partitions",
      "false",
      "-syslog",
      "logger",
      "[]",
      "-syslog",
      "syslog_error_logger",
      "false",
    ];
  }

  /**
   * A folder without the plugins that are not enabled. RabbitMQ reads all that it finds: that is a third of its start.
   */
  private usedPlugins(rabbit: string): string {
    const all = join(rabbit, "plugins");
    const used = join(this.home, "plugins");
    if (mkdirSync(used, { recursive: true }) === undefined) return used;
    for (const plugin of readdirSync(all))
      if (!UNUSED_PLUGIN.test(plugin)) symlinkSync(join(all, plugin), join(used, plugin));
    return used;
  }

  private async setWatermark(part: number): Promise<void> {
    const { caller, env } = await findInstall();
    const call = `vm_memory_monitor set_vm_memory_high_watermark [${part}]`;
    const args = ["-address", `127.0.0.1:${this.ports.node}`, "-a", call];
    await run(caller, args, { env: { ...env, HOME: this.home } });
  }
}

async function findInstall(): Promise<Install> {
  const { root, bin, env } = await debianTool("rabbitmq-server");
  const erlang = join(root, "usr/lib/erlang");
  const erts = join(folderIn(erlang, "erts-"), "bin");
  return {
    erts,
    erlang,
    rabbit: folderIn(join(root, "usr/lib/rabbitmq/lib"), "rabbitmq_server-"),
    env: { ...env, ROOTDIR: erlang, BINDIR: erts, EMU: "beam", PROGNAME: "erl", LC_ALL: "C.UTF-8" },
    caller: bin("erl_call"),
  };
}

/** The folder whose name begins so and ends with a version. */
function folderIn(parent: string, beginning: string): string {
  const name = readdirSync(parent).find((entry) => entry.startsWith(beginning));
  if (!name) throw new Error(`${parent} holds no ${beginning}*`);
  return join(parent, name);
}
