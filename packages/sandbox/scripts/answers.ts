import { openService } from '../src/open-service.js'
import { resolveOptions } from '../src/options/resolve.js'
import { serviceApp } from '../src/service-app.js'
import { type Call, calls } from './calls.js'

export interface Answer {
  readonly call: Call
  readonly status: number
  /** Absent in a response without one. */
  readonly body: unknown
}

/** A sandbox whose every response is the same at each run. */
export function openFixedService() {
  const service = openService(resolveOptions({ clock: 'virtual', seed: 1 }), {
    onAttempt() {},
    onFailure(error) {
      throw error
    },
  })
  const app = serviceApp(service, { addressOf: () => ({ host: '127.0.0.1', port: 4010 }) })
  const close = async () => {
    service.progress.close()
    await service.courier.close()
    service.database.close()
  }
  return { service, app, close }
}

/** Makes every call and keeps the responses. Throws where a status is not the one that the call names. */
export async function answersOf({ service, app }: ReturnType<typeof openFixedService>): Promise<Answer[]> {
  const saved = new Map<string, string>()
  const answers: Answer[] = []
  for (const call of calls) {
    if (call.afterSeconds) {
      await service.clock.advance(call.afterSeconds)
    }
    const path = call.path.replace(/\$([A-Z0-9_]+)/g, (_, name: string) => saved.get(name) ?? name)
    const response = await app.fetch(
      new Request(`http://127.0.0.1:4010${path}`, {
        method: call.method,
        headers: {
          Authorization: `Bearer ${service.options.apiKey}`,
          ...(call.body !== undefined && { 'Content-Type': 'application/json' }),
          ...(call.idempotencyKey && { 'Idempotency-Key': call.idempotencyKey }),
        },
        ...(call.body !== undefined && { body: JSON.stringify(call.body) }),
      }),
      {},
    )
    const text = await response.text()
    const body = text === '' ? undefined : JSON.parse(text)
    if (response.status !== call.status) {
      throw new Error(`${call.title}: ${response.status} ${text}`)
    }
    if (call.saves) {
      saved.set(call.saves, body.id ?? body.data[0].id)
    }
    answers.push({ call, status: response.status, body })
  }
  return answers
}
