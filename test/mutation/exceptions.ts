interface Exception {
  readonly file: string
  /** A part of the mutated line. */
  readonly code: string
  readonly mutators: readonly string[]
  readonly reason: string
}

/**
 * The mutants that change nothing a test could see, each with its reason. A mutation run says which of them it no longer
 * needs.
 */
export const exceptions: readonly Exception[] = [
  {
    file: 'src/event/parse.ts',
    code: 'if (error instanceof PayloadError) {',
    mutators: ['ConditionalExpression'],
    reason: 'no known body makes the parser throw another error',
  },
  {
    file: 'src/event/parse.ts',
    code: 'if (!isPlain(body, walk.keys)) {',
    mutators: ['ConditionalExpression'],
    reason: 'only skips a search that finds nothing',
  },
  {
    file: 'src/event/parse.ts',
    code: 'const utc = ',
    mutators: ['Regex'],
    reason: 'the envelope allows nothing after the offset',
  },
  {
    file: 'src/event/parse.ts',
    code: "const utf8 = new TextDecoder('utf-8'",
    mutators: ['StringLiteral'],
    reason: 'another label fails before there is a test to notice',
  },
  {
    file: 'src/event/json-scan.ts',
    code: 'for (let i = 0; i < json.length; i++) {',
    mutators: ['EqualityOperator'],
    reason: 'beyond the end there is no byte',
  },
  {
    file: 'src/event/json-scan.ts',
    code: 'while (++i < json.length && json[i] !== quote) {',
    mutators: ['EqualityOperator'],
    reason: 'a string ends before the text does',
  },
  {
    file: 'src/event/json-scan.ts',
    code: 'for (let i = 0; i < text.length; i++) {',
    mutators: ['EqualityOperator'],
    reason: 'beyond the end there is no character, and so no token',
  },
  {
    file: 'src/event/json-scan.ts',
    code: 'if (literal.length <= 15 &&',
    mutators: ['ConditionalExpression', 'EqualityOperator', 'BlockStatement'],
    reason: 'the comparison that it skips gives the same',
  },
  {
    file: 'src/event/envelope.ts',
    code: 'const printable = ',
    mutators: ['Regex'],
    reason: 'the first half is a part of the second',
  },
  {
    file: 'src/event/normalize.ts',
    code: 'return false',
    mutators: ['BooleanLiteral'],
    reason: 'the extra lookup of each key changes nothing but time',
  },
  {
    file: 'src/event/normalize.ts',
    code: "if (!key.includes('_')) {",
    mutators: ['ConditionalExpression', 'StringLiteral'],
    reason: 'only skips a search that finds nothing',
  },
  {
    file: 'src/event/normalize.ts',
    code: 'if (known !== undefined) {',
    mutators: ['ConditionalExpression', 'BlockStatement'],
    reason: 'the cached name equals a new one',
  },
  {
    file: 'src/event/normalize.ts',
    code: 'if (names.size < maxNames && key.length <= maxNameLength) {',
    mutators: ['ConditionalExpression', 'EqualityOperator', 'LogicalOperator', 'BlockStatement'],
    reason: 'the cache changes time and memory, not the name',
  },
  {
    file: 'src/signature/scheme.ts',
    code: "return encoding === 'hex' ? text.toLowerCase()",
    mutators: ['ConditionalExpression', 'StringLiteral', 'ArrayDeclaration'],
    reason: 'decoding hex gives the same',
  },
  {
    file: 'src/signature/profile.ts',
    code: 'if (known) {',
    mutators: ['ConditionalExpression', 'BlockStatement'],
    reason: 'the cached value equals a new one',
  },
  {
    file: 'src/signature/verify-signature.ts',
    code: "age < 0 ? 'ahead' : 'behind'",
    mutators: ['EqualityOperator'],
    reason: 'an age of 0 is within any tolerance',
  },
  {
    file: 'src/signature/verify-signature.ts',
    code: "return digests.every((digest) => typeof digest === 'string')",
    mutators: ['MethodExpression', 'ArrowFunction', 'ConditionalExpression', 'StringLiteral'],
    reason: 'a promise of the same result, which both callers await',
  },
  {
    file: 'src/signature/crypto/node.ts',
    code: 'function sha256InSteps(',
    mutators: ['BlockStatement'],
    reason: 'for runtimes without crypto.hash: the tests run on none',
  },
  {
    file: 'src/signature/crypto/node.ts',
    code: 'return createHash(algorithm)',
    mutators: ['StringLiteral'],
    reason: 'for runtimes without crypto.hash: the tests run on none',
  },
  {
    file: 'src/signature/crypto/node.ts',
    code: '(oneShot ?? sha256InSteps)',
    mutators: ['LogicalOperator'],
    reason: 'both compute the same digest',
  },
  {
    file: 'src/signature/crypto/base64.ts',
    code: '} catch {',
    mutators: ['BlockStatement'],
    reason: 'a function that returns nothing returns undefined',
  },
  {
    file: 'src/signature/crypto/web.ts',
    code: 'for (let i = 0; i < 64; i++) {',
    mutators: ['EqualityOperator'],
    reason: 'neither text has another character',
  },
  {
    file: 'src/steps/accept-dead.ts',
    code: "delivery.detail ?? ''",
    mutators: ['StringLiteral'],
    reason: 'a schema failure always has a detail',
  },
  {
    file: 'src/steps/process.ts',
    code: "progress.phase = 'handler'",
    mutators: ['StringLiteral'],
    reason: "it is compared with 'store' only",
  },
  {
    file: 'src/steps/process.ts',
    code: 'return data === event.data ? event',
    mutators: ['ConditionalExpression'],
    reason: 'a copy equals the event',
  },
  {
    file: 'src/steps/process.ts',
    code: '} catch {',
    mutators: ['BlockStatement'],
    reason: 'a function that returns nothing returns undefined, which is false',
  },
  {
    file: 'src/report/logger.ts',
    code: 'if (!logger) {',
    mutators: ['ConditionalExpression', 'BlockStatement'],
    reason: 'what the call would throw is caught',
  },
  {
    file: 'src/report/logger.ts',
    code: "const stack = typeof error.stack === 'string'",
    mutators: ['ArrayDeclaration'],
    reason: 'a line that names no place is dropped',
  },
  {
    file: 'src/report/result-log.ts',
    code: 'if (type === undefined ||',
    mutators: ['ConditionalExpression'],
    reason: 'an ignored delivery has an event',
  },
  {
    file: 'src/report/result-log.ts',
    code: "function isQuiet({ code, eventId = '' }",
    mutators: ['StringLiteral'],
    reason: 'every delivery without an id shares one key',
  },
  {
    file: 'src/report/result-log.ts',
    code: 'if (last !== undefined &&',
    mutators: ['ConditionalExpression'],
    reason: 'without a last line the difference is not a number, and less than nothing',
  },
  {
    file: 'src/report/result-log.ts',
    code: 'noteIgnored(result.event?.type)',
    mutators: ['OptionalChaining'],
    reason: 'an ignored delivery has an event',
  },
  {
    file: 'src/report/result-log.ts',
    code: 'const because = (',
    mutators: ['StringLiteral'],
    reason: 'a quarantined delivery has a code',
  },
  {
    file: 'src/event/sort-keys.ts',
    code: 'if (keys.length > few) {',
    mutators: ['ConditionalExpression', 'EqualityOperator', 'BlockStatement'],
    reason: 'both sorts give the same order',
  },
  {
    file: 'src/event/sort-keys.ts',
    code: 'while (place > 0 &&',
    mutators: ['ConditionalExpression', 'EqualityOperator'],
    reason: 'before the first key there is none, and no two keys are equal',
  },
  {
    file: 'src/event/json-scan.ts',
    code: 'isEscaped = false',
    mutators: ['BooleanLiteral'],
    reason: 'a text without an escape decodes to itself',
  },
  {
    file: 'src/timing/catch-later.ts',
    code: "if (typeof returned !== 'object' || returned === null) {",
    mutators: ['ConditionalExpression', 'LogicalOperator', 'StringLiteral', 'BlockStatement'],
    reason: 'only skips a promise of a value that cannot reject',
  },
  {
    file: 'src/timing/catch-later.ts',
    code: ".then === 'function'",
    mutators: ['ConditionalExpression'],
    reason: 'only skips a promise of a value that cannot reject',
  },
  {
    file: 'src/timing/shutdown.ts',
    code: "typeof timer === 'object'",
    mutators: ['ConditionalExpression'],
    reason: 'for runtimes whose timers are numbers: the tests run on none',
  },
  {
    file: 'src/stores/memory/done-events.ts',
    code: 'const hash = last < 1 ? 0 :',
    mutators: ['ConditionalExpression', 'EqualityOperator', 'ArithmeticOperator'],
    reason: 'any number finds the key again; it only distributes the keys',
  },
  {
    file: 'src/stores/memory/done-events.ts',
    code: 'readonly #order: DoneEvent[] = []',
    mutators: ['ArrayDeclaration'],
    reason: 'each place of the ring is written before it is read',
  },
  {
    file: 'src/stores/memory.ts',
    code: 'const token = String(++claims)',
    mutators: ['UpdateOperator'],
    reason: 'no two claims share a number if it counts down either',
  },
  {
    file: 'src/stores/memory.ts',
    code: 'if (lease.until - time > lease.span) {',
    mutators: ['EqualityOperator'],
    reason: 'cutting a lease to its own length changes nothing',
  },
  {
    file: 'src/flow/known-holds.ts',
    code: 'if (performance.now() - this.#readAt > freshFor) {',
    mutators: ['EqualityOperator'],
    reason: 'no two readings of the clock are exactly a second apart',
  },
  {
    file: 'src/lifespan/probes.ts',
    code: 'if (number < newest) {',
    mutators: ['EqualityOperator'],
    reason: 'no two checks have one number',
  },
  {
    file: 'src/lifespan/stop-on-signals.ts',
    code: "if (typeof process?.on !== 'function') {",
    mutators: ['ConditionalExpression', 'OptionalChaining', 'BlockStatement'],
    reason: 'for runtimes without a process: the tests run on none',
  },
  {
    file: 'packages/client/src/exchange.ts',
    code: 'const onAbort = () => ended.abort(signal?.reason)',
    mutators: ['OptionalChaining'],
    reason: 'only the signal calls it',
  },
  {
    file: 'packages/client/src/endpoint.ts',
    code: 'const isDone = failure instanceof ApiError &&',
    mutators: ['ConditionalExpression'],
    reason: 'no other error has a status; a test holds the status and the count',
  },
  {
    file: 'packages/client/src/list.ts',
    code: 'if (cursor !== null && cursor === asked.cursor) {',
    mutators: ['ConditionalExpression'],
    reason: 'no page is asked for with null',
  },
  {
    file: 'src/store/normalize-message.ts',
    code: 'for (let at = 0; at < text.length && normal.length < mostKept; ) {',
    mutators: ['EqualityOperator'],
    reason: 'what is added beyond the limit is cut off',
  },
  {
    file: 'src/store/single-flight.ts',
    code: 'if (now < until) {',
    mutators: ['EqualityOperator'],
    reason: 'a run that ends in this very microsecond may be dropped or kept',
  },
  {
    file: 'src/telemetry/observe.ts',
    code: "if (!told.wants('delivered')) {",
    mutators: ['ConditionalExpression', 'BlockStatement'],
    reason: 'only skips facts that nothing gets',
  },
  {
    file: 'src/telemetry/observe.ts',
    code: "if (!told.wants('running')) {",
    mutators: ['ConditionalExpression', 'BlockStatement'],
    reason: 'only skips facts that nothing gets',
  },
  {
    file: 'src/telemetry/observe.ts',
    code: 'if (lastParsed.text !== text) {',
    mutators: ['ConditionalExpression'],
    reason: 'the cached time equals a new one',
  },
  {
    file: 'src/telemetry/observe.ts',
    code: 'let lastParsed = {',
    mutators: ['ObjectLiteral', 'StringLiteral'],
    reason: 'no event was created at such a text',
  },
  {
    file: 'src/telemetry/observe.ts',
    code: 'return lag <= longestLagSeconds',
    mutators: ['EqualityOperator'],
    reason: 'no lag is exactly ten years',
  },
  {
    file: 'src/telemetry/guard.ts',
    code: 'telemetry.delivered?.(report)',
    mutators: ['OptionalChaining'],
    reason: 'it is called only if the method is there',
  },
  {
    file: 'src/telemetry/guard.ts',
    code: 'telemetry.storing?.(event)',
    mutators: ['OptionalChaining'],
    reason: 'it is called only if the method is there',
  },
  {
    file: 'src/telemetry/guard.ts',
    code: 'telemetry.running?.(event)',
    mutators: ['OptionalChaining'],
    reason: 'it is called only if the method is there',
  },
]
