import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import fastify from 'fastify'
import { afterEach, describe, expect, it } from 'vitest'
import { createReceiver, memoryStore } from 'webhook-inbox'
import { expressHandler } from 'webhook-inbox/express'
import { fastifyPlugin } from 'webhook-inbox/fastify'
import { nodeHandler } from 'webhook-inbox/node'
import type { CaseResult } from '../../src/check/case.js'
import { type CheckOptions, runChecks } from '../../src/check/run-checks.js'
import { ReceiverByHand, Refused, secret, serve } from './receiver-by-hand.js'

const oldSecret = 'whsec_test_old_secret'
const closers: (() => Promise<unknown>)[] = []
afterEach(() => Promise.all(closers.splice(0).map((close) => close())))

function receiver() {
  return createReceiver({
    secret: [secret, oldSecret],
    store: memoryStore(),
    environments: ['production'],
    handlers: { 'transfer.settled': () => {} },
    logger: false,
  })
}

async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(async () => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`
}

const mounts: Readonly<Record<string, () => Promise<string>>> = {
  'webhook-inbox on node:http': () => listen(nodeHandler(receiver())),
  'webhook-inbox on Express': () => listen(express().all('/webhooks', expressHandler(receiver()))),
  async 'webhook-inbox on Fastify'() {
    const app = fastify()
    await app.register(fastifyPlugin, { path: '/webhooks', receiver: receiver() })
    closers.push(() => app.close())
    return `${await app.listen({ host: '127.0.0.1', port: 0 })}/webhooks`
  },
}

const notPassed = (results: readonly CaseResult[]) =>
  results
    .filter(({ verdict }) => verdict !== 'pass')
    .map(({ id, verdict, received, why }) => `${verdict} ${id}: ${received}; ${why}`)

/** A machine that stalls delays responses, and `answer-time` warns after a third of this. */
const timeoutSeconds = 90

const check = async (url: string, options: Partial<CheckOptions> = {}) => {
  const results: CaseResult[] = []
  for await (const result of runChecks(url, {
    secret,
    oldSecret,
    isProduction: true,
    timeoutSeconds,
    ...options,
  })) {
    results.push(result)
  }
  return results
}

const withoutProbe = { skip: ['effects', 'during-work', 'late-replay'] }

describe('check passes', () => {
  for (const [name, mount] of Object.entries(mounts)) {
    it(name, async () => {
      expect(notPassed(await check(await mount(), withoutProbe))).toEqual([])
    })
  }

  it('a receiver by hand, its effects included', async () => {
    class Careful extends ReceiverByHand {
      override secrets = [secret, oldSecret]
      override parse(body: Buffer) {
        const event = super.parse(body)
        if (event.environment === 'sandbox') {
          throw new Refused(400, 'sandbox')
        }
        return event
      }
    }
    const { url, probe, close } = await serve(new Careful())
    closers.push(close)
    const skip = ['during-work', 'late-replay']
    expect(notPassed(await check(url, { probe, settleSeconds: 0.5, skip }))).toEqual([])
  })

  it('a receiver whose scheme signs the id', async () => {
    const scheme = {
      content: 'id.timestamp.body',
      encoding: 'base64',
      key: 'base64',
      keyPrefix: 'whsec_',
    } as const
    const key = `whsec_${Buffer.from('a secret for the test').toString('base64')}`
    const signingIds = createReceiver({
      secret: key,
      scheme,
      store: memoryStore(),
      fallback: () => {},
      logger: false,
    })
    const skip = [...withoutProbe.skip, 'rotated-secret', 'sandbox-event', 'slow-upload']
    const url = await listen(nodeHandler(signingIds))
    expect(notPassed(await check(url, { secret: key, oldSecret: undefined, scheme, skip }))).toEqual([])
  })

  it('a handler that takes its time', async () => {
    const slow = createReceiver({
      secret,
      store: memoryStore(),
      fallback: () => new Promise((resolve) => setTimeout(resolve, 700)),
      logger: false,
    })
    const only = ['during-work']
    const results = await check(await listen(nodeHandler(slow)), { only, slow: true })
    expect(results).toMatchObject([{ id: 'during-work', verdict: 'pass' }])
  })

  it('a recorded delivery that is rejected after the tolerance', async () => {
    const strict = createReceiver({
      secret,
      store: memoryStore(),
      fallback: () => {},
      toleranceSeconds: 1,
      logger: false,
    })
    const url = await listen(nodeHandler(strict))
    const results = await check(url, { only: ['late-replay'], slow: true, toleranceSeconds: 1 })
    expect(results).toMatchObject([{ id: 'late-replay', verdict: 'pass' }])
  })
})
