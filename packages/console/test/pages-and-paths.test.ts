import { describe, expect, it } from 'vitest'
import { consoleFetch } from '../src/fetch.js'
import { isBlank } from '../src/is-blank.js'
import { isLate } from '../src/is-late.js'
import { pathBelow } from '../src/path-below.js'
import { idOfPart, pathPart } from '../src/path-part.js'
import { factOf } from '../src/views/advice.js'
import { all } from './every-right.js'
import { json, limitedConsole, listen, openFilledInbox, openInbox } from './rig.js'

const reload = '<script>setTimeout(()=>location.reload(),3e3)</script>'

describe('a person without a right in a browser', () => {
  const page = async (options: object, path = '/', accept = 'text/html') => {
    const { receiver } = await openInbox()
    const url = await listen(limitedConsole(receiver, { ...all, ...options }, { askSeconds: 0.1 }))
    const response = await fetch(url + path, { headers: { Accept: accept } })
    return [response.status, response.headers.get('content-type'), await response.text()] as const
  }
  const html = (title: string, advice: string) => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>Inbox console</title>
<h1>${title}</h1>
<p>${advice}</p>
`
  const type = 'text/html; charset=utf-8'

  it('gets a page that says what to do', async () => {
    const refused = html(
      'You may not see this console',
      'You are signed out, or you have no right in it. Sign in, or ask the team that runs it.',
    )
    expect(await page({ authorize: () => false })).toEqual([403, type, refused])
    expect(await page({ authorize: () => false }, '/', 'application/xhtml+xml,text/html;q=0.9')).toEqual([
      403,
      type,
      refused,
    ])
  })

  it.each([
    [
      'fails',
      () => Promise.reject(new Error('no session')),
      'The program could not check your rights. Its log says why.',
    ],
    ['hangs', () => new Promise(() => {}), 'The function authorize of this program did not respond.'],
  ])('gets a page that loads again, where authorize %s', async (_, authorize, cause) => {
    expect(await page({ authorize })).toEqual([
      503,
      type,
      html(
        'The program could not check your rights',
        `${cause} This page loads again by itself. If you are signed out, sign in again. Or ask the team that runs the program.${reload}`,
      ),
    ])
  })

  it.each([
    ['/', 'application/json'],
    ['/', ''],
    ['/assets/index.js', 'text/html'],
  ])('gets a problem document at %s for %j', async (path, accept) => {
    const [status, contentType, text] = await page({ authorize: () => false }, path, accept)
    expect([status, contentType, JSON.parse(text)]).toEqual([
      403,
      'application/problem+json',
      {
        type: 'about:blank',
        title: 'You may not do this',
        status: 403,
        detail: 'You have no right in this console.',
        code: 'forbidden',
      },
    ])
  })
})

describe('the page', () => {
  it('loads its files from where it is, and each file has its type', async () => {
    const { receiver } = await openInbox()
    const url = await listen(limitedConsole(receiver, all, {}))
    const page = await fetch(`${url}/`)
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    const html = await page.text()
    const template = /<template>(<script.*)<\/template><script>(.*)<\/script><\/head>/s.exec(html)
    expect(template?.[2]).toContain("at.pathname.endsWith('/')")
    const names = [...(template?.[1] ?? '').matchAll(/(?:src|href)="\.\/(assets\/[^"]+)"/g)].map(
      ([, name]) => name ?? '',
    )
    expect(names.length).toBeGreaterThan(1)
    for (const name of names) {
      const file = await fetch(`${url}/${name}`)
      const kind = name.endsWith('.css') ? 'text/css' : 'text/javascript'
      expect([name, file.status, file.headers.get('content-type')]).toEqual([
        name,
        200,
        `${kind}; charset=utf-8`,
      ])
    }
    for (const name of ['none.js', '.none.js', 'none', 'a%2fb.js', '..%2findex.html', 'a%20b.js']) {
      const response = await fetch(`${url}/assets/${name}`)
      expect([name, response.status]).toEqual([name, 404])
      expect(await response.json()).toMatchObject({ detail: 'The page has no such file.' })
    }
  })
})

describe('a path', () => {
  it.each([
    ['', '/api/me', '/api/me'],
    ['', '', '/'],
    ['', '/?a=/b', '/'],
    ['/console', '/console', '/'],
    ['/console', '/console/', '/'],
    ['/console', '/console?x=1', '/'],
    ['/console', '/console/api/me?x=/y', '/api/me'],
    ['/console', '/consoles/api/me', undefined],
    ['/console', '/other', undefined],
    ['/console', '/x/console', undefined],
  ])('mounted at %j, %s is %s', (mounted, url, path) => {
    expect(pathBelow(mounted, url)).toBe(path)
  })

  it.each([
    ['evt_1', 'evt_1'],
    ['..', '~..'],
    ['.', '~.'],
    ['...', '...'],
    ['~a', '~~a'],
    ['a~', 'a~'],
    ['a/b c', 'a%2Fb%20c'],
    ['.a', '.a'],
  ])('the id %j is the part %s', (id, part) => {
    expect(pathPart(id)).toBe(part)
    expect(idOfPart(decodeURIComponent(part))).toBe(id)
  })

  it('outside of the console is 404', async () => {
    const { receiver } = await openInbox()
    const answer = consoleFetch(receiver, { ...all, path: '/console' })
    const statusOf = async (path: string) => (await answer(new Request(`http://console${path}`))).status
    expect([
      await statusOf('/console/api/me'),
      await statusOf('/consolex/api/me'),
      await statusOf('/'),
    ]).toEqual([200, 404, 404])
  })
})

