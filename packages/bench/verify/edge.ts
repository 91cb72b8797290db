import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { secret } from '../harness/bodies.js'
import type { Verifier } from './contenders.js'

const program = `
  export { verifySignature } from 'webhook-inbox'
  export { verify as octokit } from '@octokit/webhooks-methods'
  export { default as Stripe } from 'stripe'
`

interface Edge {
  readonly verifySignature: typeof import('webhook-inbox').verifySignature
  readonly octokit: typeof import('@octokit/webhooks-methods').verify
  readonly Stripe: typeof import('stripe').default
}

/** Loads the packages as a bundler for the edge does: without the `node` condition, so with WebCrypto. */
async function loadEdge(): Promise<Edge> {
  const here = fileURLToPath(new URL('.', import.meta.url))
  const cache = fileURLToPath(new URL('../../../node_modules/.cache/', import.meta.url))
  mkdirSync(cache, { recursive: true })
  const directory = mkdtempSync(join(cache, 'webhook-inbox-'))
  const outfile = join(directory, 'edge.mjs')
  try {
    await build({
      stdin: { contents: program, resolveDir: here },
      outfile,
      bundle: true,
      platform: 'browser',
      conditions: ['worker'],
      format: 'esm',
      logLevel: 'error',
    })
    return await import(pathToFileURL(outfile).href)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** Verifiers on WebCrypto. The first is the floor: a key imported once and one call of `subtle.verify`. */
export async function edgeVerifiers(): Promise<Verifier[]> {
  const { verifySignature, octokit, Stripe } = await loadEdge()
  const { webhooks } = Stripe
  const { signature } = webhooks
  if (!signature) {
    throw new Error('stripe has no signature.verifyHeaderAsync any more')
  }
  const hmac = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', Buffer.from(secret), hmac, false, ['verify'])
  return [
    {
      name: 'floor: subtle.verify',
      verify: ({ body, timestamp, digest }) =>
        crypto.subtle.verify(
          'HMAC',
          key,
          Buffer.from(digest, 'hex'),
          Buffer.concat([Buffer.from(`${timestamp}.`), body]),
        ),
    },
    { name: 'webhook-inbox', verify: ({ body, header }) => verifySignature({ body, header, secret }) },
    {
      name: '@octokit/webhooks-methods, body given as a string',
      verify: ({ text, hubSignature }) => octokit(secret, text, hubSignature),
    },
    {
      name: 'stripe, signature.verifyHeaderAsync',
      verify: ({ body, header }) => signature.verifyHeaderAsync(body, header, secret, 300),
    },
    {
      name: 'stripe, constructEventAsync: JSON.parse too',
      verify: ({ body, header }) => webhooks.constructEventAsync(body, header, secret),
    },
  ]
}
