import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import type { Hono } from 'hono'
import type { Env } from './env.js'
import { addSlash } from './guard/add-slash.js'
import { may, readActions } from './guard/authorize.js'
import type { Resolved } from './options.js'
import { Problem, problemResponse } from './problem.js'

/** The build output of Vite. In the package: `page/dist` beside `dist` and `src`. */
const folder = new URL('../page/dist/', import.meta.url)

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
}

/** Serves the page to anyone who may read something. Its URLs are relative, so it works under any prefix. */
export function pageRoutes(app: Hono<Env>, options: Resolved): void {
  app.get('/', async (c) => {
    if (!(await mayView(options, c.env.caller))) {
      return noRight(c.req.header('accept'))
    }
    return file('index.html')
  })

  app.get('/assets/:name', async (c) => {
    if (!(await mayView(options, c.env.caller))) {
      throw forbidden
    }
    return file(`assets/${c.req.param('name')}`)
  })
}

async function file(path: string): Promise<Response> {
  const type = types[extname(path)]
  // A name of a built file. It has no dot at its start, so it cannot leave the folder.
  const isBuilt = type && /^(?:assets\/)?[A-Za-z0-9_-][A-Za-z0-9_.-]*$/.test(path)
  const content = isBuilt && (await readFile(new URL(path, folder)).catch(() => undefined))
  if (!content) {
    throw new Problem('not_found', 'The page has no such file.')
  }
  const sent = type === types['.html'] ? withSlash(content.toString()) : new Uint8Array(content)
  return new Response(sent, { headers: { 'Content-Type': type } })
}

/** The page, whose files load only at an address with a last slash. */
const withSlash = (html: string) =>
  html.replace(
    /(<script.*)<\/head>/s,
    (_, files) => `<template>${files}</template><script>${addSlash}</script></head>`,
  )

/** The page contains no data, but only a person who may read something gets it. */
async function mayView(options: Resolved, caller: unknown): Promise<boolean> {
  const permitted = await Promise.all(readActions.map((action) => may(options, caller, action)))
  return permitted.includes(true)
}

const forbidden = new Problem('forbidden', 'You have no right in this console.')

/** A person in a browser gets words, a program a problem document. */
const noRight = (accept = ''): Response =>
  accept.includes('text/html')
    ? new Response(noRightPage, { status: 403, headers: { 'Content-Type': 'text/html; charset=utf-8' } })
    : problemResponse(forbidden)

const noRightPage = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>Inbox console</title>
<h1>You may not see this console</h1>
<p>You are signed out, or you have no right in it. Sign in, or ask the team that runs it.</p>
`
