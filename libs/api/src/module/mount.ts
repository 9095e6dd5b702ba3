import { type CanActivate, Controller, type Type, UseFilters, UseGuards, VERSION_NEUTRAL } from "@nestjs/common";
import { answersItself } from "../problems/own-answers.js";
import { ProblemFilter } from "../problems/problem.filter.js";

/** Where a controller is mounted, and what stands before it. */
export interface MountOptions {
  /**
   * What stands before `/v1`, `/graphql`, `/dashboard`, `/docs`, …; default none. The application's global prefix comes
   * before it.
   */
  path?: string | undefined;
  /** Guards of the application that run after the API key's, on all but the health checks. Default none. */
  guards?: readonly (Type<CanActivate> | CanActivate)[] | undefined;
  /**
   * Class decorators for our controllers, such as the `@Public()` that the application's own global guard looks for.
   * Default none.
   */
  decorators?: readonly ClassDecorator[] | undefined;
}

/**
 * A controller as it is mounted: under the application's path, with these guards, its answers its own. It is a
 * subclass: decorating our own class would mount every application of the process at the same path.
 */
export function mount(controller: Type<object>, options: MountOptions): Type<object> {
  const mounted = { [controller.name]: class extends controller {} }[controller.name]!;
  // The version of our API is in its paths, whatever versioning the application has.
  Controller({ path: options.path ?? "", version: VERSION_NEUTRAL })(mounted);
  UseFilters(ProblemFilter)(mounted);
  answersItself(mounted);
  if (options.guards && options.guards.length > 0) UseGuards(...options.guards)(mounted);
  for (const decorate of options.decorators ?? []) decorate(mounted);
  return mounted;
}
