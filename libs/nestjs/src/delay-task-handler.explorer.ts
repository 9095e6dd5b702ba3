import { Injectable } from "@nestjs/common";
import { DiscoveryService, MetadataScanner } from "@nestjs/core";
import type { InstanceWrapper } from "@nestjs/core/injector/instance-wrapper.js";
import { TickwheelError } from "@tickwheel/core";
import {
  type DelayTask,
  type DelayTaskContext,
  type DelayTaskHandlerMetadata,
  EVENT_METADATA,
  HANDLER_METADATA,
} from "./delay-task.decorators.js";

/** A handler that was found. */
export interface FoundHandler extends DelayTaskHandlerMetadata {
  handle(task: DelayTask, context: DelayTaskContext): unknown;
}

/** A listener that was found. */
export interface FoundListener {
  event: string;
  listen(event: unknown): unknown;
}

/**
 * Finds `@DelayTaskHandler` and `@OnDelayTaskEvent` in every module's providers and controllers.
 *
 * @throws TickwheelError `CONFIGURATION_INVALID` for a request-scoped handler or a class without `handle`
 */
@Injectable()
export class DelayTaskHandlerExplorer {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
  ) {}

  handlers(): FoundHandler[] {
    return this.decorated(HANDLER_METADATA).map(({ metadata, owner, name, wrapper }) => {
      const found = metadata as DelayTaskHandlerMetadata;
      if (!wrapper.isDependencyTreeStatic() || !wrapper.instance)
        throw invalid(`The handler of "${found.type}" (${name}) is request-scoped; a handler must be a singleton.`);
      const method = (wrapper.instance as Record<string, unknown>)[owner];
      if (typeof method !== "function")
        throw invalid(`The handler of "${found.type}" (${name}) has no method handle(task, ctx).`);
      return { ...found, handle: (task, context) => method.call(wrapper.instance, task, context) as unknown };
    });
  }

  listeners(): FoundListener[] {
    return this.decorated(EVENT_METADATA).map(({ metadata, owner, wrapper }) => ({
      event: metadata as string,
      listen: (event) => (wrapper.instance as Record<string, (event: unknown) => unknown>)[owner]!(event),
    }));
  }

  /** Every decorated class (its method is `handle`) and method, with its metadata. */
  private decorated(key: string): { metadata: unknown; owner: string; name: string; wrapper: InstanceWrapper }[] {
    const wrappers = new Set([...this.discovery.getProviders(), ...this.discovery.getControllers()]);
    return [...wrappers].flatMap((wrapper) => {
      const metatype = wrapper.metatype as { prototype?: object; name?: string } | null;
      if (!metatype?.prototype || wrapper.isAlias) return [];
      const places = [{ metadata: Reflect.getMetadata(key, metatype) as unknown, owner: "handle" }];
      for (const method of this.scanner.getAllMethodNames(metatype.prototype))
        places.push({
          metadata: Reflect.getMetadata(key, (metatype.prototype as Record<string, object>)[method]!) as unknown,
          owner: method,
        });
      return places
        .filter(({ metadata }) => metadata !== undefined)
        .map((place) => ({ ...place, name: metatype.name ?? "an anonymous class", wrapper }));
    });
  }
}

function invalid(message: string): TickwheelError {
  return new TickwheelError("CONFIGURATION_INVALID", message);
}
