import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { watchVariables } from '../../src/inbox/watch-variables.js'

const folder = mkdtempSync(join(import.meta.dirname, 'watched-'))
process.env.IS_SET = 'yes'
afterAll(() => {
  rmSync(folder, { recursive: true })
  delete process.env.IS_SET
})

describe('the variables of a program', () => {
  it('are watched until the end', () => {
    const { env } = process
    const watched = watchVariables()
    expect(process.env).not.toBe(env)
    expect(process.env.IS_SET).toBe(env.IS_SET)
    expect([process.env.NOT_SET_1, process.env.NOT_SET_2, process.env.NOT_SET_1]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
    expect(watched.unset()).toEqual(['NOT_SET_1', 'NOT_SET_2'])
    expect(Reflect.get(process.env, Symbol.toStringTag)).toBe(Reflect.get(env, Symbol.toStringTag))
    watched.end()
    expect(process.env).toBe(env)
    void process.env.NOT_SET_3
    expect(watched.unset()).toEqual(['NOT_SET_1', 'NOT_SET_2'])
  })

  it('of libraries and of Node are not watched', async () => {
    const installed = join(folder, 'node_modules', 'library')
    mkdirSync(installed, { recursive: true })
    const path = join(installed, 'index.mjs')
    writeFileSync(path, 'export const read = () => process.env.OF_A_LIBRARY')
    const { read } = await import(/* @vite-ignore */ path)
    const watched = watchVariables()
    read()
    createServer()
    expect(watched.unset()).toEqual([])
    watched.end()
  })
})
