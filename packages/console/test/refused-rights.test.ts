import { expect, it } from 'vitest'
import { all } from './every-right.js'
import { act, limitedConsole, listen, openFilledInbox } from './rig.js'

const never = () => new Promise<never>(() => {})
const fail = (): never => {
  throw new Error('no session')
}

it.each<[what: string, options: object, status: number, detail: string]>([
  ['without a right', { authorize: () => false }, 403, 'This needs the right events:replay.'],
  ['of a console to read', { readOnly: true }, 403, 'This console was mounted with readOnly: true.'],
  [
    'of nobody',
    { actor: () => ' ' },
    403,
    'The program does not say who you are, so nothing can be changed.',
  ],
  [
    'whose right fails',
    { authorize: fail },
    503,
    'The program could not check your rights. Its log says why.',
  ],
  ['whose right hangs', { authorize: never }, 503, 'The function authorize of this program did not respond.'],
  ['whose actor fails', { actor: fail }, 503, 'The program could not check your rights. Its log says why.'],
  ['whose actor hangs', { actor: never }, 503, 'The function actor of this program did not respond.'],
])('an act %s is rejected, and says why', async (_, options, status, detail) => {
  const { receiver } = await openFilledInbox()
  const logged: string[] = []
  const logger = { ...all.logger, error: (line: string) => logged.push(line) }
  const given = { ...all, ...options, logger }
  const url = await listen(limitedConsole(receiver, given, { askSeconds: 0.1 }))
  const response = await fetch(`${url}/api/events/evt_dead/replay`, act('a test'))
  const next = status === 503 ? ' Nothing was changed. You can try again.' : ' Nothing was changed.'
  expect([response.status, await response.json()]).toMatchObject([status, { detail: `${detail}${next}` }])
  const purpose = 'actor' in options ? 'actor failed for a change' : 'authorize failed for events:replay'
  const lines = status === 503 ? [expect.stringContaining(`webhook-inbox-console: ${purpose}`)] : []
  expect(logged).toEqual(lines)
  expect(await receiver.audits()).toEqual([])
})
