import { describe, expect, it } from 'vitest'
import { body, file, header, hex, length, now, raw, save, secret, useFolder, verify } from './rig.js'

useFolder()

const lines = (text: string) => text.split('\n').slice(0, -1)
const shortened = `${hex(body).slice(0, 12)}…`

describe('verify shows', () => {
  it('a signature that matches', async () => {
    const { code, stdout, stderr } = await verify(['--body', file('body.json'), '--header', header], {
      columns: 100,
      isStderrPiped: true,
      env: { WEBHOOK_SECRET: secret, NO_COLOR: '1' },
    })
    expect([code, stderr]).toEqual([0, ''])
    expect(lines(stdout)).toEqual([
      'yes',
      'The signature matches, and the body is an event.',
      '',
      'header',
      `  t   1800000000     2027-01-15T08:00:00Z, now: within the tolerance of 300 s`,
      `  v1  ${shortened}  32 bytes in hex`,
      '',
      'body',
      `  ${length} bytes, JSON on one line`,
      '',
      'scheme',
      expect.stringMatching(/^ {2}\S/),
    ])
  })

  it('a cause with its evidence and its fix', async () => {
    const { code, stdout } = await verify(['--body', '-', '--header', header], {
      stdin: JSON.stringify(JSON.parse(body), undefined, 2),
      columns: 200,
      env: { WEBHOOK_SECRET: secret, NO_COLOR: '1' },
    })
    const shown = lines(stdout)
    expect([code, shown[0]]).toEqual([1, 'no'])
    const at = shown.indexOf('cause: body_reformatted')
    expect(shown[at - 1]).toBe('')
    expect(shown.slice(at + 1).every((line) => line.startsWith('  '))).toBe(true)
    expect(shown.join('\n')).toContain('The signed JSON is minified. First difference at byte 1;')
    expect(shown.join('\n')).toMatch(/\n {2}Fix: Verify the bytes as they arrive/)
    expect(Math.max(...shown.map(({ length }) => length))).toBeLessThanOrEqual(110)
    expect(Math.max(...shown.map(({ length }) => length))).toBeGreaterThan(90)
  })

  it('what was tried where nothing matches', async () => {
    const { code, stdout } = await verify(['--body', '-', '--header', header], {
      stdin: '{"id":"evt_1"}',
      columns: 80,
      env: { WEBHOOK_SECRET: secret, NO_COLOR: '1' },
    })
    const shown = lines(stdout)
    const at = shown.indexOf('search')
    expect(code).toBe(1)
    expect(shown[at + 1]).toMatch(/^ {2}[\d,]+ combinations of corrections tried; none matches\.$/)
    expect(shown.slice(-2)).toEqual([
      '  Either the secret is of another endpoint, or the content of the body was',
      '  changed.',
    ])
    expect(Math.max(...shown.map(({ length }) => length))).toBeLessThanOrEqual(80)
  })

  it.each([
    ['the body is no event', '{}{}', (text: string) => `t=${now},v1=${hex(text)}`],
    ['there is no signature', body, () => ''],
  ])('no search where nothing was searched: %s', async (_, stdin, signature) => {
    const { code, stdout } = await verify(['--body', '-', '--header', signature(stdin)], { stdin })
    expect([code, lines(stdout)[0]]).toEqual([1, 'no'])
    expect(stdout).not.toMatch(/search|combination/)
  })

  it('the colors of yes and no, and bold headings', async () => {
    const args = ['--body', file('body.json'), '--header', header]
    const yes = lines((await verify(args, { columns: 100 })).stdout)
    expect(yes[0]).toBe('\u001b[32m\u001b[1myes\u001b[22m\u001b[39m')
    expect(yes[3]).toBe('\u001b[1mheader\u001b[22m')
    const no = lines((await verify([...args, '--now', '1'], { columns: 100 })).stdout)
    expect(no[0]).toBe('\u001b[31m\u001b[1mno\u001b[22m\u001b[39m')
  })

  it('the problem of a header, and at most twenty of its parts', async () => {
    const many = `t=${now},${Array(19).fill('v1=00').join(',')}`
    const shown = async (signature: string) =>
      lines((await verify(['--body', file('body.json'), '--header', signature])).stdout)
    expect(await shown(many)).not.toContainEqual(expect.stringContaining('... and'))
    expect(await shown(`${many},v1=01`)).toContain('  ... and 1 part more')
    expect(await shown(`${many},v1=01,v1=02`)).toContain('  ... and 2 parts more')
    const odd = await shown('garbage')
    const at = odd.indexOf('header')
    expect(odd.slice(at - 1, at + 2)).toEqual([
      '',
      'header',
      expect.stringMatching(/^ {2}Service-Signature: \S/),
    ])
  })

  it('long parts of a header in short', async () => {
    const [tag, value] = ['x'.repeat(17), 'y'.repeat(41)]
    const { stdout } = await verify([
      '--body',
      file('body.json'),
      '--header',
      `${header},${tag}=${value},v2=${'z'.repeat(40)}`,
    ])
    expect(stdout).toContain(`${'x'.repeat(15)}…  ${'y'.repeat(39)}…`)
    expect(stdout).toContain(`v2  ${'z'.repeat(40)}`)
  })

  it('the expected signature if asked, and the scheme to paste', async () => {
    const forged = `t=${now},v1=${'0'.repeat(64)}`
    const args = ['--body', file('body.json'), '--header', forged, '--show-expected']
    expect(lines((await verify(args)).stdout).slice(-3)).toEqual([
      '',
      'expected',
      `  Service-Signature: ${header}`,
    ])
    expect((await verify(args.slice(0, -1))).stdout).not.toContain('expected\n')
  })

  it('JSON, in which a signature is shortened too', async () => {
    const { code, stdout } = await verify([
      '--body',
      file('body.json'),
      '--header',
      `${header},v0=${'1'.repeat(20)}`,
      '--json',
    ])
    const { isAccepted, header: shown, summary } = JSON.parse(stdout)
    expect([code, isAccepted, summary]).toEqual([0, true, 'The signature matches, and the body is an event.'])
    expect(shown.parts.map(({ tag, value }: { tag: string; value: string }) => [tag, value])).toEqual([
      ['t', String(now)],
      ['v1', shortened],
      ['v0', '1'.repeat(20)],
    ])
  })
})

