import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { killWithUs } from './kill-with-us.js'
import { freePort } from './redis.js'

export interface Sentinels {
  readonly ports: readonly number[]
  close(): Promise<void>
}

/** Starts three Sentinels that watch a master under the name `inbox`. Two of them decide on a failover. */
export async function startSentinels(master: number): Promise<Sentinels> {
  const directory = await mkdtemp(join(tmpdir(), 'webhook-inbox-sentinel-'))
  const running: ChildProcess[] = []
  const ports: number[] = []
  for (let i = 0; i < 3; i++) {
    const port = await freePort()
    const file = join(directory, `${port}.conf`)
    const lines = [
      `port ${port}`,
      'bind 127.0.0.1',
      `dir ${directory}`,
      `sentinel monitor inbox 127.0.0.1 ${master} 2`,
      'sentinel down-after-milliseconds inbox 1000',
      'sentinel failover-timeout inbox 5000',
    ]
    await writeFile(file, `${lines.join('\n')}\n`)
    const sentinel = spawn(process.env.REDIS_SERVER ?? 'redis-server', [file, '--sentinel'], {
      stdio: 'ignore',
    })
    killWithUs(sentinel)
    running.push(sentinel)
    ports.push(port)
  }
  return {
    ports,
    async close() {
      for (const each of running) {
        each.kill('SIGKILL')
      }
      await rm(directory, { recursive: true, force: true })
    },
  }
}
