import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { runSandbox } from 'webhook-inbox-sandbox/program'
import { sandbox as group } from '../src/sandbox.js'

it('sandbox start takes every flag of the sandbox, and --secret-file as every command', async () => {
  const written: string[] = []
  const stdout = new PassThrough().on('data', (text) => written.push(String(text)))
  await runSandbox(['--help'], { stdout, stderr: stdout, ended: async () => {} })
  const theirs = [...written.join('').matchAll(/^ +--([a-z-]+)/gm)].map(([, name]) => name)
  const ours = Object.keys((await group.commands.start?.load())?.options ?? {})
  expect([...ours, 'json', 'help'].sort()).toEqual([...theirs, 'secret-file'].sort())
})
