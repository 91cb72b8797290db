import { Rejection } from '../errors.js'
import type { WebhookEvent } from '../event/event.js'
import type { Settings } from '../options/settings.js'

/** Checks that the environment of the event is accepted. */
export function checkEnvironment(
  { environments }: Pick<Settings, 'environments'>,
  { environment }: WebhookEvent,
): Rejection | undefined {
  return environments && environment !== undefined && !environments.includes(environment)
    ? new Rejection('environment_not_allowed', nameOf(environment))
    : undefined
}

/** A name such as `sandbox` is logged. Any other text is content of the body and is not logged. */
const nameOf = (environment: string) => (/^[\w-]{1,32}$/.test(environment) ? environment : undefined)