it.each([
  ['', true],
  [' \t\n', true],
  ['\u200b\u00ad\u2800\ufe0f', true],
  ['\u0000', true],
  ['.', false],
  [' a ', false],
  ['0', false],
])('the text %j is blank: %s', (text, blank) => {
  expect(isBlank(text)).toBe(blank)
})

it.each([
  [45, false],
  [45.1, true],
  [undefined, false],
])('a process that was silent for %d s is late: %s', (silentSeconds, late) => {
  expect(isLate({ silentSeconds } as never)).toBe(late)
})

it('a code has a fact as a sentence, another one of a delivery, and none if it is not known', () => {
  expect(factOf('invalid_data', true)).toBe('JavaScript cannot represent a number exactly')
  expect(factOf('invalid_data', false)).toMatch(/^[A-Z]/)
  expect(factOf('invalid_data', false)).not.toBe(factOf('invalid_data', true))
  expect([factOf('no_such_code', true), factOf('toString', false)]).toEqual([undefined, undefined])
})

it.each<[path: string, status: number]>([
  ['events?limit=1', 200],
  ['events?limit=200', 200],
  ['events?limit=1.5', 422],
  ['events?limit=', 422],
  ['overview?hours=744', 200],
  ['overview?hours=0.001', 200],
  ['overview?hours=744.001', 422],
  ['overview?hours=', 422],
  ['quarantine?cursor=0', 200],
  ['quarantine?cursor=-1', 422],
  ['quarantine?cursor=1.5', 422],
  ['groups?sort=events&cursor=-1', 422],
  ['groups?sort=&cursor=', 200],
  ['events?since=2026-01-01t10:00z', 200],
  ['events?since=2026-01-01T10:00:00.5-05:30', 200],
  ['events?since=2026-01-01T10:00:00.Z', 422],
  ['events?since=x2026-01-01', 422],
  ['events?since=2026-01-01x', 422],
  ['events?since=2026-13-01', 422],
  ['events?text=%09', 200],
  ['events?type=%09', 422],
  ['events?cursor=%09', 422],
])('GET %s is answered with %i', async (path, status) => {
  const { receiver } = await openFilledInbox()
  const url = await listen(limitedConsole(receiver, all, {}))
  expect((await fetch(`${url}/api/${path}`)).status).toBe(status)
})

it('the overview counts in 60 intervals of whole seconds, for an hour unless it is told otherwise', async () => {
  const { receiver } = await openFilledInbox()
  const asked: unknown[] = []
  const watching = {
    ...receiver,
    statistics(query: Parameters<typeof receiver.statistics>[0]) {
      asked.push(query)
      return receiver.statistics(query)
    },
  }
  const url = await listen(limitedConsole(watching, all, {}))
  const overview = await json<object>(`${url}/api/overview`)
  await json(`${url}/api/overview?hours=24`)
  await json(`${url}/api/overview?hours=0.01`)
  expect(asked).toEqual([60, 1440, 1].map((bucketSeconds) => ({ bucketSeconds, buckets: 60 })))
  expect(overview).toEqual({
    guarantee: receiver.describe(),
    hours: 1,
    statistics: { value: expect.objectContaining({ dead: { count: 1, isCapped: false } }) },
    versions: expect.any(Array),
  })
})
