import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { onTestFinished } from 'vitest'
import { createReceiver, type Handlers, type KnownEvents, memoryStore } from 'webhook-inbox'
import { nodeHandler } from 'webhook-inbox/node'
import { openPage } from 'webhook-inbox-ui/browser'
import type { SandboxOptions } from '../../src/index.js'
import { startTestSandbox, type TestSandbox } from '../rig.js'

export const secret = 'whsec_of_the_inspected_receiver'

export interface Scene extends TestSandbox {
  /** The address of the receiver. */
  readonly receiverUrl: string
}

/** A sandbox by the real clock, and a receiver of webhook-inbox that is subscribed to every event. */
export async function startScene({
  handlers = {},
  receiverSecret = secret,
  ...options
}: SandboxOptions & { handlers?: Handlers<KnownEvents>; receiverSecret?: string } = {}): Promise<Scene> {
  const receiverUrl = await startOwnReceiver(handlers, receiverSecret)
  const sandbox = await startTestSandbox({
    clock: 'real',
    secret,
    retry: [0.2, 0.4],
    settleAfterSeconds: 0.02,
    forwardTo: [receiverUrl],
    ...options,
  })
  return { ...sandbox, receiverUrl }
}

/** Opens the inspector of a sandbox in a window of its own. */
export const openInspector = (
  url: string,
  { hash = '', ...options }: BrowserContextOptions & { hash?: string } = {},
): Promise<Page> => openPage(url, `/_inspector/${hash}`, options)

const nothing = () => {}

async function startOwnReceiver(handlers: Handlers<KnownEvents>, receiverSecret: string): Promise<string> {
  const receiver = createReceiver({
    secret: receiverSecret,
    store: memoryStore(),
    handlers: {
      'transfer.settled': nothing,
      'ledger.matched': nothing,
      'approval.updated': nothing,
      ...handlers,
    },
    logger: { info: nothing, warn: nothing, error: nothing },
  })
  await receiver.start()
  const server = createServer(nodeHandler(receiver))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.close()
    server.closeAllConnections()
    await receiver.stop()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`
}
