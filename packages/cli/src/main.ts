#!/usr/bin/env node
import process from 'node:process'
import { commands } from './commands.js'
import { interruption } from './interruption.js'
import { run } from './run.js'

// Overwrites the command line that `ps` shows, because it may contain a secret.
process.title = 'webhook-inbox'

// Ends quietly if the reader of the pipe ends first, as in `webhook-inbox ... | head`.
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

// Output to a pipe may not be written yet. A program that `inbox` has loaded may keep connections open.
await Promise.all(
  [process.stdout, process.stderr].map((stream) => new Promise((done) => stream.write('', done))),
)
process.exit(code)
