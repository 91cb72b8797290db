import { execFileSync } from 'node:child_process'
import Stripe from 'stripe'
import { describe, expect, it } from 'vitest'
import { VerificationError, verifySignature } from 'webhook-inbox'
import { deliveryRig, type Received, receiver, settled } from './rig.js'

async function delivered(options = {}): Promise<Received & { secret: string }> {
  const rig = deliveryRig(options)
  const { url, received } = await receiver()
  const { secret } = rig.subscribe({ url, events: ['*'] })
  rig.record(settled())
  await rig.courier.idle()
  return { ...(received[0] as Received), secret }
}

const headerOf = ({ headers }: Received) => String(headers['service-signature'])

describe('a delivery', () => {
  it('is verified by webhook-inbox', async () => {
    const { body, secret, ...received } = await delivered()
    const verified = await verifySignature({ body, secret, header: headerOf({ body, ...received }) })
    expect(Math.abs(verified.timestamp - Date.now() / 1000)).toBeLessThan(60)
  })

  it('is verified by stripe with the header as it is', async () => {
    const { secret, ...received } = await delivered()
    const event = new Stripe('sk_test_unused').webhooks.constructEvent(
      received.body,
      headerOf(received),
      secret,
    )
    expect(event.id).toBe(received.headers['service-event-id'])
  })

  it('is verified by openssl in a shell', async () => {
    const { secret, ...received } = await delivered()
    const [, t, signature] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(headerOf(received)) ?? []
    const script = '{ printf "%s." "$T"; cat; } | openssl dgst -sha256 -hmac "$SECRET" -r | cut -d" " -f1'
    const env = { ...process.env, T: t, SECRET: secret }
    const digest = execFileSync('sh', ['-c', script], { env, input: received.body, encoding: 'utf8' })
    expect(digest.trim()).toBe(signature)
  })

  it('verifies with the secret of its own subscription only', async () => {
    const rig = deliveryRig()
    const [one, other] = await Promise.all([receiver(), receiver()])
    const secrets = [one, other].map(({ url }) => rig.subscribe({ url, events: ['*'] }).secret)
    expect(secrets[0]).not.toBe(secrets[1])
    rig.record(settled())
    await rig.courier.idle()
    const { body, ...rest } = one.received[0] as Received
    const header = headerOf({ body, ...rest })
    await verifySignature({ body, header, secret: secrets[0] as string })
    const mistaken = verifySignature({ body, header, secret: secrets[1] as string })
    await expect(mistaken).rejects.toThrow(VerificationError)
  })

  it('is signed by the scheme of the options', async () => {
    const scheme = { content: 'id.timestamp.body', encoding: 'base64' } as const
    const { secret, body, ...received } = await delivered({ scheme })
    const header = headerOf({ body, ...received })
    const id = String(received.headers['service-event-id'])
    await verifySignature({ body, secret, header, scheme, id })
    await expect(verifySignature({ body, secret, header })).rejects.toThrow(VerificationError)
  })
})
