import assert from 'node:assert/strict'
import { type Laws, pause } from '../laws.js'
import type { Bench } from './bench.js'
import type { QueueSettings, Victim } from './trial.js'

/** Laws of jobs whose process was killed. */
export const crashLaws = <Tx>(
  startVictim: (settings: QueueSettings) => Promise<Victim>,
  recoverySeconds: number,
): Laws<Bench<Tx>> => ({
  async 'another consumer runs the job of a killed one'({ make }) {
    const bench = await make()
    const ids: string[] = []
    const program = await bench.program(({ id }) => ids.push(id))
    await program.receiver.start({ consume: false })
    const id = await program.accept()
    const victim = await startVictim(bench.settings)
    await victim.kill()
    await program.receiver.start()
    await program.until(id, 'done', recoverySeconds)
    assert.deepEqual(ids, [id])
  },

  async 'events behind the event of a killed consumer run afterwards, in order'({ make }) {
    const bench = await make()
    const ids: string[] = []
    const program = await bench.program(({ id }) => ids.push(id))
    await program.receiver.start({ consume: false })
    const first = await program.accept('one')
    const victim = await startVictim(bench.settings)
    const later = [await program.accept('one'), await program.accept('one'), await program.accept('one')]
    await program.receiver.start()
    await pause(1)
    assert.deepEqual(ids, [], 'one was run beside the one that the victim holds')
    await victim.kill()
    for (const id of later) {
      await program.until(id, 'done', recoverySeconds)
    }
    assert.deepEqual(ids, [first, ...later])
  },

  async 'a job whose consumer was killed three times is still retried'({ make }) {
    const bench = await make()
    const settings = { ...bench.settings, retry: { ...bench.settings.retry, attempts: 2 } }
    const program = await bench.program(() => {}, settings)
    await program.receiver.start({ consume: false })
    const id = await program.accept()
    for (let i = 0; i < 3; i++) {
      const victim = await startVictim(settings)
      await victim.kill()
      assert.notEqual((await program.receiver.inspect(id))?.state, 'dead')
    }
    await program.receiver.start()
    await program.until(id, 'done', recoverySeconds)
  },
})
