import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import type { Hono } from 'hono'
import type { Env } from './env.js'
import { permittedOf, readActions } from './guard/authorize.js'
import { addSlash, reloadSoon } from './guard/page-scripts.js'
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
    try {
      await requireView(options, c.env.caller)
    } catch (error) {
      return refusal(error, c.req.header('accept'))
    }
    return file('index.html')
  })

  app.get('/assets/:name', async (c) => {
    await requireView(options, c.env.caller)
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
async function requireView(options: Resolved, caller: unknown): Promise<void> {
  if ((await permittedOf(options, caller, readActions)).length === 0) {
    throw new Problem('forbidden', 'You have no right in this console.')
  }
}

/** A person in a browser gets words, a program a problem document. */
function refusal(error: unknown, accept = ''): Response {
  if (!(error instanceof Problem) || !accept.includes('text/html')) {
    throw error
  }
  const { status } = problemResponse(error)
  const headers = { 'Content-Type': 'text/html; charset=utf-8' }
  return new Response(status === 403 ? noRightPage : uncheckedPage(error.message), { status, headers })
}

const pageOf = (title: string, advice: string) => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>Inbox console</title>
<h1>${title}</h1>
<p>${advice}</p>
`

const noRightPage = pageOf(
  'You may not see this console',
  'You are signed out, or you have no right in it. Sign in, or ask the team that runs it.',
)

const uncheckedPage = (cause: string) =>
  pageOf(
    'The program could not check your rights',
    `${cause} This page loads again by itself. If you are signed out, sign in again. Or ask the team that runs the program.<script>${reloadSoon}</script>`,
  )
