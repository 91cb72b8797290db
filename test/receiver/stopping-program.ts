/** A program for stop-on-signals.test.ts: it stops on signals, and each step writes a line. */
import { createReceiver } from '../../src/receiver.js'
import { memoryStore } from '../../src/stores/memory.js'

const say = (line: string) => process.stdout.write(`${line}\n`)
const [mode = ''] = process.argv.slice(2)
const keepsAlive = setInterval(() => {}, 60_000)
const receiver = createReceiver({
  secret: 'whsec_test_secret',
  store: memoryStore(),
  logger: { info: say, warn: say, error: say },
  fallback: () => {},
})
receiver.stopping.addEventListener('abort', () => mode === 'bounded' && say('stopping'))
const remove = receiver.stopOnSignals({
  ...(mode === 'bounded' && { beforeSeconds: 0.1 }),
  async before() {
    say('before')
    if (mode === 'hang' || mode === 'bounded') {
      await new Promise(() => {})
    }
    if (mode === 'fail') {
      throw new Error('the server did not close')
    }
  },
  after() {
    say('after')
    clearInterval(keepsAlive)
  },
})
if (mode === 'remove') {
  remove()
}
say('up')
