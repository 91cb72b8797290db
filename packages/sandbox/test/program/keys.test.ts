import { expect, test } from 'vitest'
import { shapeA, startReceiver } from '../rig.js'
import { startProgram } from './program.js'

const key = 'sk_of_the_user_0123456789'

/** Starts the program with a key of the user, makes it log all that it can, and returns everything it wrote. */
async function logged(flags: readonly string[]): Promise<string> {
  const receiver = await startReceiver(({ event }) => (event.type === 'ledger.matched' ? 500 : 200))
  const always = ['--port', '0', '--api-key', key, '--settle-after', '10ms', '--forward-to', receiver.url]
  const program = startProgram([...always, ...flags])
  const started = await Promise.any([program.line(/"type":"started"/), program.line(/^sandbox {5}http/)])
  const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(started) ?? []
  const send = (authorization: string, body: unknown) =>
    fetch(`${url}/v1/transfers`, {
      method: 'POST',
      headers: { Authorization: authorization, 'Content-Type': 'application/json', 'Idempotency-Key': 'k' },
      body: JSON.stringify(body),
    })
  expect((await send(`Bearer ${key}`, shapeA())).status).toBe(201)
  expect((await send(`Bearer ${key}`, {})).status).toBe(422)
  expect((await send(key, shapeA())).status).toBe(401)
  expect((await send(`Bearer ${key}x`, shapeA())).status).toBe(401)
  await program.line(/ledger\.matched/)
  await Promise.any([program.line(/next attempt in/), program.line(/"nextTryAt":"2/)])
  program.child.kill('SIGTERM')
  expect(await program.exited).toBe(0)
  return [...program.stdout, ...program.stderr].join('\n')
}

test.each([[[]], [['--json']]])('no line of the program with %j holds a key of the user', async (flags) => {
  const text = await logged(flags)
  expect(text).toContain('/v1/transfers')
  expect(text).not.toContain(key)
})

test('the banner shows the default key', async () => {
  const program = startProgram(['--port', '0'])
  expect(await program.line(/^sandbox {5}http/)).toContain('Authorization: Bearer sk_sandbox_local')
})

test.each([
  ['0.0.0.0', true],
  ['127.0.0.1', false],
  ['localhost', false],
])('the banner of --host %s warns of the network: %s', async (host, isWarned) => {
  const program = startProgram(['--port', '0', '--host', host])
  await program.line(/^delivering/)
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(program.stdout.some((line) => line.startsWith('warning'))).toBe(isWarned)
})

test('without --port the program takes port 4010', async () => {
  const program = startProgram([])
  const said = await Promise.any([
    program.line(/^sandbox {5}http/),
    program.exited.then(() => program.stderr[0]),
  ])
  expect(said).toMatch(/^sandbox {5}http:\/\/127\.0\.0\.1:4010\/v1|^sandbox: Port 4010 is in use/)
})
