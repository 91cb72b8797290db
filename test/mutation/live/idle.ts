import { test } from 'vitest'

test('the worker waits for mutants after this file', () => {})
