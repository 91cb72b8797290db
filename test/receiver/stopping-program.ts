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
const remove = receiver.stopOnSignals({
  async before() {
    say('before')
    if (mode === 'hang') {
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
