/** Proves the store: `node --import tsx --test examples/custom-store/laws.test.ts`. */
import { test } from 'node:test'
import { leaseSuite, storeSuite } from 'webhook-inbox/testing'
import { mapLeases, mapStore } from './map-store.js'

// Every instance that a law requests uses the same backend.
const rows = new Map()
leaseSuite(test, () => mapLeases(rows))
storeSuite(test, () => mapStore(rows))
