import type { ServiceEvent } from 'webhook-inbox-client/schemas'
import { advance } from './advance.js'
import { eventRecord } from './api/api-records.js'
import { deliveryRecord } from './control/control-records.js'
import { emit } from './control/emit.js'
import type { Address } from './control/guard.js'
import type { RequestRecord } from './control/request-log.js'
import type { AttemptNotice } from './delivery/attempt-notice.js'
import { replay } from './delivery/replay.js'
import {
  createSubscription,
  listSubscriptions,
  maxSubscriptions,
  normalized,
  SubscriptionError,
  secretOf,
} from './delivery/subscriptions.js'
import { checkTarget } from './delivery/target.js'
import { closeServer, createHttpServer, listen } from './http-server.js'
import { openService } from './open-service.js'
import type { Options, SandboxOptions } from './options/options.js'
import { resolveOptions } from './options/resolve.js'
import type { Duration, NewSubscription, Sandbox } from './sandbox.js'
import type { Service } from './service.js'
import { serviceApp } from './service-app.js'
import { Sightings } from './sightings.js'

/** What the program prints. */
export interface SandboxListeners {
  readonly onRequest?: (request: RequestRecord) => void
  readonly onAttempt?: (notice: AttemptNotice) => void
  readonly onFailure?: (error: unknown) => void
}

/**
 * Starts a sandbox and listens. Rejects with `OptionError` for an unusable option, and with the error of the system
 * if the port is taken or the state file cannot be opened.
 */
export async function createSandbox(given: SandboxOptions = {}): Promise<Sandbox> {
  return startSandbox(resolveOptions(given))
}

/** Like {@link createSandbox}, with checked options and with listeners. */
export async function startSandbox(options: Options, listeners: SandboxListeners = {}): Promise<Sandbox> {
  const { onRequest, onAttempt, onFailure = (error: unknown) => console.error(error) } = listeners
  let address: Address = { host: options.host, port: options.port }
  let closing: Promise<void> | undefined
  const service = openService(options, {
    onAttempt(notice) {
      sightings.note(notice)
      onAttempt?.(notice)
    },
    onFailure,
    ownPort: () => address.port,
  })
  const sightings = new Sightings(service)
  const isClosing = () => closing !== undefined
  const app = serviceApp(service, { addressOf: () => address, onRequest, isClosing })
  const server = createHttpServer(app, service.ids)
  const close = async () => {
    service.progress.close()
    sightings.close()
    await service.courier.close()
    await closeServer(server)
    service.database.close()
  }
  try {
    address = await listen(server, address)
  } catch (error) {
    await close()
    throw error
  }
  return {
    url: urlOf(address),
    apiKey: options.apiKey,
    fetch: async (request) => app.fetch(request, {}),
    forwarding: forwardingOf(service),
    subscribe: (request) => subscribe(service, request),
    emit: async (type, data) => eventRecord(emit(service, type, data)) as ServiceEvent,
    advance: (duration) => advance(service, secondsOf(duration)),
    waitForDelivery: (filter = {}, { timeoutSeconds = 5 } = {}) => sightings.wait(filter, timeoutSeconds),
    replay: async (eventId, request) => (await replay(service, eventId, request)).map(deliveryRecord),
    idle: () => idle(service),
    close: () => (closing ??= close()),
  }
}

const urlOf = ({ host, port }: Address) => `http://${host.includes(':') ? `[${host}]` : host}:${port}`

async function subscribe(service: Service, request: NewSubscription): ReturnType<Sandbox['subscribe']> {
  const problem = await checkTarget(request.url, service.targets)
  if (problem) {
    throw new SubscriptionError('invalid_url', 'url', `url ${problem}`)
  }
  const { id, secret } = service.database.transaction(() => createSubscription(service, request))()
  return { id, secret }
}

async function idle({ courier, progress, clock }: Service): Promise<void> {
  await courier.idle()
  while (progress.nextDueAt() <= clock.now()) {
    // A due step runs in a later turn of the event loop.
    await new Promise((resolve) => setTimeout(resolve, 1))
    await courier.idle()
  }
}

function forwardingOf({ database, options }: Service): Sandbox['forwarding'] {
  const all = listSubscriptions(database, { limit: maxSubscriptions }).reverse()
  return options.forwardTo.flatMap((target) => {
    const found = all.find((subscription) => subscription.url === normalized(target))
    if (!found) {
      return []
    }
    const { url, id, seq, secret } = found
    return [{ url, id, secret, isSecretMade: secret === secretOf(options, seq) }]
  })
}

function secondsOf({ days = 0, hours = 0, minutes = 0, seconds = 0 }: Duration): number {
  return ((days * 24 + hours) * 60 + minutes) * 60 + seconds
}
