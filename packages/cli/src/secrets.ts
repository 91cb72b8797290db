import type { SignatureScheme } from 'webhook-inbox'
import type { Call, Options } from './command.js'
import { UsageError } from './exit.js'
import { readTextFile } from './read-file.js'

/** A secret and where it came from; the name may be printed, the secret may not. */
export interface NamedSecret {
  readonly name: string
  readonly secret: string
}

/** The options of every command that needs a secret. */
export const secretOptions = {
  secret: {
    type: 'string',
    value: 'SECRET',
    help: 'The endpoint’s secret. Others can see it in ps and in the history of the shell: prefer WEBHOOK_SECRET',
  },
  'secret-file': {
    type: 'string',
    value: 'FILE',
    help: 'A file that contains only the secret. Without either option: the variable WEBHOOK_SECRET',
  },
} as const satisfies Options

/**
 * The secret of the endpoint, exactly as it was given: a line break at its end is a fault that `verify` explains.
 * Throws `UsageError` if there is none.
 */
export async function readSecret(
  call: Pick<Call<typeof secretOptions>, 'values' | 'print' | 'world'>,
): Promise<NamedSecret> {
  const { secret: typed, 'secret-file': file } = call.values
  if (typed !== undefined && file !== undefined) {
    throw new UsageError('--secret and --secret-file are both given; choose one')
  }
  const found = await locate(call, typed, file)
  if (found.secret.trim() === '') {
    throw new UsageError(`the secret in ${found.name} is empty`)
  }
  call.print.hide(found.secret)
  return found
}

async function locate(
  { print, world }: Pick<Call<typeof secretOptions>, 'print' | 'world'>,
  typed: string | undefined,
  file: string | undefined,
): Promise<NamedSecret> {
  if (typed !== undefined) {
    print.warn(
      '--secret is visible in ps and in the history of the shell; prefer WEBHOOK_SECRET or --secret-file',
    )
    return { name: '--secret', secret: typed }
  }
  if (file !== undefined) {
    return { name: file, secret: await readSecretFile(file) }
  }
  const { WEBHOOK_SECRET: secret } = world.env
  if (secret === undefined) {
    throw new UsageError('no secret: set WEBHOOK_SECRET, or name a file with --secret-file')
  }
  return { name: 'WEBHOOK_SECRET', secret }
}

/** Warns of a secret that a receiver rejects, so that its signature is of no use to one. */
export async function warnOfSecret(
  { name, secret }: NamedSecret,
  scheme: SignatureScheme | undefined,
  print: Call['print'],
): Promise<void> {
  const { createReceiver, memoryStore } = await import('webhook-inbox')
  try {
    createReceiver({
      secret,
      ...(scheme && { scheme }),
      store: memoryStore(),
      fallback: () => {},
      logger: false,
    })
  } catch (error) {
    print.warn(`a receiver does not accept the secret in ${name}: ${(error as Error).message}`)
  }
}

/** An editor ends a file with a line break, which is no part of the secret. Any other white space is kept. */
export async function readSecretFile(path: string): Promise<string> {
  return (await readTextFile(path)).replace(/\r?\n$/, '')
}

/** Secrets of other endpoints: of the files named, and of every variable `WEBHOOK_SECRET_...`. */
export async function otherSecrets(
  paths: readonly string[],
  { print, world }: Pick<Call, 'print' | 'world'>,
): Promise<NamedSecret[]> {
  const fromFiles = await Promise.all(
    paths.map(async (name) => ({ name, secret: await readSecretFile(name) })),
  )
  const fromVariables = Object.entries(world.env)
    .filter(([name, value]) => name.startsWith('WEBHOOK_SECRET_') && value?.trim())
    .map(([name, value]) => ({ name, secret: value as string }))
  const all = [...fromFiles, ...fromVariables]
  for (const { secret } of all) {
    print.hide(secret)
  }
  return all
}
