import assert from 'node:assert/strict'
import { type Laws, pause } from '../laws.js'
import type { Bench } from './bench.js'
import type { QueueSettings, Victim } from './trial.js'

/** What is left behind by a process that is killed. */
export const crashLaws = <Tx>(
  startVictim: (settings: QueueSettings) => Promise<Victim>,
  recoverySeconds: number,
): Laws<Bench<Tx>> => ({
  async 'the job of a consumer that was killed is run by another'({ make }) {
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

  async 'what a consumer that was killed held up goes on, in order'({ make }) {
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

  async 'a job whose consumer was killed three times is not dead for that'({ make }) {
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
