import { expect, it } from 'vitest'
import { diagnose } from '../src/index.js'
import { good, now, secret, sign } from './delivery.js'

// In a file of its own, because the mutation tester makes it much slower and leaves it out.
it('a body of 100 MB gets its verdict and its cause', async () => {
  const large = Buffer.alloc(100_000_000, 'a')
  const header = sign(large, secret.secret, now)
  expect(await diagnose({ ...good, body: large, header })).toMatchObject({ isAccepted: true })
  const longer = Buffer.concat([large, Buffer.from('\n')])
  const { causes } = await diagnose({ ...good, body: longer, header })
  expect(causes.map(({ code }) => code)).toEqual(['body_line_break_added'])
})
