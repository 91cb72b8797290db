import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { calls } from '../../scripts/calls.js'
import { startTestSandbox } from '../rig.js'

const document = JSON.parse(readFileSync(new URL('../../../../openapi.json', import.meta.url), 'utf8'))

const operations = new Map<string, string>(
  Object.values<Record<string, { operationId: string; 'x-assumed': string }>>(document.paths).flatMap(
    (methods) => Object.values(methods).map((one) => [one.operationId, one['x-assumed']] as const),
  ),
)

test('every operation names the gaps that its response rests on, as the document marks them', async () => {
  const sandbox = await startTestSandbox()
  const saved = new Map<string, string>()
  const seen = new Set<string>()
  for (const { operationId, method, path, body, saves, afterSeconds } of calls) {
    await sandbox.advance({ seconds: afterSeconds ?? 0 })
    const target = path.replace(/\$([A-Z0-9_]+)/g, (_, name: string) => saved.get(name) as string)
    const answer = await sandbox.request(method, target, body)
    if (saves) {
      saved.set(saves, answer.body.id ?? answer.body.data[0].id)
    }
    if (operationId) {
      const gaps = answer.headers.get('sandbox-assumption')
      expect([operationId, gaps]).toEqual([operationId, operations.get(operationId)])
      seen.add(operationId)
    }
  }
  expect([...operations.keys()].filter((id) => !seen.has(id))).toEqual([])
})