describe('verify --discover shows', () => {
  it('the default scheme', async () => {
    const args = ['--body', file('body.json'), '--header', header, '--discover']
    expect(await verify(args)).toMatchObject({
      code: 0,
      stdout: '// The default scheme: leave the option out.\n',
      stderr: 'It matches with WEBHOOK_SECRET.\n',
    })
    const { stdout } = await verify([...args, '--json'])
    expect(JSON.parse(stdout)).toEqual({ schemes: [expect.objectContaining({ secret: 'WEBHOOK_SECRET' })] })
  })

  it('the other secret that matches', async () => {
    const other = 'whsec_of_the_staging_endpoint'
    const path = await save('staging', other)
    const args = ['--body', file('body.json'), '--header', `t=${now},v1=${hex(body, other)}`, '--discover']
    expect((await verify([...args, '--other-secret-file', path])).stderr).toBe(`It matches with ${path}.\n`)
  })

  it('that there is none', async () => {
    const args = ['--body', '-', '--header', header, '--discover']
    expect(await verify(args, { stdin: 'x' })).toMatchObject({
      code: 1,
      stdout:
        'No scheme matches these bytes, this header and these secrets.\nWithout --discover, verify looks for faults of the body and the secret too.\n',
      stderr: '',
    })
    expect((await verify([...args, '--json'], { stdin: 'x' })).stdout).toBe('{"schemes":[]}\n')
  })
})

describe('verify says of a signed body that a receiver does not take', () => {
  it.each([
    [
      body.replace('"Zoë"', '12345678901234567891'),
      "invalid_data: JavaScript cannot represent data.owner exactly, and `inexactNumbers` is not 'round'.",
    ],
    ['{}{}', 'invalid_json: the signed body is not valid JSON, or is ambiguous.'],
    ['{"id":"evt_1","type":"a.b"}', /^invalid_envelope: the signed body is not an event \(.*\)\.$/],
  ])('%s', async (stdin, sentence) => {
    const { code, stdout } = await verify(
      ['--body', '-', '--header', `t=${now},v1=${hex(stdin)}`, '--json'],
      { stdin },
    )
    const { summary, isAccepted } = JSON.parse(stdout)
    const intro = 'The signature matches, but a receiver rejects or quarantines the body. '
    expect([code, isAccepted, summary.slice(0, intro.length)]).toEqual([1, false, intro])
    if (sentence instanceof RegExp) {
      expect(summary.slice(intro.length)).toMatch(sentence)
    } else {
      expect(summary.slice(intro.length)).toBe(sentence)
    }
  })
})

describe('verify warns of a capture', () => {
  it('that is longer or shorter than it says', async () => {
    const path = await save('longer', raw(`${body}\n`))
    expect((await verify(['--from-request', path])).stderr).toBe(
      `warning: ${path} has 1 bytes more than Content-Length says; they are ignored.\n`,
    )
    const cut = await save('shorter', raw(body.slice(0, 20)))
    expect((await verify(['--from-request', cut])).stderr).toBe(
      `warning: ${cut} has 20 bytes of body, Content-Length says ${length}: the capture is incomplete.\n`,
    )
    expect((await verify(['--from-request', await save('exact', raw(body))])).stderr).toBe('')
  })

  it('whose signature has another name', async () => {
    const path = await save('renamed', raw(body).replace('Service-Signature', 'X-Signature'))
    expect((await verify(['--from-request', path])).stderr).toBe(
      'warning: X-Signature looks like the signature header. If a proxy renames it, pass its value with --header.\n',
    )
    expect(
      (
        await verify([
          '--headers',
          await save('own', `Service-Signature: ${header}\nX-Copy: ${header}`),
          '--body',
          file('body.json'),
        ])
      ).stderr,
    ).toBe('')
  })
})
