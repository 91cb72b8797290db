/** The service under test: it credits an account when a transfer settles. */
import express from 'express'
import { createReceiver, memoryStore } from 'webhook-inbox'
import { expressHandler } from 'webhook-inbox/express'

export interface Ledger {
  credit(transferId: string): void
}

/** `secret` is called for each delivery, because a test knows it only after it has subscribed. */
export function paymentsApp(ledger: Ledger, secret: () => string) {
  const receiver = createReceiver({
    secret: () => secret(),
    store: memoryStore(),
    logger: false,
    handlers: { 'transfer.settled': ({ data }) => ledger.credit(data.transferId) },
  })
  return express().post('/webhooks', expressHandler(receiver))
}
