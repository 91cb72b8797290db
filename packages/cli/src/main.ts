#!/usr/bin/env node
import process from 'node:process'
import { commands } from './commands.js'
import { interruption } from './interruption.js'
import { run } from './run.js'

// Overwrites the command line that `ps` shows, where a secret may stand.
process.title = 'webhook-inbox'

// As any filter does when its reader ends first: `webhook-inbox ... | head`.
const brokenPipe = 128 + 13
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') {
      process.exit(brokenPipe)
    }
    throw error
  })
}

const code = await run(
  process.argv.slice(2),
  {
    env: process.env,
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    now: () => Math.floor(Date.now() / 1000),
    interrupted: interruption(),
  },
  commands,
)

// What was printed to a pipe may not have left yet. A program that `inbox` has loaded may hold connections open.
await Promise.all(
  [process.stdout, process.stderr].map((stream) => new Promise((done) => stream.write('', done))),
)
process.exit(code)
