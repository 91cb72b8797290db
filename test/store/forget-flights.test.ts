import { expect, it } from 'vitest'
import { SingleFlight } from '../../src/store/single-flight.js'

const event = (key: string) => ({ key, contentHash: '' })

it('lets go of runs that never settle, once nobody may join them', async () => {
  const flights = new SingleFlight<object>()
  const never = () => new Promise<object>(() => {})
  void flights.start(event('a'), never, 0.001)
  void flights.start(event('b'), never, 10)
  expect(flights.size).toBe(2)
  await new Promise((resolve) => setTimeout(resolve, 20))
  void flights.start(event('c'), never, 10)
  expect(flights.size).toBe(2)
  expect(flights.get('a')).toBeUndefined()
  expect(flights.get('b')).toBeDefined()
})
