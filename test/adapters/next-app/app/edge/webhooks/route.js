import { createReceiver, memoryStore } from 'webhook-inbox'
import { nextHandler } from 'webhook-inbox/next'

export const runtime = 'edge'

export const POST = nextHandler(
  createReceiver({ secret: 'whsec_test_secret', store: memoryStore(), fallback() {}, logger: false }),
)
