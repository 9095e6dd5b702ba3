import { Inject, type InjectionToken } from "@nestjs/common";
import { DelayTaskNode, DelayTaskService } from "@tickwheel/node/internals";
import { DelayTaskHealthIndicator } from "./delay-task.health.js";

/** What the node of a module is injected by; without a name it is the class, too. */
export function delayTaskNodeToken(name?: string | null): InjectionToken<DelayTaskNode> {
  return tokenOf(DelayTaskNode, name);
}

/** What the service of a module is injected by; without a name it is the class, too. */
export function delayTasksToken(name?: string | null): InjectionToken<DelayTaskService> {
  return tokenOf(DelayTaskService, name);
}

/** What the health indicator of a module is injected by; without a name it is the class, too. */
export function delayTaskHealthToken(name?: string | null): InjectionToken<DelayTaskHealthIndicator> {
  return tokenOf(DelayTaskHealthIndicator, name);
}

/**
 * Injects the `DelayTaskService` of the module with this name; without one of the module that has none, also where two
 * copies of this package are loaded.
 *
 * @example constructor(@InjectDelayTasks("billing") private readonly delayTasks: DelayTaskService) {}
 */
export function InjectDelayTasks(name?: string): ParameterDecorator & PropertyDecorator {
  return Inject(delayTasksToken(name));
}

/** By its text it is the same for all copies of this package. The class itself stands for the module without a name. */
function tokenOf<Type>(
  type: abstract new (...parameters: never[]) => Type,
  name?: string | null,
): InjectionToken<Type> {
  return name === undefined || name === null ? Symbol.for(`tickwheel ${type.name}`) : `tickwheel ${type.name} ${name}`;
}
