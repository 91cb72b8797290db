import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { body, file, header, hex, length, now, raw, save, secret, useFolder, verify } from './rig.js'

useFolder()

describe('verify', () => {
  it('says yes, with status 0, and explains what it was given', async () => {
    const { code, stdout, stderr } = await verify(['--body', file('body.json'), '--header', header])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^yes\nThe signature matches, and the body is an event\.\n/)
    expect(stdout).toMatch(/t {3}1800000000 +2027-01-15T08:00:00Z, now: within/)
    expect(stdout).toContain('32 bytes in hex')
    expect(stdout).toContain(`${length} bytes, JSON on one line`)
  })

  it('says no, with status 1, the cause and its fix', async () => {
    const pretty = JSON.stringify(JSON.parse(body), undefined, 2)
    const { code, stdout } = await verify(['--body', '-', '--header', header], {
      stdin: pretty,
      columns: 200,
    })
    expect(code).toBe(1)
    expect(stdout).toContain('body_reformatted')
    expect(stdout).toContain('The signed JSON is minified. First difference at byte 1;')
    expect(stdout).toContain('Fix: Verify the bytes as they arrive')
  })

  it('says no without a cause if no correction makes the signature match', async () => {
    const { code, stdout } = await verify(['--body', '-', '--header', header], { stdin: '{"id":"evt_1"}' })
    expect(code).toBe(1)
    expect(stdout).toMatch(/combinations of corrections tried; none matches/)
    expect(stdout).not.toContain('cause:')
  })

  it.each([
    ['{"id":"evt_1","type":"transfer.settled"}', 'invalid_envelope', 'createdAt (or created_at) is missing'],
    [
      body.replace('evt_1', 'x-evt'),
      'invalid_envelope',
      'the signed body is not an event (id must be evt_ and ',
    ],
    ['{}{}', 'invalid_json', 'the signed body is not valid JSON'],
    [Buffer.from([0xff]), 'invalid_encoding', 'the signed body is not UTF-8'],
    [body.replace('"Zoë"', '12345678901234567891'), 'invalid_data', 'cannot represent data.owner exactly'],
  ])('says no for a signed body that a receiver does not take: %s', async (stdin, code, sentence) => {
    const args = ['--body', '-', '--header', `t=${now},v1=${hex(stdin)}`]
    const printed = await verify([...args, '--no-color'], { stdin, columns: 200 })
    expect(printed.code).toBe(1)
    expect(printed.stdout.replaceAll('\n', ' ')).toMatch(/^no The signature matches, but a receiver rejects/)
    expect(printed.stdout.replaceAll('\n', ' ')).toContain(`${code}: `)
    expect(printed.stdout.replaceAll('\n', ' ')).toContain(sentence)
    expect(printed.stdout).not.toContain('cause:')
    const inJson = await verify([...args, '--json'], { stdin })
    expect(JSON.parse(inJson.stdout)).toMatchObject({ isAccepted: false, code, causes: [] })
  })

  it('prints the diagnosis as JSON', async () => {
    const args = ['--body', file('body.json'), '--header', header, '--event-id', 'evt_2', '--json']
    const { code, stdout } = await verify(args)
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({
      isAccepted: false,
      code: 'event_id_mismatch',
      causes: [{ code: 'event_id_mismatch', evidence: 'The header says evt_2, the body says evt_1.' }],
    })
  })

  it('checks t against --now and --tolerance', async () => {
    const args = ['--body', file('body.json'), '--header', header]
    expect((await verify([...args, '--now', `${now + 301}`])).stdout).toContain('timestamp_too_old')
    expect((await verify([...args, '--now', `${now + 301}`, '--tolerance', '10m'])).code).toBe(0)
  })

  it('prints the scheme to paste', async () => {
    const inBase64 = createHmac('sha256', secret).update(body).digest('base64')
    const args = ['--body', file('body.json'), '--header', `t=${now},v1=${inBase64}`]
    const line = "scheme: { content: 'body', encoding: 'base64' },"
    expect((await verify(args)).stdout).toContain(`\npaste into createReceiver\n  ${line}\n`)
    const discovered = await verify([...args, '--discover'])
    expect(discovered).toMatchObject({ code: 0, stdout: `${line}\n` })
    expect((await verify([...args, '--scheme', 'content=body,encoding=base64'])).code).toBe(0)
  })

  it('says that no scheme was discovered, with status 1', async () => {
    const { code, stdout } = await verify(['--body', '-', '--header', header, '--discover'], { stdin: 'x' })
    expect(code).toBe(1)
    expect(stdout).toContain('No scheme matches')
  })
})

describe('verify explains a delivery', () => {
  it('whose header was sent twice', async () => {
    const twice = raw(body).replace('Host: localhost', `service-signature: ${header}`)
    const { code, stdout } = await verify(['--from-request', await save('twice', twice)])
    expect(code).toBe(1)
    expect(stdout).toContain('header_repeated')
  })

  it('whose header has another name', async () => {
    const renamed = raw(body).replace('Service-Signature', 'X-Forwarded-Signature')
    const { code, stderr } = await verify(['--from-request', await save('renamed', renamed)])
    expect(code).toBe(1)
    expect(stderr).toContain('X-Forwarded-Signature looks like the signature header')
  })

  it('with the body of another one', async () => {
    const otherBody = body.replace('evt_1', 'evt_2')
    const other = await save('other', raw(otherBody, `t=${now},v1=${hex(otherBody)}`))
    const args = ['--body', file('body.json'), '--header', `t=${now},v1=${hex(otherBody)}`, '--other', other]
    expect((await verify(args)).stdout).toContain('header_from_another_delivery')
  })

  it('that is signed with another secret, by its name', async () => {
    const other = 'whsec_of_the_staging_endpoint'
    const args = ['--body', file('body.json'), '--header', `t=${now},v1=${hex(body, other)}`]
    const fromEnv = await verify(args, { env: { WEBHOOK_SECRET: secret, WEBHOOK_SECRET_STAGING: other } })
    expect(fromEnv.stdout).toContain('It is WEBHOOK_SECRET_STAGING, not WEBHOOK_SECRET.')
    const path = await save('staging', `${other}\n`)
    const fromFile = await verify([...args, '--other-secret-file', path], { columns: 400 })
    expect(fromFile.stdout).toContain(`It is ${path}, not WEBHOOK_SECRET.`)
  })
})
