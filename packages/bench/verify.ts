/**
 * Compares signature verification with other libraries, from body and header to an awaited result.
 *
 *     npm run bench -- verify [bytes...]
 *     deno run -A --unstable-sloppy-imports packages/bench/verify.ts [bytes...]
 */
import { type Contender, compare, type Measured } from './harness/compare.js'
import { duration, table, timingsWithCpu, title } from './harness/table.js'
import { type Verifier, verifiers } from './verify/contenders.js'
import { type Delivery, deliveriesOf, tampered } from './verify/deliveries.js'
import { edgeVerifiers } from './verify/edge.js'

const given = process.argv.slice(2).map(Number)
const sizes = given.length > 0 ? given : [200, 1000, 10_000, 100_000, 1_000_000]

/** Checks each verifier before it is measured: it must accept the body and reject a changed byte. */
async function prove({ name, verify }: Verifier, delivery: Delivery): Promise<void> {
  if ((await verify(delivery)) === false) {
    throw new Error(`${name} rejects an authentic delivery`)
  }
  const forged = async () => verify(tampered(delivery))
  const verdict = await forged().catch(() => false)
  if (verdict !== false) {
    throw new Error(`${name} accepts a tampered delivery`)
  }
}

/** Verifies one delivery after another. Awaits only verifiers that return a promise. */
function contender({ name, verify }: Verifier, deliveries: readonly Delivery[]): Contender {
  const at = (i: number) => deliveries[i % deliveries.length] as Delivery
  const first = verify(at(0))
  if (first instanceof Promise) {
    return {
      name,
      async run(times) {
        for (let i = 0; i < times; i++) {
          await verify(at(i))
        }
      },
    }
  }
  return {
    name,
    run(times) {
      for (let i = 0; i < times; i++) {
        verify(at(i))
      }
    },
  }
}

const sizeName = (bytes: number) => (bytes < 1000 ? `${bytes} B` : `${bytes / 1000} kB`)

async function measure(subject: string, all: readonly Verifier[]): Promise<void> {
  const results: Measured[][] = []
  for (const bytes of sizes) {
    const deliveries = deliveriesOf(bytes)
    for (const each of all) {
      await prove(each, deliveries[0] as Delivery)
    }
    // Many short turns: an interruption on a busy machine then affects only a few.
    const turns = { rounds: 151, turnMilliseconds: 4 }
    const measured = await compare(
      all.map((each) => contender(each, deliveries)),
      turns,
    )
    timingsWithCpu(`${subject}, ${sizeName(bytes)}`, measured)
    results.push(measured)
  }
  console.log(`Summary: median of processor time, and its ratio to the floor of the same run.\n`)
  table(
    [subject, ...sizes.map(sizeName)],
    all.map(({ name }, row) => [
      name,
      ...results.map((measured) => {
        const { nanoseconds, ratio } = (measured[row] as Measured).cpu
        return `${duration(nanoseconds)}, ${ratio.toFixed(2)}`
      }),
    ]),
  )
}

title('Verification alone')
if ('Deno' in globalThis) {
  // The package of stripe for Deno has only WebCrypto, and Deno bundles nothing for the edge.
  await measure(
    'node:crypto on Deno',
    verifiers.filter(({ name }) => !name.startsWith('stripe')),
  )
} else {
  await measure('node:crypto', verifiers)
  await measure('WebCrypto', await edgeVerifiers())
}
